// The sink behind /api/summary: per class, what the recent exchanges were like. Bounded: the latest
// thousand exchanges and the latest sixteen thousand gaps of a class; counts are since the start.
import type { Outcome } from '../base/outcome.ts';
import { SUMMARY_EXCHANGES_MAX_COUNT, SUMMARY_GAPS_MAX_COUNT } from '../base/limits.ts';
import type { Report, Sink } from '../judge/report.ts';
import { TTFT_PARTS, ttftParts, type TtftPart } from '../measure/ttft-split.ts';
import { RecentValues, type Spread } from './recent-values.ts';

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

/** Spreads of lengths; one that has no values is absent. */
export interface ClassSummary {
  readonly class: string;
  /** Since the start. */
  readonly exchangeCount: number;
  readonly outcomeCounts: Partial<Record<Outcome, number>>;
  readonly gapCount: number;
  readonly stallCount: number;
  /** Of the recent exchanges. */
  readonly ttft?: Spread;
  readonly ttftParts: Partial<Record<TtftPart, Spread>>;
  readonly ttfo?: Spread;
  readonly tpot?: Spread;
  readonly duration?: Spread;
  /** Recent gaps of all exchanges together, as received. */
  readonly gap?: Spread;
  /** The worst gap of each recent exchange. */
  readonly gapMax?: Spread;
  readonly worst?: WorstStream;
}

export interface Summary {
  readonly classes: readonly ClassSummary[];
}

export interface SummarySink extends Sink {
  read(): Summary;
}

const LENGTHS = ['ttft', 'ttfo', 'tpot', 'duration', 'gapMax'] as const;
type Length = (typeof LENGTHS)[number];

export function createSummary(): SummarySink {
  const classes = new Map<string, ClassMemory>();
  const memoryOf = (name: string): ClassMemory => {
    const known = classes.get(name);
    if (known !== undefined) return known;
    const made = new ClassMemory();
    classes.set(name, made);
    return made;
  };
  return {
    name: 'summary',
    onGap(labels, point, gapNs, stalled) {
      if (point === 'received') memoryOf(labels.class).addGap(gapNs, stalled);
    },
    onReport(report) {
      memoryOf(report.labels.class).addReport(report);
    },
    read: () => ({ classes: [...classes].sort().map(([name, memory]) => memory.read(name)) }),
  };
}

class ClassMemory {
  readonly #lengths: Record<Length, RecentValues>;
  readonly #parts: Record<TtftPart, RecentValues>;
  readonly #gaps = new RecentValues(SUMMARY_GAPS_MAX_COUNT);
  readonly #outcomeCounts: Partial<Record<Outcome, number>> = {};
  /** Worst gaps of the recent exchanges, oldest first: a worst of all times would never leave the page. */
  #streams: WorstStream[] = [];
  #exchangeCount = 0;
  #gapCount = 0;
  #stallCount = 0;

  constructor() {
    this.#lengths = fresh(LENGTHS);
    this.#parts = fresh(TTFT_PARTS);
  }

  addGap(gapNs: number, stalled: boolean): void {
    this.#gaps.add(gapNs);
    this.#gapCount += 1;
    if (stalled) this.#stallCount += 1;
  }

  addReport(report: Report): void {
    const { figures, record } = report;
    const { outcome } = record.end;
    this.#exchangeCount += 1;
    this.#outcomeCounts[outcome] = (this.#outcomeCounts[outcome] ?? 0) + 1;
    this.#lengths.ttft.add(figures.ttftNs);
    this.#lengths.ttfo.add(figures.ttfoNs);
    this.#lengths.tpot.add(figures.tpotNs);
    this.#lengths.duration.add(figures.durationNs);
    this.#lengths.gapMax.add(figures.gapsReceived.maxNs);
    if (figures.split !== undefined)
      for (const { part, partNs } of ttftParts(figures.split)) this.#parts[part].add(partNs);
    if (figures.gapsReceived.maxNs !== undefined) this.#rememberStream(report, figures.gapsReceived.maxNs);
  }

  read(name: string): ClassSummary {
    const [worst] = this.#streams.toSorted((a, b) => b.gapMaxNs - a.gapMaxNs);
    const gap = this.#gaps.spread();
    return {
      class: name,
      exchangeCount: this.#exchangeCount,
      outcomeCounts: { ...this.#outcomeCounts },
      gapCount: this.#gapCount,
      stallCount: this.#stallCount,
      ...spreads(this.#lengths),
      ttftParts: spreads(this.#parts),
      ...(gap !== undefined && { gap }),
      ...(worst !== undefined && { worst }),
    };
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
    if (this.#streams.length > SUMMARY_EXCHANGES_MAX_COUNT) this.#streams.shift();
  }
}

function fresh<Name extends string>(names: readonly Name[]): Record<Name, RecentValues> {
  const entries = names.map((name) => [name, new RecentValues(SUMMARY_EXCHANGES_MAX_COUNT)] as const);
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
