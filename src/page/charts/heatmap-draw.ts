// Draws the grid of gaps on a canvas: cells, axes, and the lines that gaps are held against. Knows pixels; what is in
// the grid stands in heatmap-data.ts.
import { clock, span } from '../format.ts';
import { themeColor, withAlpha } from './colors.ts';
import { type HeatGrid, heatLevel, rowPlace } from './heatmap-data.ts';

export interface HeatLine {
  readonly lengthNs: number;
  readonly label: string;
  /** Variable of the theme. */
  readonly color: string;
}

/** Cell under the reader's eye. */
export interface HeatCursor {
  readonly column: number;
  readonly row: number;
}

export const LEFT_PX = 56;
export const BOTTOM_PX = 20;
const TOP_PX = 6;
const RIGHT_PX = 4;
const TIME_TICK_PX = 110;
const NS_PER_MS = 1e6;
/** Lengths named on the axis; those between would be in each other's way. */
const NAMED_MS = new Set([0.25, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000]);
const LABEL_PX = 12;
/** Lines closer than this have their names side by side. */
const LABEL_ROOM_PX = 15;

export interface HeatFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function heatFrame(widthPx: number, heightPx: number): HeatFrame {
  return { left: LEFT_PX, top: TOP_PX, width: widthPx - LEFT_PX - RIGHT_PX, height: heightPx - TOP_PX - BOTTOM_PX };
}

export function drawHeatmap(
  canvas: HTMLCanvasElement,
  grid: HeatGrid,
  lines: readonly HeatLine[],
  cursor: HeatCursor | undefined,
): void {
  const ctx = canvas.getContext('2d');
  if (ctx === null) return;
  const scale = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const pixels = { width: Math.round(width * scale), height: Math.round(height * scale) };
  if (canvas.width !== pixels.width || canvas.height !== pixels.height) Object.assign(canvas, pixels);
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = `11px ${themeColor('--font')}`;
  const frame = heatFrame(width, height);
  drawCells(ctx, grid, frame);
  drawAxes(ctx, grid, frame);
  drawLines(ctx, { grid, frame, lines });
  if (cursor !== undefined) drawCursor(ctx, { grid, frame, cursor });
}

function drawCells(
  ctx: CanvasRenderingContext2D,
  { cells, columnCount, rowEdgesNs, mostCount }: HeatGrid,
  frame: HeatFrame,
) {
  const colors = Array.from({ length: 10 }, (_, level) => themeColor(`--heat-${level}`));
  const columnPx = frame.width / columnCount;
  const rowPx = frame.height / rowEdgesNs.length;
  ctx.fillStyle = themeColor('--sunken');
  ctx.fillRect(frame.left, frame.top, frame.width, frame.height);
  for (const [column, counts] of cells) {
    const left = frame.left + column * columnPx;
    counts.forEach((value, row) => {
      if (value === 0) return;
      ctx.fillStyle = colors[heatLevel(value, mostCount)] ?? '';
      // A little wider than it is, so that no seam shows between neighbours.
      ctx.fillRect(left, frame.top + frame.height - (row + 1) * rowPx, columnPx + 0.3, rowPx - 0.5);
    });
  }
}

function drawAxes(ctx: CanvasRenderingContext2D, grid: HeatGrid, frame: HeatFrame): void {
  const { rowEdgesNs, columnCount, columnMs, fromEpochMs } = grid;
  const rowPx = frame.height / rowEdgesNs.length;
  ctx.fillStyle = themeColor('--muted');
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  let lastTop = Infinity;
  rowEdgesNs.forEach((edgeNs, row) => {
    const top = frame.top + frame.height - (row + 1) * rowPx;
    if (!NAMED_MS.has(edgeNs / NS_PER_MS) || lastTop - top < LABEL_PX) return;
    lastTop = top;
    ctx.fillText(span(edgeNs / NS_PER_MS), frame.left - 6, Math.max(top, frame.top + 5));
  });
  ctx.textAlign = 'center';
  ctx.textBaseline = 'top';
  const tickCount = Math.max(1, Math.floor(frame.width / TIME_TICK_PX));
  for (let tick = 0; tick <= tickCount; tick += 1) {
    const ratio = tick / tickCount;
    ctx.textAlign = tick === 0 ? 'left' : tick === tickCount ? 'right' : 'center';
    const at = fromEpochMs + ratio * columnCount * columnMs;
    ctx.fillText(clock(at), frame.left + ratio * frame.width, frame.top + frame.height + 5);
  }
}

interface LinesPlace {
  readonly grid: HeatGrid;
  readonly frame: HeatFrame;
  readonly lines: readonly HeatLine[];
}

function drawLines(ctx: CanvasRenderingContext2D, { grid, frame, lines }: LinesPlace): void {
  ctx.lineWidth = 1;
  const placed: Label[] = [];
  for (const { lengthNs, label, color } of lines) {
    const place = rowPlace(grid, lengthNs);
    if (place === undefined) continue;
    const top = Math.round(frame.top + frame.height * (1 - place / grid.rowEdgesNs.length)) + 0.5;
    ctx.strokeStyle = themeColor(color);
    ctx.setLineDash([5, 3]);
    ctx.beginPath();
    ctx.moveTo(frame.left, top);
    ctx.lineTo(frame.left + frame.width, top);
    ctx.stroke();
    ctx.setLineDash([]);
    placed.push({ text: label, color, top, right: rightOf(placed, top, frame), width: ctx.measureText(label).width });
  }
  // After all lines, so that none is drawn through a name.
  for (const label of placed) drawLabel(ctx, label);
}

interface Label {
  readonly text: string;
  readonly color: string;
  readonly top: number;
  readonly right: number;
  readonly width: number;
}

/** Names stand at the right end; where lines lie close together, beside each other. */
function rightOf(placed: readonly Label[], top: number, frame: HeatFrame): number {
  const near = placed.filter((each) => Math.abs(each.top - top) < LABEL_ROOM_PX);
  return Math.min(frame.left + frame.width - 4, ...near.map(({ right, width }) => right - width - 16));
}

function drawLabel(ctx: CanvasRenderingContext2D, { text, color, top, right, width }: Label): void {
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'right';
  ctx.fillStyle = withAlpha(themeColor('--panel'), 0.85);
  ctx.fillRect(right - width - 4, top - 14, width + 8, 13);
  ctx.fillStyle = themeColor(color);
  ctx.fillText(text, right, top - 1);
}

interface CursorPlace {
  readonly grid: HeatGrid;
  readonly frame: HeatFrame;
  readonly cursor: HeatCursor;
}

function drawCursor(ctx: CanvasRenderingContext2D, { grid, frame, cursor }: CursorPlace): void {
  const columnPx = frame.width / grid.columnCount;
  const rowPx = frame.height / grid.rowEdgesNs.length;
  ctx.strokeStyle = themeColor('--ink');
  ctx.lineWidth = 1.5;
  const left = frame.left + cursor.column * columnPx;
  const top = frame.top + frame.height - (cursor.row + 1) * rowPx;
  ctx.strokeRect(left - 1, top, Math.max(columnPx, 2) + 2, rowPx);
}

/** The cell at a place on the canvas; undefined beside the grid. */
export function cellAt(grid: HeatGrid, frame: HeatFrame, x: number, y: number): HeatCursor | undefined {
  const column = Math.floor(((x - frame.left) / frame.width) * grid.columnCount);
  const row = Math.floor((1 - (y - frame.top) / frame.height) * grid.rowEdgesNs.length);
  const isInside = column >= 0 && column < grid.columnCount && row >= 0 && row < grid.rowEdgesNs.length;
  return isInside ? { column, row } : undefined;
}
