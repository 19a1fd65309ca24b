// What an answer says about its maker: which engine it is, and what it states about its own time and
// load. Both come from places that no dialect owns, because gateways translate dialects and pass these
// fields on. Knows neither bytes nor what the numbers mean.
import { STATEMENTS_MAX_COUNT } from '../base/limits.ts';
import type { EngineFacts, EngineName } from '../record/engines.ts';
import type { Statements } from '../record/stream-record.ts';
import { engineInHead, engineInMessage } from './engine-signs.ts';
import type { JsonObject } from './json-value.ts';
import { statementsInHead, statementsInMessage } from './statements.ts';

export class EngineWords {
  readonly #configured: EngineName | undefined;
  #shown: EngineFacts | undefined;
  readonly #statements = new Map<string, number>();

  /** `fields` are those of the response head: names and values in turn. */
  constructor(configured: EngineName | undefined, fields: readonly string[]) {
    this.#configured = configured;
    this.#shown = engineInHead(fields);
    for (const [name, value] of statementsInHead(fields)) this.#note(name, value);
  }

  noteMessage(message: JsonObject): void {
    // A sign in the body is surer than one in the head, which any proxy can write.
    if (this.#shown?.by !== 'body') this.#shown = engineInMessage(message) ?? this.#shown;
    for (const [name, value] of statementsInMessage(message)) this.#note(name, value);
  }

  /** Undefined when nothing told. */
  engine(): EngineFacts | undefined {
    if (this.#configured === undefined) return this.#shown;
    const version = this.#shown?.name === this.#configured ? this.#shown.version : undefined;
    return { name: this.#configured, by: 'configured', ...(version === undefined ? {} : { version }) };
  }

  /** Undefined when nothing was stated. */
  statements(): Statements | undefined {
    return this.#statements.size === 0 ? undefined : Object.fromEntries(this.#statements);
  }

  /** The last number of a field counts: running ones end with their total. */
  #note(name: string, value: number): void {
    if (this.#statements.has(name) || this.#statements.size < STATEMENTS_MAX_COUNT) this.#statements.set(name, value);
  }
}
