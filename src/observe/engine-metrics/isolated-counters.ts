// Evidence from an engine's aggregates, where an aggregate is of one request only: between two polls that
// stand around an exchange the engine counted exactly one observation, and ours was surely made in
// between, so the sum grew by ours. One more request of anybody and the count says so.
//
//   poll ──── the exchange's observation ──── poll        count +1, sum + the length
//     ▲ answered before it can have been made   ▲ asked when it must have been made
import { nowNs } from '../../base/clock.ts';
import { ENDS_KEPT_COUNT } from '../../base/poll-limits.ts';
import { gatherEvidence } from '../../evidence/table.ts';
import { defined } from '../../measure/defined.ts';
import type { Evidence } from '../../record/stream-record.ts';
import type { EndedExchange, LateSource } from '../late-evidence.ts';
import type { ObservedAt } from './table-shape.ts';
import { meanOf, type Poll } from './window.ts';

/** What has been seen of one engine's counters. */
export interface PollHistory {
  /** Good polls, the latest last. */
  readonly polls: readonly Poll[];
  /** When the latest poll was asked that failed after the last good one. */
  readonly failedAskedAtNs: number | undefined;
  askSoon(delayMs: number): void;
}

export interface IsolatedCountersOptions {
  /** By route; read at each question. */
  readonly targets: ReadonlyMap<string, PollHistory>;
  /** Routes of the exchanges now open, one an exchange. */
  readonly openRoutes: () => Iterable<string>;
}

const NAME = 'isolated-counters';
const NS_PER_MS = 1e6;
/** An engine's own books may follow a little after the bytes it sent. */
const BOOKED_WITHIN_NS = 50 * NS_PER_MS;
/** A poll is asked for so soon after an end: late enough for the books, early enough to be alone. */
const ASK_AFTER_MS = 100;
/** After that the engine is taken not to have observed the exchange at all. */
const GIVE_UP_AFTER_NS = 1_200 * NS_PER_MS;
/** What our clock and the engine's may differ by over one wait. */
const TOLERANCE_NS = 2 * NS_PER_MS;
/** And over a whole answer, whose last bytes may have been on their way for a while. */
const LENGTH_TOLERANCE_NS = 20 * NS_PER_MS;
/** Exchanges under consideration; only those that were alone come here, so there are few. */
const PENDING_MAX_COUNT = 256;

interface End {
  readonly id: string;
  readonly openedAtNs: number;
  readonly endedAtNs: number;
}

interface Pending {
  readonly exchange: EndedExchange;
  readonly target: PollHistory;
  /** Undefined while it is open what the counters say. */
  verdict: readonly Evidence[] | undefined;
}

/** What the counters say of one length: nothing yet, nothing at all, or the length. */
type Finding = 'open' | 'none' | number;

export class IsolatedCounters implements LateSource {
  readonly name = NAME;
  readonly #options: IsolatedCountersOptions;
  readonly #ends = new WeakMap<PollHistory, End[]>();
  readonly #pending = new Map<string, Pending>();

  constructor(options: IsolatedCountersOptions) {
    this.#options = options;
  }

  onEnded(exchange: EndedExchange): void {
    const target = this.#options.targets.get(exchange.route);
    if (target === undefined || target.polls.length === 0) return;
    const { id, openedAtNs, endedAtNs } = exchange;
    const ends = this.#endsOf(target);
    ends.push({ id, openedAtNs, endedAtNs });
    if (ends.length > ENDS_KEPT_COUNT) ends.shift();
    if (!isWanted(exchange, target) || !this.#wasAlone(target)) return;
    this.#pending.set(id, { exchange, target, verdict: undefined });
    this.#forgetOldest();
    target.askSoon(ASK_AFTER_MS);
  }

  evidenceFor({ id }: EndedExchange): readonly Evidence[] {
    const pending = this.#pending.get(id);
    if (pending === undefined) return [];
    pending.verdict ??= this.#judge(pending);
    return pending.verdict ?? [];
  }

  awaits({ id }: EndedExchange): boolean {
    const pending = this.#pending.get(id);
    return pending !== undefined && pending.verdict === undefined;
  }

  #judge({ exchange, target }: Pending): readonly Evidence[] | undefined {
    const queue = this.#find('queue', exchange, target);
    const prefill = this.#find('prefill', exchange, target);
    if (queue === 'open' || prefill === 'open') {
      if (nowNs() - exchange.endedAtNs > GIVE_UP_AFTER_NS) return [];
      target.askSoon(ASK_AFTER_MS);
      return undefined;
    }
    const queueNs = typeof queue === 'number' ? queue : undefined;
    const prefillNs = typeof prefill === 'number' ? prefill : undefined;
    if (queueNs === undefined && prefillNs === undefined) return [];
    const { requestSentAtNs = 0, firstTokenAtNs = 0 } = exchange.subject;
    // Longer than we waited ourselves: then it was somebody else's.
    if ((queueNs ?? 0) + (prefillNs ?? 0) > firstTokenAtNs - requestSentAtNs + TOLERANCE_NS) return [];
    const definition = target.polls.at(-1)?.reading.definition;
    return [{ source: NAME, basis: 'exact', ...defined({ definition, queueNs, prefillNs }) }];
  }

  #find(name: 'queue' | 'prefill', exchange: EndedExchange, target: PollHistory): Finding {
    const { polls } = target;
    const observedAt = polls.at(-1)?.reading[name]?.observedAt;
    if (observedAt === undefined) return 'none';
    const { notBeforeNs, notAfterNs } = boundsOf(exchange, observedAt);
    const before = polls.findLast(({ answeredAtNs }) => answeredAtNs <= notBeforeNs);
    if (before === undefined) return 'none';
    for (const after of polls.filter(({ askedAtNs }) => askedAtNs >= notAfterNs)) {
      const grown = meanOf(before, after, name);
      if (grown === undefined || grown.count > 1) return 'none';
      if (grown.count === 1) return this.#lengthOf(grown.sumS, { exchange, target, before, after, observedAt });
    }
    return (target.failedAskedAtNs ?? 0) >= notAfterNs ? 'none' : 'open';
  }

  #lengthOf(lengthS: number, interval: Interval): Finding {
    const lengthNs = Math.round(lengthS * 1e9);
    // An engine that has not measured a length books 0, so 0 is no length.
    if (lengthNs <= 0 || !isOurs(interval)) return 'none';
    return this.#hadCompany(interval) ? 'none' : lengthNs;
  }

  /** Another exchange of ours may have been observed between the polls, whatever the count says. */
  #hadCompany({ exchange, target, before, after, observedAt }: Interval): boolean {
    const ends = this.#endsOf(target);
    const fromNs = before.askedAtNs - BOOKED_WITHIN_NS;
    // Who has forgotten ends cannot say that there were none.
    if (ends.length === ENDS_KEPT_COUNT && (ends[0]?.endedAtNs ?? 0) > fromNs) return true;
    return ends.some(({ id, openedAtNs, endedAtNs }) => {
      if (id === exchange.id || endedAtNs < fromNs) return false;
      return (observedAt === 'finish' ? endedAtNs : openedAtNs) <= after.answeredAtNs;
    });
  }

  #wasAlone(target: PollHistory): boolean {
    for (const route of this.#options.openRoutes()) if (this.#options.targets.get(route) === target) return false;
    return true;
  }

  #endsOf(target: PollHistory): End[] {
    const known = this.#ends.get(target) ?? [];
    this.#ends.set(target, known);
    return known;
  }

  #forgetOldest(): void {
    if (this.#pending.size <= PENDING_MAX_COUNT) return;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined) this.#pending.delete(oldest);
  }
}

interface Interval {
  readonly exchange: EndedExchange;
  readonly target: PollHistory;
  readonly before: Poll;
  readonly after: Poll;
  readonly observedAt: ObservedAt;
}

/** The one request that the engine finished took as long as ours, where it says how long. */
function isOurs({ exchange, before, after, observedAt }: Interval): boolean {
  const whole = observedAt === 'finish' ? meanOf(before, after, 'whole') : undefined;
  if (whole === undefined) return true;
  const { requestSentAtNs = 0, firstTokenAtNs = 0, lastTokenAtNs = firstTokenAtNs } = exchange.subject;
  const wholeNs = whole.sumS * 1e9;
  const leastNs = lastTokenAtNs - firstTokenAtNs - LENGTH_TOLERANCE_NS;
  const mostNs = exchange.endedAtNs - exchange.openedAtNs - requestSentAtNs + LENGTH_TOLERANCE_NS;
  return whole.count === 1 && wholeNs >= leastNs && wholeNs <= mostNs;
}

/** One answer to one client that ended well, of which neither length nor both are stated elsewhere. */
function isWanted({ ok, subject }: EndedExchange, target: PollHistory): boolean {
  const { streamed, choiceCount, requestSentAtNs, firstTokenAtNs } = subject;
  if (!ok || !streamed || choiceCount > 1 || requestSentAtNs === undefined || firstTokenAtNs === undefined)
    return false;
  const reading = target.polls.at(-1)?.reading;
  if (reading?.queue?.observedAt === undefined && reading?.prefill?.observedAt === undefined) return false;
  const stated = gatherEvidence(subject).filter(({ basis }) => basis === 'exact');
  return (
    stated.every(({ queueNs }) => queueNs === undefined) || stated.every(({ prefillNs }) => prefillNs === undefined)
  );
}

/** Between which moments the engine has surely observed the exchange. */
function boundsOf({ openedAtNs, endedAtNs, subject }: EndedExchange, observedAt: ObservedAt) {
  const { requestSentAtNs = 0, firstTokenAtNs = 0, lastTokenAtNs = 0 } = subject;
  if (observedAt === 'start') {
    return { notBeforeNs: openedAtNs + requestSentAtNs, notAfterNs: openedAtNs + firstTokenAtNs + BOOKED_WITHIN_NS };
  }
  // Whoever has more tokens to come is not finished; of an answer in one piece only its request is earlier.
  const unfinishedAtNs = lastTokenAtNs > firstTokenAtNs ? firstTokenAtNs : requestSentAtNs;
  return { notBeforeNs: openedAtNs + unfinishedAtNs, notAfterNs: endedAtNs + BOOKED_WITHIN_NS };
}
