// The CSV of a sweep: one line a step and class, and one of all classes where there are several. Lengths in ms, what
// is unknown is an empty cell, and `never` says that so large a share failed. Pure.
import { ms, quoted, text } from './csv.ts';
import type { ClassFigures, LoadResult } from './result.ts';
import type { Rank, TallySpread } from './tally.ts';
import { wholeVerdict } from './verdicts.ts';

const RANKS = { p50: 'p50Ns', p95: 'p95Ns', p99: 'p99Ns', max: 'maxNs' } as const;

/** What tells one run of several from the others: how many at a time, or the value of a setting. */
export interface Step {
  readonly name: string;
  readonly value: string;
}

export interface StepRow {
  readonly value: string;
  readonly figures: ClassFigures;
  readonly result: LoadResult;
  /** Of the whole step: what a peer saw is not told by class. */
  readonly isWhole: boolean;
}

export function stepRows(value: string, result: LoadResult): StepRow[] {
  const { classes, all } = result;
  const rows = classes.map((figures) => ({ value, figures, result, isWhole: classes.length === 1 }));
  return all === undefined ? rows : [...rows, { value, figures: all, result, isWhole: true }];
}

const rank = (value: Rank | undefined): string => (value === 'never' ? value : ms(value));
const rate = (perSecond: number | undefined): string => (perSecond === undefined ? '' : perSecond.toFixed(3));

type Cell = (row: StepRow) => string;

/** Four columns of one figure. */
function spread(name: string, of: (row: StepRow) => TallySpread | undefined): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(RANKS).map(([short, key]): [string, Cell] => [`${name}_${short}_ms`, (row) => rank(of(row)?.[key])]),
  );
}

/** Columns behind that of the step, in their order, with what each holds. */
const COLUMNS: Readonly<Record<string, Cell>> = {
  class: ({ figures }) => figures.class,
  sent: ({ figures }) => text(figures.sentCount),
  ok: ({ figures }) => text(figures.okCount),
  not_sent: ({ figures }) => text(figures.ttftOfAll.count - figures.sentCount),
  ok_per_s: ({ figures }) => rate(figures.requestsPerSecond),
  output_tokens_per_s: ({ figures }) => rate(figures.outputTokensPerSecond),
  good: ({ figures }) => text(figures.goodCount),
  good_per_s: ({ figures }) => rate(figures.goodPerSecond),
  objectives_met: ({ figures, result, isWhole }) =>
    text(wholeVerdict(isWhole ? result.verdicts : result.verdicts.filter((one) => one.class === figures.class))),
  ...spread('ttft_from_due', ({ figures }) => figures.ttft.fromDue),
  ...spread('ttft_from_sent', ({ figures }) => figures.ttft.fromSent),
  ...spread('ttft_of_all', ({ figures }) => figures.ttftOfAll),
  ...spread('gap', ({ figures }) => figures.gaps),
  ...spread('worst_gap', ({ figures }) => figures.gapMax),
  ...spread('tpot', ({ figures }) => figures.tpot),
  ...spread('duration_from_due', ({ figures }) => figures.duration.fromDue),
  ...spread('duration_from_sent', ({ figures }) => figures.duration.fromSent),
  gap_count: ({ figures }) => text(figures.gaps.count),
  stalls: ({ figures }) => text(figures.stallCount),
  gaps_left_out: ({ figures }) => text(figures.taintedCount),
  output_tokens: ({ figures }) => text(figures.outputTokenCount > 0 ? figures.outputTokenCount : undefined),
  peer_found: ({ result, isWhole }) => text(isWhole ? result.peer?.matchedCount : undefined),
  ...spread('peer_ttft_added', ({ result, isWhole }) => (isWhole ? result.peer?.ttftAdded : undefined)),
  ...spread('peer_worst_gap_added', ({ result, isWhole }) => (isWhole ? result.peer?.gapMaxAdded : undefined)),
};

export function stepsHead(step: string): string {
  return [quoted(step), ...Object.keys(COLUMNS)].join(',');
}

export function stepLine(row: StepRow): string {
  return [row.value, ...Object.values(COLUMNS).map((cell) => cell(row))].map(quoted).join(',');
}
