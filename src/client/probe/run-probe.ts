// Runs a probe: finds the model, sends the streams, learns from a refusal what an upstream does not take, and
// gathers what came. Prints nothing.
import { randomBytes, randomUUID } from 'node:crypto';
import { epochMs } from '../../base/clock.ts';
import { judgeDelivery } from '../../judge/delivery/rules.ts';
import type { HopVerdict } from '../../judge/delivery/verdict.ts';
import { defined } from '../../measure/defined.ts';
import { measureRecord } from '../../measure/measure-record.ts';
import { type Manners, ownFields, type Target } from './apis.ts';
import { ask, type Ask, type Asked } from './ask.ts';
import { firstModel } from './list-models.ts';
import { momentsOf } from './moments.ts';
import { PROBE_SCHEMA, type ProbeResult, type ProbeStream } from './result.ts';
import { troubleOf } from './trouble.ts';
import { verdictOver } from './verdict.ts';
import type { UnpairedReason } from '../../record/hop-facts.ts';

/** Of what another rubato saw of the same stream. */
export interface SecondSight {
  readonly hop?: HopVerdict;
  readonly unpaired?: UnpairedReason;
}

export interface ProbeOptions {
  readonly target: Target;
  /** Absent: the first that the endpoint lists. */
  readonly model: string | undefined;
  readonly key: string | undefined;
  /** Fields of the user's own; they win. */
  readonly fields: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly count: number;
  readonly concurrency: number;
  readonly tls: Ask['tls'];
  readonly silenceMaxMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Looks for the other sight of a stream; with it, requests carry ids to be found by. */
  readonly pair?: ((asked: Asked, fields: Readonly<Record<string, string>>) => Promise<SecondSight>) | undefined;
  readonly listener: ProbeListener;
}

export interface ProbeListener {
  onBegin?(model: string): void;
  onStream?(index: number): void;
  onArrival?(index: number, atNs: number, textEventCount: number): void;
  onEnd?(index: number, stream: ProbeStream): void;
}

/** Model name of who lists none; servers with one model take any. */
const ANY_MODEL = 'default';
/** Requests in all for one stream, when a server refuses what others like. */
const TRIES_COUNT = 3;

export async function runProbe(options: ProbeOptions): Promise<ProbeResult> {
  const { target, count, concurrency, listener } = options;
  const startedAtEpochMs = epochMs();
  const model = await modelOf(options);
  listener.onBegin?.(model);
  const probe = new Probe(options, model);
  const streams: ProbeStream[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count && options.signal?.aborted !== true) {
      const index = next;
      next += 1;
      listener.onStream?.(index);
      const stream = await probe.stream(index);
      streams[index] = stream;
      listener.onEnd?.(index, stream);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, work));
  const { api, url } = target;
  const done = streams.filter((stream) => stream !== undefined);
  return {
    schema: PROBE_SCHEMA,
    url: `${url.origin}${url.pathname}`,
    api: api.name,
    model,
    startedAtEpochMs,
    concurrency,
    streams: done,
    ...defined({ verdict: verdictOver(done) }),
  };
}

type Endpoint = Pick<ProbeOptions, 'target' | 'model' | 'key' | 'fields' | 'tls' | 'silenceMaxMs'>;

/** The model that is asked for, else the first that the endpoint lists. */
export async function modelOf({ target, model, tls, silenceMaxMs, ...options }: Endpoint): Promise<string> {
  if (model !== undefined) return model;
  const fields = { ...keyFields({ target, ...options }), ...options.fields };
  return (await firstModel({ url: target.modelsUrl, fields, tls, silenceMaxMs })) ?? ANY_MODEL;
}

export function keyFields({ target, key }: Pick<ProbeOptions, 'target' | 'key'>): Record<string, string> {
  return { ...ownFields(target.api.name), ...(key === undefined ? {} : target.api.keyFields(key)) };
}

class Probe {
  readonly #options: ProbeOptions;
  readonly #model: string;
  #manners: Manners = { usage: true, completionTokens: false };

  constructor(options: ProbeOptions, model: string) {
    this.#options = options;
    this.#model = model;
  }

  async stream(index: number): Promise<ProbeStream> {
    const { key, fields, pair } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const sent = { ...keyFields(this.#options), ...fields, ...(pair === undefined ? {} : pairFields()) };
      const asked = await this.#ask(index, sent);
      if (tries < TRIES_COUNT && this.#learn(asked)) continue;
      const secrets = [key, ...Object.values(fields)].flatMap((secret) => secret ?? []);
      const trouble = troubleOf(asked, secrets);
      const second = pair === undefined || asked.record.response.status === undefined ? {} : await pair(asked, sent);
      return { ...streamOf(asked), ...second, ...defined({ trouble }) };
    }
  }

  #ask(index: number, fields: Readonly<Record<string, string>>): Promise<Asked> {
    const { target, prompt, maxTokens, tls, silenceMaxMs, signal, listener } = this.#options;
    const body = target.api.body({ model: this.#model, text: prompt, maxTokens }, this.#manners);
    return ask({
      id: `probe-${index + 1}`,
      url: target.url,
      fields,
      body: JSON.stringify(body),
      model: this.#model,
      tls,
      silenceMaxMs,
      signal,
      onArrival: (atNs, textEventCount) => listener.onArrival?.(index, atNs, textEventCount),
    });
  }

  /** True when the refusal names something that the next request can go without. */
  #learn(asked: Asked): boolean {
    const before = this.#manners;
    this.#manners = learnManners(before, asked);
    return this.#manners !== before;
  }
}

/** What a refusal names that the next request can go without; the same object when it names nothing new. */
export function learnManners(before: Manners, { record, bodyStart }: Asked): Manners {
  const { status } = record.response;
  if (status !== 400 && status !== 422) return before;
  if (bodyStart.includes('max_completion_tokens')) {
    return before.completionTokens ? before : { ...before, completionTokens: true };
  }
  if (bodyStart.includes('stream_options')) return before.usage ? { ...before, usage: false } : before;
  return before;
}

/** A trace that nobody samples, and a request id: by either another rubato finds the stream. */
export function pairFields(): Record<string, string> {
  const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
  return { traceparent: `00-${hex(16)}-${hex(8)}-00`, 'x-request-id': `rubato-probe-${randomUUID()}` };
}

function streamOf({ record }: Asked): ProbeStream {
  const { response, answer, tokens, chunks, events } = record;
  const figures = measureRecord(record);
  return {
    id: record.id,
    outcome: record.end.outcome,
    ...defined({
      status: response.status,
      mediaType: response.mediaType,
      encoding: response.encoding,
      hopSigns: response.hopSigns,
      outputTokenCount: tokens.output,
      delivery: judgeDelivery(record),
    }),
    moments: momentsOf(record, figures),
    readCount: new Set(chunks.receivedAtNs).size,
    eventCount: Object.values(answer.eventCounts).reduce((sum, count) => sum + count, 0),
    textEventCount: events.generated.filter((channels) => channels !== 0).length,
    receivedBytes: response.receivedBytes,
    figures,
  };
}
