// The heatmap of gaps as a component: a canvas, and a line of text that says what is under the pointer or under the
// cursor that the arrow keys move.
import { useEffect, useRef, useState } from 'preact/hooks';
import './charts.css';
import { onThemeChange } from './colors.ts';
import { cellWords, gridWords, type HeatGrid } from './heatmap-data.ts';
import { cellAt, drawHeatmap, type HeatCursor, heatFrame, type HeatLine } from './heatmap-draw.ts';

export interface HeatmapProps {
  readonly grid: HeatGrid;
  readonly lines: readonly HeatLine[];
  readonly heightPx: number;
}

/** Columns and rows that one stroke of a key moves the cursor by. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  PageUp: [10, 0],
  PageDown: [-10, 0],
};

export function Heatmap({ grid, lines, heightPx }: HeatmapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cursor, setCursor] = useState<HeatCursor | undefined>(undefined);

  // What is drawn changes twice a second, where it is drawn hardly ever: the watchers are set up once.
  const draw = (): void => {
    if (canvas.current !== null) drawHeatmap(canvas.current, grid, lines, cursor);
  };
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(draw, [grid, lines, cursor]);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const drawLatest = (): void => latest.current();
    const resized = new ResizeObserver(drawLatest);
    resized.observe(element);
    const stopTheme = onThemeChange(drawLatest);
    return () => {
      resized.disconnect();
      stopTheme();
    };
  }, []);

  const onPointerMove = (event: PointerEvent): void => {
    const element = canvas.current;
    if (element === null) return;
    const frame = heatFrame(element.clientWidth, element.clientHeight);
    setCursor(cellAt(grid, frame, event.offsetX, event.offsetY));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (event.key === 'Escape') setCursor(undefined);
    if (step === undefined) return;
    // The keys would scroll the page away from under the cursor.
    event.preventDefault();
    setCursor(moved(grid, cursor, step));
  };
  const shown = cursor === undefined ? undefined : cellWords(grid, cursor.column, cursor.row);
  return (
    <div
      class="heatmap"
      role="application"
      aria-label="Heatmap of gaps. Arrow keys read its cells."
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={gridWords(grid)}
        style={{ height: `${heightPx}px` }}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setCursor(undefined)}
      />
      <p class="readout" aria-live="polite">
        {shown ?? 'Point at a cell, or use the arrow keys.'}
      </p>
    </div>
  );
}

/** The first stroke begins in the newest column, in its middle row. */
function moved(grid: HeatGrid, cursor: HeatCursor | undefined, [columns, rows]: readonly [number, number]): HeatCursor {
  const [lastColumn, lastRow] = [grid.columnCount - 1, grid.rowEdgesNs.length - 1];
  if (cursor === undefined) return { column: lastColumn, row: Math.floor(lastRow / 2) };
  const within = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
  return { column: within(cursor.column + columns, lastColumn), row: within(cursor.row + rows, lastRow) };
}
