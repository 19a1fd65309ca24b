// Two staircases over one time axis: what came and what went on. Drawn from as many samples as there are pixels, so
// the number of chunks does not matter; dragging zooms in and samples anew, a double click shows all again.
import { useCallback, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { bytes, count, span } from '../format.ts';
import { themeColor, withAlpha } from './colors.ts';
import { type MarkBand, type MarkLine, marksPlugin } from './marks.ts';
import { axis, Plot } from './plot.tsx';
import { sampledCurves, type Zoom, zoomParts } from './curve-zoom.ts';
import type { Staircase } from './sample-curve.ts';

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

/** Above the highest level; below the lowest there is none, as a curve begins at 0. */
const HEADROOM_RATIO = 0.03;
/** Ticks at round KiB and MiB. */
const BYTE_STEPS = Array.from({ length: 40 }, (_, power) => 2 ** power);

export function CurveChart(props: CurveChartProps) {
  const { series, toMs, unit, lines, bands, isShaded, label, heightPx } = props;
  const data = useMemo(() => sampledCurves(series, 0, toMs), [series, toMs]);
  // An open exchange has its chart made anew again and again; whoever looks closely is left where they look.
  const zoom: Zoom = useRef(undefined);
  const options = useCallback(
    () => curveOptions({ series, toMs, unit, lines, bands, zoom, isShaded: isShaded === true }),
    [series, toMs, unit, lines, bands, isShaded],
  );
  return <Plot data={data} options={options} heightPx={heightPx} label={label} />;
}

type OptionsAsk = Pick<CurveChartProps, 'series' | 'toMs' | 'unit' | 'lines' | 'bands'> & {
  readonly isShaded: boolean;
  readonly zoom: Zoom;
};

function curveOptions({
  series,
  toMs,
  unit,
  lines,
  bands,
  isShaded,
  zoom,
}: OptionsAsk): Omit<uPlot.Options, 'width' | 'height'> {
  const { dblclick, hooks } = zoomParts(series, toMs, zoom);
  const written = unit === 'bytes' ? bytes : count;
  const stepped = (uPlot.paths.stepped as uPlot.Series.SteppedPathBuilderFactory)({ align: 1 });
  const shade = isShaded ? [{ series: [1, 2] as uPlot.Band.Bounds, fill: withAlpha(themeColor('--bad'), 0.25) }] : [];
  return {
    padding: [8, 12, 0, 0],
    cursor: {
      drag: { x: true, y: false },
      points: { show: false },
      bind: { dblclick },
    },
    legend: { live: true },
    scales: {
      x: { time: false },
      y: { range: (_plot, min, max) => [min, Math.max(min + 1, max + (max - min) * HEADROOM_RATIO)] },
    },
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
    hooks,
    plugins: [marksPlugin(lines, bands)],
  };
}
