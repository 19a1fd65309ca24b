// TensorRT-LLM's list of finished requests (`/perf_metrics`): exact times of each, told once to whoever
// reads first. Read after ends only, joined by the number that the answer's id ends in, and kept for a
// while, because a list is read for several exchanges at once.
import { nowNs } from '../../base/clock.ts';
import { PERF_ENTRIES_KEPT_MS, PERF_ENTRIES_MAX_COUNT, PERF_METRICS_BODY_MAX_BYTES } from '../../base/poll-limits.ts';
import type { Log } from '../../base/log.ts';
import type { PollFault } from '../../judge/engine-state.ts';
import type { Evidence } from '../../record/stream-record.ts';
import { asArray, asObject, parseJson, type JsonObject } from '../../stream/json-value.ts';
import type { EndedExchange, LateSource } from '../late-evidence.ts';
import type { MetricsClient } from './metrics-client.ts';
import { PollLoop } from './poll-loop.ts';
import { PollNotes } from './poll-notes.ts';

const NAME = 'perf-metrics';
const DEFINITION = 'arrival at the executor → first scheduled → first token';
const NS_PER_MS = 1e6;
/** The entry is written when the request is over, a little after its last bytes were sent. */
const ASK_AFTER_MS = 50;
/** After that the engine is taken not to list the request. */
const GIVE_UP_AFTER_NS = 1_500 * NS_PER_MS;
/** What our clock and the engine's may differ by over one wait. */
const TOLERANCE_NS = 2 * NS_PER_MS;

/** What the list says of one request. */
interface Entry {
  readonly queueNs: number;
  readonly prefillNs: number;
  readonly readAtNs: number;
}

export class PerfMetrics implements LateSource {
  readonly name = NAME;
  readonly #log: Log;
  readonly #lists = new Map<string, RequestList>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Reads these lists from now on, by route. One that the same client read before goes on as it is. */
  arrange(urls: ReadonlyMap<string, string>, client: MetricsClient): void {
    const before = [...this.#lists.values()];
    const byUrl = new Map(before.filter((list) => list.client === client).map((list) => [list.url, list]));
    this.#lists.clear();
    for (const [route, url] of urls) {
      const list = byUrl.get(url) ?? new RequestList(url, client, this.#log);
      byUrl.set(url, list);
      this.#lists.set(route, list);
    }
    const kept = new Set(this.#lists.values());
    for (const list of before) if (!kept.has(list)) list.close();
  }

  onEnded(exchange: EndedExchange): void {
    if (requestIdOf(exchange) !== undefined) this.#lists.get(exchange.route)?.askSoon();
  }

  evidenceFor(exchange: EndedExchange): readonly Evidence[] {
    const entry = this.#entryOf(exchange);
    if (entry === undefined) return [];
    const { queueNs, prefillNs } = entry;
    const { requestSentAtNs = 0, firstTokenAtNs = 0 } = exchange.subject;
    // Longer than we waited ourselves: another server's request with the same number.
    if (queueNs + prefillNs > firstTokenAtNs - requestSentAtNs + TOLERANCE_NS) return [];
    return [{ source: NAME, basis: 'exact', definition: DEFINITION, queueNs, prefillNs }];
  }

  awaits(exchange: EndedExchange): boolean {
    const list = this.#lists.get(exchange.route);
    if (list === undefined || requestIdOf(exchange) === undefined || this.#entryOf(exchange) !== undefined)
      return false;
    if (nowNs() - exchange.endedAtNs > GIVE_UP_AFTER_NS || list.failedAtNs > exchange.endedAtNs) return false;
    list.askSoon();
    return true;
  }

  /** Reads of a route's list that brought nothing. */
  faultCounts(route: string): ReadonlyMap<PollFault, number> | undefined {
    return this.#lists.get(route)?.faultCounts;
  }

  close(): void {
    for (const list of this.#lists.values()) list.close();
  }

  #entryOf(exchange: EndedExchange): Entry | undefined {
    const requestId = requestIdOf(exchange);
    const entry = requestId === undefined ? undefined : this.#lists.get(exchange.route)?.entry(requestId);
    // Read before this exchange began, it is of an earlier life of the server, which counts from the start again.
    return entry !== undefined && entry.readAtNs > exchange.openedAtNs ? entry : undefined;
  }
}

/** One server's list. */
class RequestList {
  readonly url: string;
  readonly client: MetricsClient;
  readonly #notes: PollNotes;
  readonly #loop = new PollLoop(
    () => this.#read(),
    (fault) => this.#notes.broke(fault),
  );
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  /** 0: never. */
  failedAtNs = 0;

  constructor(url: string, client: MetricsClient, log: Log) {
    this.url = url;
    this.client = client;
    this.#notes = new PollNotes(log, "the engine's list of finished requests");
  }

  get faultCounts(): ReadonlyMap<PollFault, number> {
    return this.#notes.counts;
  }

  askSoon(): void {
    this.#loop.soon(ASK_AFTER_MS);
  }

  entry(requestId: string): Entry | undefined {
    return this.#entries.get(requestId);
  }

  close(): void {
    this.#loop.close();
  }

  async #read(): Promise<void> {
    let text = '';
    const failure = await this.client.ask({
      url: this.url,
      maxBytes: PERF_METRICS_BODY_MAX_BYTES,
      onText: (piece) => {
        text += piece;
      },
    });
    const readAtNs = nowNs();
    const list = failure === undefined ? asArray(parseJson(text)) : undefined;
    if (list === undefined) {
      this.failedAtNs = readAtNs;
      this.#notes.failed(this.url, failure ?? { fault: 'no_metrics' });
      return;
    }
    this.#notes.good(this.url);
    for (const item of list) this.#keep(item, readAtNs);
    this.#forget(readAtNs);
  }

  #keep(item: unknown, readAtNs: number): void {
    const read = readEntry(item);
    if (read === undefined) return;
    // Put last, or a number that comes again would keep its old place in the order.
    this.#entries.delete(read.requestId);
    this.#entries.set(read.requestId, { queueNs: read.queueNs, prefillNs: read.prefillNs, readAtNs });
  }

  #forget(atNs: number): void {
    for (const [requestId, { readAtNs }] of this.#entries) {
      const isOld = atNs - readAtNs > PERF_ENTRIES_KEPT_MS * NS_PER_MS;
      if (!isOld && this.#entries.size <= PERF_ENTRIES_MAX_COUNT) return;
      this.#entries.delete(requestId);
    }
  }
}

/** The number behind the last hyphen of `chatcmpl-17`; ids that end in anything else are no numbers of requests. */
function requestIdOf({ responseId, subject }: EndedExchange): string | undefined {
  if (responseId === undefined || subject.firstTokenAtNs === undefined || subject.choiceCount > 1) return undefined;
  return /^[a-z]+-(\d{1,20})$/.exec(responseId)?.[1];
}

/** Undefined where a moment is missing or out of order: an unfinished or an ill-timed request. */
function readEntry(
  item: unknown,
): { readonly requestId: string; readonly queueNs: number; readonly prefillNs: number } | undefined {
  const { request_id: id, perf_metrics: metrics } = fieldsOf(item);
  const times = fieldsOf(fieldsOf(metrics)['timing_metrics']);
  const [arrivalS, scheduledS, tokenS] = ['arrival_time', 'first_scheduled_time', 'first_token_time'].map((name) =>
    momentOf(times[name]),
  );
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  if (arrivalS === undefined || scheduledS === undefined || tokenS === undefined) return undefined;
  if (scheduledS < arrivalS || tokenS < scheduledS) return undefined;
  return { requestId: String(id), queueNs: lengthNs(arrivalS, scheduledS), prefillNs: lengthNs(scheduledS, tokenS) };
}

function fieldsOf(value: unknown): JsonObject {
  return asObject(value) ?? {};
}

/** Seconds of a steady clock; 0 stands for a moment that has not come. */
function momentOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function lengthNs(fromS: number, toS: number): number {
  return Math.round((toS - fromS) * 1e9);
}
