// What an answer says about its maker: which engine it is, and what it states about its own time and
// load. Both come from places that no dialect owns, because gateways translate dialects and pass these
// fields on. Knows neither bytes nor what the numbers mean.
import { STATEMENTS_MAX_COUNT } from '../base/limits.ts';
import type { EngineFacts, EngineName } from '../record/engines.ts';
import type { Statements } from '../record/stream-record.ts';
import { engineInHead, SIGN_WEIGHTS, signInMessage, type Sign } from './engine-signs.ts';
import { noteHeadStatements } from './head-statements.ts';
import type { JsonObject } from './json-value.ts';
import { noteStatements, type NoteStatement } from './statements.ts';

export class EngineWords {
  readonly #configured: EngineName | undefined;
  readonly #shownInHead: EngineFacts | undefined;
  #shownInBody: Sign | undefined;
  /** Most engines state nothing, and an empty map is no small thing where there is one a stream. */
  #statements: Map<string, number> | undefined;

  /** `fields` are those of the response head: names and values in turn. */
  constructor(configured: EngineName | undefined, fields: readonly string[]) {
    this.#configured = configured;
    this.#shownInHead = engineInHead(fields);
    noteHeadStatements(fields, this.#note);
  }

  noteMessage(message: JsonObject): void {
    const known = this.#shownInBody?.weight ?? 0;
    if (known < SIGN_WEIGHTS.own) {
      const sign = signInMessage(message);
      if (sign !== undefined && sign.weight > known) this.#shownInBody = sign;
    }
    noteStatements(message, this.#note);
  }

  /** Undefined when nothing told. */
  engine(): EngineFacts | undefined {
    const shown = this.#shown();
    if (this.#configured === undefined) return shown;
    const version = shown?.name === this.#configured ? shown.version : undefined;
    return { name: this.#configured, by: 'configured', ...(version === undefined ? {} : { version }) };
  }

  /** Undefined when nothing was stated. */
  statements(): Statements | undefined {
    return this.#statements && Object.fromEntries(this.#statements);
  }

  /**
   * The body is surer than the head, which any proxy can write; but a shape that others imitate does not
   * outweigh a field that only one engine sends.
   */
  #shown(): EngineFacts | undefined {
    const body = this.#shownInBody;
    if (body === undefined) return this.#shownInHead;
    return body.weight > SIGN_WEIGHTS.imitated ? body.engine : (this.#shownInHead ?? body.engine);
  }

  /** The last number of a field counts: running ones end with their total. */
  readonly #note: NoteStatement = (path, value) => {
    this.#statements ??= new Map();
    if (this.#statements.has(path) || this.#statements.size < STATEMENTS_MAX_COUNT) this.#statements.set(path, value);
  };
}
