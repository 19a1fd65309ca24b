// A distribution of gaps on a logarithmic scale, with the lines they are held against.
import { useCallback, useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import type { GapHistogram } from '../../telemetry/live/frame.ts';
import { count, counted, percent, span } from '../format.ts';
import { themeColor, withAlpha } from './colors.ts';
import { histogramColumns } from './histogram-data.ts';
import { type MarkLine, marksPlugin } from './marks.ts';
import { axis, Plot } from './plot.tsx';

export interface HistogramProps {
  readonly histogram: GapHistogram;
  /** In ms. */
  readonly lines: readonly MarkLine[];
  readonly heightPx: number;
}

export function Histogram({ histogram, lines, heightPx }: HistogramProps) {
  const data = useMemo((): uPlot.AlignedData => {
    const { edgesMs, counts } = histogramColumns(histogram.bins);
    return [edgesMs, counts];
  }, [histogram]);
  // Lines come anew with each state and seldom differ; a chart made anew every two seconds would flicker.
  const linesKey = JSON.stringify(lines);
  const options = useCallback(() => histogramOptions(JSON.parse(linesKey) as MarkLine[]), [linesKey]);
  return <Plot data={data} options={options} heightPx={heightPx} label={histogramWords(histogram)} />;
}

function histogramOptions(lines: readonly MarkLine[]): Omit<uPlot.Options, 'width' | 'height'> {
  const color = themeColor('--accent');
  return {
    legend: { show: false },
    cursor: { show: false },
    // The name of the last step on the axis stands half beyond it.
    padding: [8, 22, 0, 0],
    scales: { x: { time: false, distr: 3 }, y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.05)] } },
    axes: [
      axis({ values: (_plot, splits) => splits.map((at) => (isNamed(at) ? span(at) : '')), size: 24 }),
      axis({
        size: 56,
        values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? count(value) : '')),
      }),
    ],
    series: [
      {},
      {
        stroke: color,
        width: 1,
        fill: withAlpha(color, 0.35),
        points: { show: false },
        paths: (uPlot.paths.stepped as uPlot.Series.SteppedPathBuilderFactory)({ align: 1 }),
      },
    ],
    plugins: [marksPlugin(lines, [])],
  };
}

/** On the axis 1, 2 and 5 of each power of ten are named. */
function isNamed(atMs: number): boolean {
  const lead = Math.round(atMs / 10 ** Math.floor(Math.log10(atMs) + 1e-9));
  return lead === 1 || lead === 2 || lead === 5;
}

/** All of it in sentences: how many, and where they heap up. */
export function histogramWords({ count: gapCount, shape }: GapHistogram): string {
  const modes = (shape?.modes ?? []).map(
    ({ atNs, weightRatio }) => `${percent(weightRatio)} around ${span(atNs / 1e6)}`,
  );
  const heaps = modes.length === 0 ? 'too few to have a shape' : modes.join(', ');
  return `${counted(gapCount, 'gap', 'gaps')}: ${heaps}.`;
}
