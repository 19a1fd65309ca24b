// Looking closer at a curve: dragging chooses a window, which is sampled anew at the width of the screen; a double click
// shows all again. The window outlives the chart, which is made anew while an exchange is open.
import type uPlot from 'uplot';
import { evenMoments, levelsAt, type Staircase } from './sample-curve.ts';

/** The window that the reader chose; undefined while all is shown. */
export interface Zoom {
  current: { readonly min: number; readonly max: number } | undefined;
}

type Series = readonly { readonly curve: Staircase }[];

/** More than the pixels of any usual screen, so that there is a sample for each. */
const SAMPLES_COUNT = 2_000;

export function sampledCurves(series: Series, fromMs: number, toMs: number): uPlot.AlignedData {
  const moments = evenMoments(fromMs, toMs, SAMPLES_COUNT);
  return [moments, ...series.map(({ curve }) => levelsAt(curve, moments))] as uPlot.AlignedData;
}

export function zoomParts(series: Series, toMs: number, zoom: Zoom) {
  const hooks: uPlot.Hooks.Arrays = {
    ready: [
      (plot) => {
        const window = zoom.current;
        // The chart is in the middle of its first drawing and would not hear of it.
        if (window !== undefined) queueMicrotask(() => plot.setScale('x', { ...window }));
      },
    ],
    setScale: [(plot, key) => (key === 'x' ? resample(plot, { series, toMs, zoom }) : undefined)],
  };
  const dblclick = (plot: uPlot) => () => {
    zoom.current = undefined;
    // The library's own way back goes to the ends of the data, which are those of the window by now.
    plot.setData(sampledCurves(series, 0, toMs));
    return null;
  };
  return { hooks, dblclick };
}

interface Whole {
  readonly series: Series;
  readonly toMs: number;
  readonly zoom: Zoom;
}

/** After a zoom the samples of the whole are too coarse for the window. */
function resample(plot: uPlot, { series, toMs, zoom }: Whole): void {
  const { min = 0, max = toMs } = plot.scales['x'] ?? {};
  const [from, to] = [Math.max(0, min), Math.min(toMs, max)];
  const moments = plot.data[0];
  if (to <= from || (moments[0] === from && moments.at(-1) === to)) return;
  zoom.current = { min: from, max: to };
  // The chart is in the middle of a step; data that came now would be drawn with the old indices.
  queueMicrotask(() => {
    if (plot.root.isConnected) plot.setData(sampledCurves(series, from, to), false);
  });
}
