// Lines and bands with names over a uPlot chart: objectives, floors, stalls. Where names would lie on each other, the
// later one goes a row down. Draws; decides nothing.
import type uPlot from 'uplot';
import { themeColor } from './colors.ts';

export interface MarkLine {
  /** In the unit of the x scale. */
  readonly at: number;
  readonly label: string;
  /** Variable of the theme. */
  readonly color: string;
  readonly dash?: readonly number[];
}

export interface MarkBand {
  readonly from: number;
  readonly to: number;
  readonly color: string;
}

const ROW_PX = 13;
const ROWS_MAX_COUNT = 5;
const BAND_LEAST_PX = 1;

export function marksPlugin(lines: readonly MarkLine[], bands: readonly MarkBand[]): uPlot.Plugin {
  return {
    hooks: {
      drawClear: (plot) => drawBands(plot, bands),
      draw: (plot) => drawLines(plot, lines),
    },
  };
}

function drawBands(plot: uPlot, bands: readonly MarkBand[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  clip(ctx, bbox);
  for (const { from, to, color } of bands) {
    const left = plot.valToPos(from, 'x', true);
    const width = Math.max(BAND_LEAST_PX * devicePixelRatio, plot.valToPos(to, 'x', true) - left);
    ctx.fillStyle = themeColor(color);
    ctx.fillRect(left, bbox.top, width, bbox.height);
  }
  ctx.restore();
}

function drawLines(plot: uPlot, lines: readonly MarkLine[]): void {
  const { ctx, bbox, scales } = plot;
  const [min, max] = [scales['x']?.min ?? 0, scales['x']?.max ?? 0];
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px ${themeColor('--font')}`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  ctx.lineWidth = devicePixelRatio;
  const rowEnds: number[] = [];
  for (const { at, label, color, dash } of lines.toSorted((a, b) => a.at - b.at)) {
    if (at < min || at > max) continue;
    const left = plot.valToPos(at, 'x', true);
    ctx.strokeStyle = themeColor(color);
    ctx.setLineDash((dash ?? []).map((length) => length * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    drawLabel(ctx, { label, color, left, bbox, rowEnds });
  }
  ctx.restore();
}

interface LabelPlace {
  readonly label: string;
  readonly color: string;
  readonly left: number;
  readonly bbox: uPlot.BBox;
  /** Where the last label of each row ends. */
  readonly rowEnds: number[];
}

function drawLabel(ctx: CanvasRenderingContext2D, { label, color, left, bbox, rowEnds }: LabelPlace): void {
  const pad = 3 * devicePixelRatio;
  const width = ctx.measureText(label).width + 2 * pad;
  const isBeyond = left + width > bbox.left + bbox.width;
  const from = isBeyond ? left - width : left;
  let row = rowEnds.findIndex((end) => end <= from);
  if (row === -1) row = Math.min(rowEnds.length, ROWS_MAX_COUNT - 1);
  rowEnds[row] = Math.max(rowEnds[row] ?? 0, from + width, left);
  const top = bbox.top + pad + row * ROW_PX * devicePixelRatio;
  // Behind the letters, so that a name can be read over whatever is drawn there.
  ctx.fillStyle = themeColor('--panel');
  ctx.globalAlpha = 0.8;
  ctx.fillRect(from + 1, top - 1, width - 1, ROW_PX * devicePixelRatio);
  ctx.globalAlpha = 1;
  ctx.fillStyle = themeColor(color);
  ctx.fillText(label, from + pad, top);
}

function clip(ctx: CanvasRenderingContext2D, { left, top, width, height }: uPlot.BBox): void {
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
}
