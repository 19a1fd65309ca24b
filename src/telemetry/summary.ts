// The sink behind /api/summary: per class, what the recent exchanges were like. Bounded: the latest
// thousand exchanges and the latest sixteen thousand gaps of a class; counts are since the start.
import type { Outcome } from '../base/outcome.ts';
import { nowMs } from '../base/clock.ts';
import { SUMMARY_EXCHANGES_MAX_COUNT, SUMMARY_GAPS_MAX_COUNT } from '../base/limits.ts';
import {
  SUMMARY_BUCKET_EXCHANGES_MAX_COUNT,
  SUMMARY_BUCKET_GAPS_MAX_COUNT,
  SUMMARY_BUCKETS_MAX_COUNT,
} from '../base/objective-limits.ts';
import type { Report, Sink } from '../judge/report.ts';
import { averagesWarning } from '../judge/slo/averages.ts';
import { TTFT_PARTS, ttftParts, type TtftPart } from '../measure/ttft-split.ts';
import { GoodputMemory, type GoodputState, type ObjectiveState } from './goodput-memory.ts';
import { PromptMemory, type PromptMemoryCaps, type PromptSummary } from './prompt-memory.ts';
import { RecentValues, type Spread } from './recent-values.ts';
import { TtftMemory, type BasisCounts, type TtftAt } from './ttft-memory.ts';

/** The exchange with the longest gap among the recent ones. */
export interface WorstStream {
  readonly id: string;
  readonly openedAtEpochMs: number;
  readonly model: string;
  readonly outcome: Outcome;
  readonly gapMaxNs: number;
  readonly ttftNs?: number;
  readonly traceId?: string;
}

/** Spreads of lengths of the recent exchanges; one that has no values is absent. */
export interface ClassSummary extends PromptSummary {
  readonly class: string;
  /** Since the start. */
  readonly exchangeCount: number;
  readonly outcomeCounts: Partial<Record<Outcome, number>>;
  readonly gapCount: number;
  readonly stallCount: number;
  readonly ttftParts: Partial<Record<TtftPart, Spread>>;
  /** Of recent exchanges; both absent as long as none had a TTFT. */
  readonly ttftAt?: TtftAt;
  readonly basisCounts?: BasisCounts;
  readonly ttfo?: Spread;
  readonly tpot?: Spread;
  readonly duration?: Spread;
  readonly worst?: WorstStream;
  /** The same by size of the prompt. */
  readonly promptBuckets: Readonly<Record<string, PromptSummary>>;
  /** What became of what was promised; empty where nothing was. */
  readonly objectives: readonly ObjectiveState[];
  readonly goodput?: GoodputState;
  /** What would be misread. */
  readonly warnings: readonly string[];
}

export interface Summary {
  readonly classes: readonly ClassSummary[];
}

export interface SummarySink extends Sink {
  read(): Summary;
  /** Recent gaps by class, as received and in no order. */
  gaps(): readonly { readonly class: string; readonly gapsNs: readonly number[] }[];
}

const LENGTHS = ['ttfo', 'tpot', 'duration'] as const;
type Length = (typeof LENGTHS)[number];

const OF_CLASS = { exchangeCount: SUMMARY_EXCHANGES_MAX_COUNT, gapCount: SUMMARY_GAPS_MAX_COUNT };
const OF_BUCKET = {
  exchangeCount: SUMMARY_BUCKET_EXCHANGES_MAX_COUNT,
  gapCount: SUMMARY_BUCKET_GAPS_MAX_COUNT,
};

/** `clockMs` is a clock that only moves forward; `caps` say how many exchanges and gaps of each class are "recent". */
export function createSummary(clockMs: () => number = nowMs, caps: PromptMemoryCaps = OF_CLASS): SummarySink {
  const classes = new Map<string, ClassMemory>();
  const memoryOf = (name: string): ClassMemory => {
    const known = classes.get(name);
    if (known !== undefined) return known;
    const made = new ClassMemory(clockMs(), caps);
    classes.set(name, made);
    return made;
  };
  return {
    name: 'summary',
    onGap(labels, point, gapNs, stalled) {
      if (point === 'received') memoryOf(labels.class).addGap(labels.promptBucket, gapNs, stalled);
    },
    onReport(report) {
      memoryOf(report.labels.class).addReport(report, clockMs());
    },
    read() {
      const atMs = clockMs();
      return { classes: byName(classes).map(([name, memory]) => memory.read(name, atMs)) };
    },
    gaps: () => byName(classes).map(([name, memory]) => ({ class: name, gapsNs: memory.gapsNs })),
  };
}

function byName(classes: ReadonlyMap<string, ClassMemory>): (readonly [string, ClassMemory])[] {
  return [...classes].sort(([a], [b]) => (a < b ? -1 : 1));
}

class ClassMemory {
  readonly #lengths: Record<Length, RecentValues>;
  readonly #parts: Record<TtftPart, RecentValues>;
  readonly #whole: PromptMemory;
  readonly #buckets = new Map<string, PromptMemory>();
  readonly #ttfts: TtftMemory;
  readonly #goodput: GoodputMemory;
  readonly #outcomeCounts: Partial<Record<Outcome, number>> = {};
  /** Worst gaps of the recent exchanges, oldest first: a worst of all times would never leave the page. */
  #streams: WorstStream[] = [];
  readonly #exchangesMaxCount: number;
  #exchangeCount = 0;
  #gapCount = 0;
  #stallCount = 0;

  constructor(startMs: number, caps: PromptMemoryCaps) {
    this.#exchangesMaxCount = caps.exchangeCount;
    this.#whole = new PromptMemory(caps);
    this.#ttfts = new TtftMemory(caps.exchangeCount);
    this.#goodput = new GoodputMemory(startMs);
    this.#lengths = fresh(LENGTHS, caps.exchangeCount);
    this.#parts = fresh(TTFT_PARTS, caps.exchangeCount);
  }

  addGap(bucket: string, gapNs: number, stalled: boolean): void {
    this.#whole.addGap(gapNs);
    this.#bucket(bucket).addGap(gapNs);
    this.#gapCount += 1;
    if (stalled) this.#stallCount += 1;
  }

  addReport(report: Report, atMs: number): void {
    const { figures, record } = report;
    this.#whole.addReport(report);
    this.#bucket(report.labels.promptBucket).addReport(report);
    this.#goodput.add(report, atMs);
    this.#ttfts.add(report);
    const { outcome } = record.end;
    this.#exchangeCount += 1;
    this.#outcomeCounts[outcome] = (this.#outcomeCounts[outcome] ?? 0) + 1;
    this.#lengths.ttfo.add(figures.ttfoNs);
    this.#lengths.tpot.add(figures.tpotNs);
    this.#lengths.duration.add(figures.durationNs);
    if (figures.split !== undefined)
      for (const { part, partNs } of ttftParts(figures.split)) this.#parts[part].add(partNs);
    if (figures.gapsReceived.maxNs !== undefined) this.#rememberStream(report, figures.gapsReceived.maxNs);
  }

  get gapsNs(): readonly number[] {
    return this.#whole.gapsNs;
  }

  read(name: string, atMs: number): ClassSummary {
    const [worst] = this.#streams.toSorted((a, b) => b.gapMaxNs - a.gapMaxNs);
    const { ownNs, pooledNs } = this.#whole.gapP99s();
    const warning = averagesWarning(99, ownNs, pooledNs);
    const goodput = this.#goodput.goodput(atMs);
    return {
      class: name,
      exchangeCount: this.#exchangeCount,
      outcomeCounts: { ...this.#outcomeCounts },
      gapCount: this.#gapCount,
      stallCount: this.#stallCount,
      ...this.#whole.read(),
      ...spreads(this.#lengths),
      ttftParts: spreads(this.#parts),
      ...this.#ttfts.read(),
      ...(worst !== undefined && { worst }),
      promptBuckets: Object.fromEntries([...this.#buckets].sort().map(([bucket, memory]) => [bucket, memory.read()])),
      objectives: this.#goodput.objectives(atMs),
      ...(goodput !== undefined && { goodput }),
      warnings: warning === undefined ? [] : [warning],
    };
  }

  /** Names are a closed set, but each reload may close it elsewhere: the oldest make room. */
  #bucket(name: string): PromptMemory {
    const known = this.#buckets.get(name);
    if (known !== undefined) return known;
    const made = new PromptMemory(OF_BUCKET);
    this.#buckets.set(name, made);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > SUMMARY_BUCKETS_MAX_COUNT && oldest !== undefined) this.#buckets.delete(oldest);
    return made;
  }

  #rememberStream({ record, figures, labels }: Report, gapMaxNs: number): void {
    this.#streams.push({
      id: record.id,
      openedAtEpochMs: record.openedAtEpochMs,
      model: labels.model,
      outcome: record.end.outcome,
      gapMaxNs,
      ...(figures.ttftNs !== undefined && { ttftNs: figures.ttftNs }),
      ...(record.trace?.sampled === true && { traceId: record.trace.traceId }),
    });
    if (this.#streams.length > this.#exchangesMaxCount) this.#streams.shift();
  }
}

function fresh<Name extends string>(names: readonly Name[], maxCount: number): Record<Name, RecentValues> {
  const entries = names.map((name) => [name, new RecentValues(maxCount)] as const);
  return Object.fromEntries(entries) as Record<Name, RecentValues>;
}

/** The spreads of those that have values. */
function spreads<Name extends string>(values: Record<Name, RecentValues>): Partial<Record<Name, Spread>> {
  const result: Partial<Record<Name, Spread>> = {};
  for (const name of Object.keys(values) as Name[]) {
    const spread = values[name].spread();
    if (spread !== undefined) result[name] = spread;
  }
  return result;
}
