// Sends one planned request and keeps its answer: body and fields, kept connections, limits of time. What an answer
// means is read by the same code as the probe's.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { LOAD_OPEN_MAX_COUNT } from '../../base/load-limits.ts';
import type { Manners } from '../probe/apis.ts';
import { ask, type Ask, type Asked } from '../probe/ask.ts';
import { keyFields, learnManners, pairFields } from '../probe/run-probe.ts';
import { troubleOf } from '../probe/trouble.ts';
import type { Trouble } from '../probe/result.ts';
import type { GivenUp } from './exchange-of.ts';
import type { LoadOptions } from './options.ts';
import type { Planned } from './plan.ts';
import type { TurnBound } from './turn-bound.ts';

/** Servers close kept connections after 5 s at the earliest; one that has rested longer than this is not trusted. */
const REST_MAX_MS = 2_000;
/** Requests in all, until an upstream takes what it is asked. */
const TRIES_COUNT = 3;
/** Everywhere here, as with most tokenizers of English. */
const CHARS_PER_TOKEN = 4;
const FILLING = 'and go on in the same measured voice, ';

export interface Answered {
  readonly asked: Asked;
  readonly givenUp: GivenUp;
  /** On the clock of this process. */
  readonly sentAtNs: number;
  readonly resentAfterNs: number;
  readonly traceId: string | undefined;
  readonly requestId: string | undefined;
}

type SenderOptions = Omit<LoadOptions, 'listener'>;

export class Sender {
  resentCount = 0;
  readonly #options: SenderOptions;
  readonly #bound: TurnBound;
  readonly #agent: HttpAgent | undefined;
  readonly #open = new Set<(why: GivenUp) => void>();
  #manners: Manners = { usage: true, completionTokens: false };

  constructor(options: SenderOptions, bound: TurnBound) {
    this.#options = options;
    this.#bound = bound;
    const isSecure = options.target.url.protocol === 'https:';
    const agentOptions = {
      keepAlive: true,
      maxSockets: Infinity,
      maxFreeSockets: LOAD_OPEN_MAX_COUNT,
      scheduling: 'lifo' as const,
      timeout: REST_MAX_MS,
    };
    if (!options.fresh) this.#agent = new (isSecure ? HttpsAgent : HttpAgent)(agentOptions);
  }

  /** Sends one request that is not counted, and learns from refusals; undefined when a stream came. */
  async check(planned: Planned): Promise<Trouble | undefined> {
    const { key, fields } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const { asked } = await this.send(planned);
      const before = this.#manners;
      this.#manners = learnManners(before, asked);
      if (this.#manners !== before && tries < TRIES_COUNT) continue;
      return troubleOf(
        asked,
        [key, ...Object.values(fields)].flatMap((secret) => secret ?? []),
      );
    }
  }

  async send(planned: Planned): Promise<Answered> {
    const { requestMaxMs, withIds } = this.#options;
    const ids = withIds ? pairFields() : {};
    const stop = new AbortController();
    let givenUp: GivenUp;
    const giveUp = (why: GivenUp): void => {
      givenUp ??= why;
      stop.abort();
    };
    const limit = requestMaxMs === undefined ? undefined : setTimeout(() => giveUp('total'), requestMaxMs);
    this.#open.add(giveUp);
    const request = this.#request(planned, ids, stop.signal);
    let asked = await ask(request);
    const sentAtNs = asked.openedAtNs;
    if (isStale(asked) && !stop.signal.aborted) {
      this.resentCount += 1;
      asked = await ask({ ...request, agent: undefined });
    }
    clearTimeout(limit);
    this.#open.delete(giveUp);
    const traceId = ids['traceparent']?.split('-')[1];
    // An answer that was over before we gave it up keeps its own end.
    const why = asked.record.end.wire === 'client_abort' ? givenUp : undefined;
    return {
      asked,
      givenUp: why,
      sentAtNs,
      resentAfterNs: asked.openedAtNs - sentAtNs,
      traceId,
      requestId: ids['x-request-id'],
    };
  }

  giveUpAll(why: GivenUp): void {
    for (const giveUp of this.#open) giveUp(why);
  }

  close(): void {
    this.#agent?.destroy();
  }

  #request(planned: Planned, ids: Readonly<Record<string, string>>, signal: AbortSignal): Ask {
    const { target, model, fields, extraBody, classHeader, tls, silenceMaxMs } = this.#options;
    const text = promptText(planned);
    const body = { ...target.api.body({ model, text, maxTokens: planned.outputTokens }, this.#manners), ...extraBody };
    return {
      id: `load-${planned.ordinal}`,
      url: target.url,
      fields: { ...keyFields(this.#options), [classHeader]: planned.class, ...ids, ...fields },
      body: JSON.stringify(body),
      model,
      tls,
      silenceMaxMs,
      signal,
      agent: this.#agent,
      bound: this.#bound,
    };
  }
}

/** The server had closed the kept connection before our request came: nobody has seen it. */
function isStale({ record }: Asked): boolean {
  return record.end.wire === 'upstream_closed_before_head' && record.connection?.reused === true;
}

function promptText({ seed, promptTokens }: Planned): string {
  const length = promptTokens * CHARS_PER_TOKEN;
  // The number stands first, so that no engine finds the rest in its cache.
  return `${seed.toString(36)} Tell me about stolen time, ${FILLING}`
    .padEnd(length, FILLING)
    .slice(0, Math.max(8, length));
}
