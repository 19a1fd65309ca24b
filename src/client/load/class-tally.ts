// The figures of one class, gathered while the run goes on: bounded, whatever its length. Knows no clock.
import { defined } from '../../measure/defined.ts';
import { LOAD_EXACT_GAPS_MAX_COUNT, LOAD_EXACT_MAX_COUNT } from '../../base/load-limits.ts';
import type { BothClocks, ClassFigures, LoadExchange } from './result.ts';
import { Tally } from './tally.ts';

const NS_PER_S = 1e9;

class TwoClocks {
  readonly #fromDue = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #fromSent = new Tally(LOAD_EXACT_MAX_COUNT);

  add(lengthNs: number | undefined, waitNs: number): void {
    if (lengthNs === undefined) return;
    this.#fromDue.add(lengthNs + waitNs);
    this.#fromSent.add(lengthNs);
  }

  read(): BothClocks {
    return { fromDue: this.#fromDue.spread(), fromSent: this.#fromSent.spread() };
  }
}

export class ClassTally {
  readonly #name: string;
  readonly #ttft = new TwoClocks();
  readonly #ttfo = new TwoClocks();
  readonly #duration = new TwoClocks();
  readonly #ttftOfAll = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #durationOfAll = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #gaps = new Tally(LOAD_EXACT_GAPS_MAX_COUNT);
  readonly #gapMax = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #gapP99 = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #tpot = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #wait = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #outcomeCounts = new Map<string, number>();
  #sentCount = 0;
  #stallCount = 0;
  #taintedCount = 0;
  #textEventCount = 0;
  #outputTokenCount = 0;
  #unstatedCount = 0;
  #judgedCount = 0;
  #goodCount = 0;
  #goodTokenCount = 0;
  #firstAtNs = Infinity;
  #lastAtNs = -Infinity;

  constructor(name: string) {
    this.#name = name;
  }

  add(exchange: LoadExchange): void {
    const { waitNs, ttftNs, durationNs, outcome, outputTokens } = exchange;
    const isOk = outcome === 'ok';
    this.#sentCount += 1;
    this.#outcomeCounts.set(outcome, (this.#outcomeCounts.get(outcome) ?? 0) + 1);
    this.#ttft.add(ttftNs, waitNs);
    this.#ttfo.add(exchange.ttfoNs, waitNs);
    if (isOk) this.#duration.add(durationNs, waitNs);
    addOrNever(this.#ttftOfAll, ttftNs, waitNs);
    addOrNever(this.#durationOfAll, isOk ? durationNs : undefined, waitNs);
    for (const gapNs of exchange.gapsNs) this.#gaps.add(gapNs);
    addKnown(this.#gapMax, exchange.gapMaxNs);
    addKnown(this.#gapP99, exchange.gapP99Ns);
    addKnown(this.#tpot, exchange.tpotNs);
    this.#wait.add(waitNs);
    this.#stallCount += exchange.stallCount;
    this.#taintedCount += exchange.taintedCount;
    this.#textEventCount += exchange.textEventCount;
    this.#outputTokenCount += outputTokens ?? 0;
    if (outputTokens === undefined && ttftNs !== undefined) this.#unstatedCount += 1;
    if (exchange.good !== undefined) this.#judgedCount += 1;
    if (exchange.good === 'true') {
      this.#goodCount += 1;
      this.#goodTokenCount += outputTokens ?? 0;
    }
    this.#firstAtNs = Math.min(this.#firstAtNs, exchange.dueAtNs);
    this.#lastAtNs = Math.max(this.#lastAtNs, exchange.sentAtNs + durationNs);
  }

  /** Due, and not sent before the run was over. */
  addUnsent(): void {
    this.#ttftOfAll.addNever();
    this.#durationOfAll.addNever();
  }

  read(): ClassFigures {
    const spanNs = this.#sentCount === 0 ? 0 : this.#lastAtNs - this.#firstAtNs;
    const perSecond = (count: number): number | undefined => (spanNs > 0 ? (count * NS_PER_S) / spanNs : undefined);
    const hasPromise = this.#judgedCount > 0;
    const isStated = this.#outputTokenCount > 0;
    return {
      class: this.#name,
      sentCount: this.#sentCount,
      okCount: this.#outcomeCounts.get('ok') ?? 0,
      outcomeCounts: Object.fromEntries(this.#outcomeCounts),
      ttft: this.#ttft.read(),
      ttftOfAll: this.#ttftOfAll.spread(),
      ttfo: this.#ttfo.read(),
      duration: this.#duration.read(),
      durationOfAll: this.#durationOfAll.spread(),
      gaps: this.#gaps.spread(),
      gapMax: this.#gapMax.spread(),
      gapP99: this.#gapP99.spread(),
      tpot: this.#tpot.spread(),
      wait: this.#wait.spread(),
      stallCount: this.#stallCount,
      taintedCount: this.#taintedCount,
      textEventCount: this.#textEventCount,
      outputTokenCount: this.#outputTokenCount,
      unstatedCount: this.#unstatedCount,
      spanNs,
      ...defined({
        requestsPerSecond: perSecond(this.#outcomeCounts.get('ok') ?? 0),
        outputTokensPerSecond: isStated ? perSecond(this.#outputTokenCount) : undefined,
        goodCount: hasPromise ? this.#goodCount : undefined,
        goodTokenCount: hasPromise && isStated ? this.#goodTokenCount : undefined,
        goodPerSecond: hasPromise ? perSecond(this.#goodCount) : undefined,
        goodTokensPerSecond: hasPromise && isStated ? perSecond(this.#goodTokenCount) : undefined,
      }),
    };
  }
}

function addKnown(tally: Tally, lengthNs: number | undefined): void {
  if (lengthNs !== undefined) tally.add(lengthNs);
}

function addOrNever(tally: Tally, lengthNs: number | undefined, waitNs: number): void {
  if (lengthNs === undefined) tally.addNever();
  else tally.add(lengthNs + waitNs);
}
