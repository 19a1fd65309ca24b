// Ended exchanges whose evidence may still be on its way. Each is settled as soon as queue and prefill
// are known for sure, or no source expects more, or its time is up; at most UNSETTLED_MAX_COUNT wait.
import { nowNs } from '../base/clock.ts';
import { UNSETTLED_MAX_COUNT } from '../base/limits.ts';
import type { Evidence } from '../record/stream-record.ts';
import type { EndedExchange, LateSource } from './late-evidence.ts';

/** How often waiting exchanges are looked at. */
const LOOK_EVERY_MS = 50;

export interface Unsettled {
  readonly exchange: EndedExchange;
  /** What the answer itself told. */
  readonly evidence: readonly Evidence[];
  /** Evidence can still change a figure; without a first token there is no split to wait for. */
  readonly worthWaiting: boolean;
  /** Called exactly once, with all evidence. */
  settle(evidence: readonly Evidence[]): void;
}

export interface SettlementOptions {
  readonly sources: readonly LateSource[];
  readonly waitMs: number;
  readonly onFault: (source: string, fault: unknown) => void;
}

export class Settlement {
  readonly #options: SettlementOptions;
  readonly #waiting = new Map<Unsettled, number>();
  #timer: NodeJS.Timeout | undefined;
  /** Exchanges that were settled without their time because too many waited. */
  hurriedCount = 0;

  constructor(options: SettlementOptions) {
    this.#options = options;
  }

  add(unsettled: Unsettled): void {
    const { exchange } = unsettled;
    for (const source of this.#options.sources) this.#ask(source, () => source.onEnded?.(exchange));
    if (this.#trySettle(unsettled)) return;
    if (this.#waiting.size >= UNSETTLED_MAX_COUNT) {
      this.hurriedCount += 1;
      this.#settle(unsettled);
      return;
    }
    this.#waiting.set(unsettled, exchange.endedAtNs + this.#options.waitMs * 1e6);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Settles whatever waits, with what is known. */
  flush(): void {
    for (const unsettled of this.#waiting.keys()) this.#settle(unsettled);
    this.#rest();
  }

  #look(): void {
    const atNs = nowNs();
    for (const [unsettled, deadlineNs] of this.#waiting) {
      if (atNs >= deadlineNs) this.#settle(unsettled);
      else this.#trySettle(unsettled);
    }
    if (this.#waiting.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Settles it unless waiting can still bring something. */
  #trySettle(unsettled: Unsettled): boolean {
    const evidence = this.#allOf(unsettled);
    const wait = unsettled.worthWaiting && !isComplete(evidence) && this.#expected(unsettled.exchange);
    if (wait) return false;
    this.#settle(unsettled, evidence);
    return true;
  }

  #settle(unsettled: Unsettled, evidence = this.#allOf(unsettled)): void {
    this.#waiting.delete(unsettled);
    unsettled.settle(evidence);
  }

  #allOf({ exchange, evidence }: Unsettled): Evidence[] {
    const { sources } = this.#options;
    return [...evidence, ...sources.flatMap((source) => this.#ask(source, () => source.evidenceFor(exchange)) ?? [])];
  }

  #expected(exchange: EndedExchange): boolean {
    if (this.#options.waitMs === 0) return false;
    return this.#options.sources.some((source) => this.#ask(source, () => source.awaits(exchange)) === true);
  }

  /** A source that fails tells nothing, and stops nobody else. */
  #ask<Answer>(source: LateSource, question: () => Answer): Answer | undefined {
    try {
      return question();
    } catch (fault) {
      this.#options.onFault(source.name, fault);
      return undefined;
    }
  }
}

/** Queue and prefill are both stated by somebody who knows. */
function isComplete(evidence: readonly Evidence[]): boolean {
  const exact = evidence.filter(({ basis }) => basis === 'exact');
  return exact.some(({ queueNs }) => queueNs !== undefined) && exact.some(({ prefillNs }) => prefillNs !== undefined);
}
