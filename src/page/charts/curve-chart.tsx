// Two staircases over one time axis: what came and what went on. Drawn from as many samples as there are pixels, so
// the number of chunks does not matter; dragging zooms in and samples anew, a double click shows all again.
import { useCallback, useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import { bytes, count, span } from '../format.ts';
import { themeColor, withAlpha } from './colors.ts';
import { type MarkBand, type MarkLine, marksPlugin } from './marks.ts';
import { axis, Plot } from './plot.tsx';
import { evenMoments, levelsAt, type Staircase } from './sample-curve.ts';

export interface CurveSeries {
  readonly name: string;
  readonly curve: Staircase;
  /** Variable of the theme. */
  readonly color: string;
  readonly dash?: readonly number[];
}

export interface CurveChartProps {
  /** The upper curve first. */
  readonly series: readonly [CurveSeries, CurveSeries];
  readonly toMs: number;
  /** Name of what is counted. */
  readonly unit: string;
  readonly lines: readonly MarkLine[];
  readonly bands: readonly MarkBand[];
  /** The room between the curves is what is shown: shade it. */
  readonly isShaded?: boolean;
  readonly label: string;
  readonly heightPx: number;
}

/** More than the pixels of any usual screen, so that one sample a pixel is there. */
const SAMPLES_COUNT = 2_000;
/** Ticks at round KiB and MiB. */
const BYTE_STEPS = Array.from({ length: 40 }, (_, power) => 2 ** power);

export function CurveChart(props: CurveChartProps) {
  const { series, toMs, unit, lines, bands, isShaded, label, heightPx } = props;
  const data = useMemo(() => sampled(series, 0, toMs), [series, toMs]);
  const options = useCallback(
    () => curveOptions({ series, toMs, unit, lines, bands, isShaded: isShaded === true }),
    [series, toMs, unit, lines, bands, isShaded],
  );
  return <Plot data={data} options={options} heightPx={heightPx} label={label} />;
}

function sampled(series: CurveChartProps['series'], fromMs: number, toMs: number): uPlot.AlignedData {
  const moments = evenMoments(fromMs, toMs, SAMPLES_COUNT);
  return [moments, ...series.map(({ curve }) => levelsAt(curve, moments))] as uPlot.AlignedData;
}

type OptionsAsk = Pick<CurveChartProps, 'series' | 'toMs' | 'unit' | 'lines' | 'bands'> & {
  readonly isShaded: boolean;
};

function curveOptions({
  series,
  toMs,
  unit,
  lines,
  bands,
  isShaded,
}: OptionsAsk): Omit<uPlot.Options, 'width' | 'height'> {
  const written = unit === 'bytes' ? bytes : count;
  const stepped = (uPlot.paths.stepped as uPlot.Series.SteppedPathBuilderFactory)({ align: 1 });
  const shade = isShaded ? [{ series: [1, 2] as uPlot.Band.Bounds, fill: withAlpha(themeColor('--bad'), 0.25) }] : [];
  return {
    padding: [8, 12, 0, 0],
    cursor: {
      drag: { x: true, y: false },
      points: { show: false },
      bind: { dblclick: (plot) => () => showAll(plot, series, toMs) },
    },
    legend: { live: true },
    scales: { x: { time: false }, y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.03)] } },
    axes: [
      axis({ values: (_plot, splits) => splits.map((at) => span(at)), size: 28 }),
      axis({
        size: 60,
        values: (_plot, splits) => splits.map((value) => written(value)),
        label: unit,
        ...(unit === 'bytes' && { incrs: BYTE_STEPS }),
      }),
    ],
    bands: shade,
    series: [
      { label: 'time', value: (_plot, at: number | null) => span(at ?? undefined) },
      ...series.map(({ name, color, dash }) => ({
        label: name,
        stroke: themeColor(color),
        width: 1.5,
        ...(dash !== undefined && { dash: [...dash] }),
        points: { show: false },
        paths: stepped,
        value: (_plot: uPlot, level: number | null) => written(level ?? undefined),
      })),
    ],
    hooks: { setScale: [(plot, key) => (key === 'x' ? resample(plot, series, toMs) : undefined)] },
    plugins: [marksPlugin(lines, bands)],
  };
}

/** After a zoom the samples of the whole are too coarse for the window. */
function resample(plot: uPlot, series: CurveChartProps['series'], toMs: number): void {
  const { min = 0, max = toMs } = plot.scales['x'] ?? {};
  const [from, to] = [Math.max(0, min), Math.min(toMs, max)];
  const moments = plot.data[0];
  if (to <= from || (moments[0] === from && moments.at(-1) === to)) return;
  // The chart is in the middle of a step; data that came now would be drawn with the old indices.
  queueMicrotask(() => {
    if (plot.root.isConnected) plot.setData(sampled(series, from, to), false);
  });
}

/** The library's own way back goes to the ends of the data, which are those of the window by then. */
function showAll(plot: uPlot, series: CurveChartProps['series'], toMs: number): null {
  plot.setData(sampled(series, 0, toMs));
  return null;
}
