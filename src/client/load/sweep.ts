// Runs with more and more requests at a time, and what each of them came to beside the others. Prints nothing.
import { ABSENT, showCount } from '../spread.ts';
import { peerStepLines } from './peer-report.ts';
import { showRank, showRate, tableOf } from './rows.ts';
import type { ClassFigures, LOAD_SCHEMA, LoadResult } from './result.ts';
import { wholeVerdict } from './verdicts.ts';

const CELL_WIDTH = 11;

export interface SweepStep {
  readonly concurrency: number;
  readonly result: LoadResult;
}

export interface SweepResult {
  readonly schema: typeof LOAD_SCHEMA;
  readonly sweep: readonly SweepStep[];
}

/** Of all classes together. */
export function figuresOf({ all, classes }: LoadResult): ClassFigures | undefined {
  return all ?? classes[0];
}

export const MET_WORDS = { true: 'met', false: 'MISSED', unknown: 'unknown' } as const;

export function sweepLines(steps: readonly SweepStep[]): string[] {
  const head = [
    'at a time',
    'sent',
    'not ok',
    'ok/s',
    'tokens/s',
    'TTFT p50',
    'TTFT p99',
    'gap p50',
    'gap p99',
    'worst gap',
  ];
  const hasVerdicts = steps.some(({ result }) => result.verdicts.length > 0);
  const rows = steps.map(({ concurrency, result }) => {
    const figures = figuresOf(result);
    if (figures === undefined) return [String(concurrency)];
    const { ttft, gaps, sentCount, okCount } = figures;
    const met = wholeVerdict(result.verdicts);
    return [
      String(concurrency),
      showCount(sentCount),
      showCount(sentCount - okCount),
      showRate(figures.requestsPerSecond),
      showRate(figures.outputTokensPerSecond),
      showRank(ttft.fromSent.p50Ns),
      showRank(ttft.fromSent.p99Ns),
      showRank(gaps.p50Ns),
      showRank(gaps.p99Ns),
      showRank(figures.gapMax.maxNs),
      ...(hasVerdicts ? [met === undefined ? ABSENT : MET_WORDS[met]] : []),
    ];
  });
  return [
    ...tableOf([[...head, ...(hasVerdicts ? ['objectives'] : [])], ...rows], CELL_WIDTH),
    ...(hasVerdicts ? ['', bestLine(steps)] : []),
    ...peerStepLines(
      'at a time',
      steps.map(({ concurrency, result }) => ({ value: String(concurrency), result })),
    ),
    ...warningLines(steps),
  ];
}

function bestLine(steps: readonly SweepStep[]): string {
  const kept = steps.filter(({ result }) => wholeVerdict(result.verdicts) === 'true');
  const best = Math.max(...kept.map(({ concurrency }) => concurrency));
  if (kept.length > 0) return `Every objective was kept with up to ${showCount(best)} requests at a time.`;
  const isOpen = steps.some(({ result }) => wholeVerdict(result.verdicts) === 'unknown');
  return isOpen
    ? 'Whether every objective can be kept cannot be judged: too few requests.'
    : 'No step kept every objective.';
}

/** A step of one at a time is a floor by its nature; the sweep shows what comes above. */
function warningLines(steps: readonly SweepStep[]): string[] {
  const warnings = steps.flatMap(({ concurrency, result }) =>
    concurrency === 1 ? [] : result.generator.warnings.map((text) => `! ${concurrency} at a time: ${text}`),
  );
  return warnings.length > 0 ? ['', ...warnings] : [];
}
