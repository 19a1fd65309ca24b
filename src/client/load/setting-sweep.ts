// One setting of an engine, tried with several values under the same load: what each came to, as a table and as
// points. Knows nothing of how an engine is started.
import { ABSENT, showCount } from '../spread.ts';
import { peerStepLines } from './peer-report.ts';
import { letterOf, plotLines, type PlotPoint } from './plot.ts';
import type { LoadResult } from './result.ts';
import { showRank, showRate, tableOf } from './rows.ts';
import { figuresOf, MET_WORDS } from './sweep.ts';
import { wholeVerdict } from './verdicts.ts';

const CELL_WIDTH = 11;

export interface SettingStep {
  readonly value: string;
  readonly result: LoadResult;
}

export const SETTING_AXES = { x: 'TTFT p50 from due', y: 'gap p99' } as const;

/** Those of which both are known; what failed altogether is no point. */
export function pointsOf(steps: readonly SettingStep[]): PlotPoint[] {
  return steps.flatMap(({ value, result }) => {
    const figures = figuresOf(result);
    const [ttftNs, gapNs] = [figures?.ttft.fromDue.p50Ns, figures?.gaps.p99Ns];
    return typeof ttftNs === 'number' && typeof gapNs === 'number' ? [{ name: value, ttftNs, gapNs }] : [];
  });
}

export function settingLines(name: string, steps: readonly SettingStep[]): string[] {
  const points = pointsOf(steps);
  const head = [name, 'point', 'sent', 'not ok', 'tokens/s', 'TTFT p50', 'TTFT p99', 'gap p50', 'gap p99', 'worst gap'];
  const hasVerdicts = steps.some(({ result }) => result.verdicts.length > 0);
  const rows = steps.map(({ value, result }) => {
    const figures = figuresOf(result);
    if (figures === undefined) return [value, ABSENT];
    const { ttft, gaps, gapMax, sentCount, okCount } = figures;
    const at = points.findIndex((point) => point.name === value);
    const met = wholeVerdict(result.verdicts);
    return [
      value,
      at === -1 ? ABSENT : letterOf(at),
      showCount(sentCount),
      showCount(sentCount - okCount),
      showRate(figures.outputTokensPerSecond),
      ...[ttft.fromDue.p50Ns, ttft.fromDue.p99Ns, gaps.p50Ns, gaps.p99Ns, gapMax.maxNs].map(showRank),
      ...(hasVerdicts ? [met === undefined ? ABSENT : MET_WORDS[met]] : []),
    ];
  });
  const warnings = steps.flatMap(({ value, result }) =>
    result.generator.warnings.map((text) => `! ${name} ${value}: ${text}`),
  );
  return [
    ...tableOf([[...head, ...(hasVerdicts ? ['objectives'] : [])], ...rows], CELL_WIDTH),
    '',
    ...plotLines(points, SETTING_AXES),
    ...peerStepLines(name, steps),
    ...(warnings.length > 0 ? ['', ...warnings] : []),
  ];
}
