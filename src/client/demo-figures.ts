// Brings the reports of many exchanges together, class by class, into the numbers that the demo's
// summary shows. Percentiles come from values of exchanges or gaps, never from other percentiles
// except where the row says so. Knows no layout.
import { TAINT_CAUSES, type TaintCause } from '../measure/figures.ts';
import type { Split } from '../measure/figures.ts';
import { gapsReceived } from './record-gaps.ts';
import type { Report } from '../judge/report.ts';
import { spreadOf, type Spread } from './spread.ts';

/** The parts of a TTFT in the order in which they are shown. */
export const PARTS = ['queue', 'prefill', 'other', 'engine', 'network', 'rubato'] as const;
export type Part = (typeof PARTS)[number];

export interface ClassSummary {
  readonly name: string;
  readonly exchangeCount: number;
  /** Exchanges by outcome; outcomes that did not occur are absent. */
  readonly outcomeCounts: ReadonlyMap<string, number>;
  readonly ttft: Spread;
  readonly parts: Readonly<Record<Part, Spread>>;
  /** Every trusted gap of the class, as received. */
  readonly pooledGapsNs: readonly number[];
  readonly pooledGaps: Spread;
  /** Of each exchange's own percentiles the median: what one reader of the class typically sees. */
  readonly medianExchangeGaps: Spread;
  /** One value an exchange: its worst gap. */
  readonly worstGaps: Spread;
  readonly stallCount: number;
  readonly taintedCounts: Readonly<Record<TaintCause, number>>;
}

/** The exchange with the longest trusted gap of all. */
interface WorstStream {
  readonly report: Report;
  readonly gapNs: number;
  /** Row of the chunk at which the gap ends, and when, from the request's head on. */
  readonly chunk: number;
  readonly atNs: number;
}

export interface DemoSummary {
  /** The class with the most exchanges first. */
  readonly classes: readonly ClassSummary[];
  /** Outcomes that occurred, the most frequent first. */
  readonly outcomes: readonly string[];
  /** Splits by what queue and prefill rest on. */
  readonly basisCounts: Readonly<Record<Split['basis'], number>>;
  /** Parts `rubato` of all TTFTs. */
  readonly ownTtft: Spread;
  /** Read's first stamp → kernel accepted, the largest of each exchange. */
  readonly ownHoldMax: Spread;
  readonly worst: WorstStream | undefined;
}

export function summarise(reports: readonly Report[]): DemoSummary {
  const byClass = Map.groupBy(reports, (report) => report.labels.class);
  const classes = [...byClass].map(([name, members]) => summariseClass(name, members));
  classes.sort((a, b) => b.exchangeCount - a.exchangeCount || (a.name < b.name ? -1 : 1));
  const outcomes = [...countBy(reports, (report) => report.record.end.outcome)];
  outcomes.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const basisCounts = { exact: 0, model: 0, none: 0 };
  for (const { figures } of reports) if (figures.split !== undefined) basisCounts[figures.split.basis] += 1;
  return {
    classes,
    outcomes: outcomes.map(([outcome]) => outcome),
    basisCounts,
    ownTtft: spreadOf(present(reports, (report) => report.figures.split?.rubatoNs)),
    ownHoldMax: spreadOf(present(reports, (report) => report.figures.holdMaxNs)),
    worst: findWorst(reports),
  };
}

function summariseClass(name: string, reports: readonly Report[]): ClassSummary {
  const pooledGapsNs = reports.flatMap((report) => gapsReceived(report.record).map((gap) => gap.gapNs));
  const partOf = (part: Part): Spread => spreadOf(present(reports, (report) => report.figures.split?.[`${part}Ns`]));
  const taintedCounts = { gc: 0, loop: 0, cpu: 0, clock: 0, backpressure: 0 };
  for (const { figures } of reports) {
    for (const cause of TAINT_CAUSES) taintedCounts[cause] += figures.taintedCounts[cause];
  }
  return {
    name,
    exchangeCount: reports.length,
    outcomeCounts: countBy(reports, (report) => report.record.end.outcome),
    ttft: spreadOf(present(reports, (report) => report.figures.ttftNs)),
    parts: {
      queue: partOf('queue'),
      prefill: partOf('prefill'),
      other: partOf('other'),
      engine: partOf('engine'),
      network: partOf('network'),
      rubato: partOf('rubato'),
    },
    pooledGapsNs,
    pooledGaps: spreadOf(pooledGapsNs),
    medianExchangeGaps: {
      count: present(reports, (report) => report.figures.gapsReceived.p50Ns).length,
      p50: spreadOf(present(reports, (report) => report.figures.gapsReceived.p50Ns)).p50,
      p95: spreadOf(present(reports, (report) => report.figures.gapsReceived.p95Ns)).p50,
      p99: spreadOf(present(reports, (report) => report.figures.gapsReceived.p99Ns)).p50,
      max: undefined,
    },
    worstGaps: spreadOf(present(reports, (report) => report.figures.gapsReceived.maxNs)),
    stallCount: reports.reduce((sum, report) => sum + report.figures.stallCount, 0),
    taintedCounts,
  };
}

function findWorst(reports: readonly Report[]): WorstStream | undefined {
  let worst: WorstStream | undefined;
  for (const report of reports) {
    const gapNs = report.figures.gapsReceived.maxNs;
    if (gapNs === undefined || gapNs <= (worst?.gapNs ?? -1)) continue;
    const gap = gapsReceived(report.record).find((candidate) => candidate.gapNs === gapNs);
    if (gap !== undefined) worst = { report, gapNs, chunk: gap.chunk, atNs: gap.atNs };
  }
  return worst;
}

/** The values that exist; an exchange without one is left out, not counted as 0. */
function present(reports: readonly Report[], read: (report: Report) => number | undefined): number[] {
  return reports.map(read).filter((value) => value !== undefined);
}

function countBy(reports: readonly Report[], key: (report: Report) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const report of reports) counts.set(key(report), (counts.get(key(report)) ?? 0) + 1);
  return counts;
}
