// Runs with different settings as points, the worst one in a hundred gaps against the wait for the first token: as
// text for the page, and as SVG for whoever shows it to others. Lower and further left is better. Pure.
import { showMs } from '../spread.ts';

export interface PlotPoint {
  readonly name: string;
  readonly ttftNs: number;
  readonly gapNs: number;
}

const COLUMNS = 60;
const ROWS = 14;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+*';

/** Names of what is drawn along the axes. */
export interface PlotAxes {
  readonly x: string;
  readonly y: string;
}

export function letterOf(index: number): string {
  return LETTERS[index % LETTERS.length] ?? '?';
}

/** Both axes begin at 0: a difference must not look larger than it is. */
export function plotLines(points: readonly PlotPoint[], axes: PlotAxes): string[] {
  if (points.length === 0) return [];
  const [mostX, mostY] = most(points);
  const grid = Array.from({ length: ROWS }, () => Array.from({ length: COLUMNS }, () => ' '));
  for (const [index, { ttftNs, gapNs }] of points.entries()) {
    const column = Math.min(COLUMNS - 1, Math.floor((ttftNs / mostX) * COLUMNS));
    const row = ROWS - 1 - Math.min(ROWS - 1, Math.floor((gapNs / mostY) * ROWS));
    const cells = grid[row] as string[];
    // Where two fall together one of them is shown; the table has both.
    cells[column] = letterOf(index);
  }
  const width = showMs(mostY).length;
  return [
    `${axes.y}, ms`,
    ...grid.map((cells, row) => `${(row === 0 ? showMs(mostY) : '').padStart(width)} |${cells.join('').trimEnd()}`),
    `${'0'.padStart(width)} +${'-'.repeat(COLUMNS)}`,
    `${' '.repeat(width)} 0${showMs(mostX).padStart(COLUMNS)}  ${axes.x}, ms`,
  ];
}

const SVG_WIDTH = 640;
const SVG_HEIGHT = 400;
const MARGIN = 60;

export function plotSvg(points: readonly PlotPoint[], axes: PlotAxes & { readonly title: string }): string {
  const [mostX, mostY] = most(points);
  const x = (ttftNs: number): string => (MARGIN + (ttftNs / mostX) * (SVG_WIDTH - 2 * MARGIN)).toFixed(1);
  const y = (gapNs: number): string => (SVG_HEIGHT - MARGIN - (gapNs / mostY) * (SVG_HEIGHT - 2 * MARGIN)).toFixed(1);
  const bottom = SVG_HEIGHT - MARGIN;
  const dots = points.map(({ name, ttftNs, gapNs }) => {
    const tip = `${name}: ${axes.x} ${showMs(ttftNs)} ms, ${axes.y} ${showMs(gapNs)} ms`;
    const label = `<text x="${x(ttftNs)}" y="${y(gapNs)}" dx="8" dy="4">${escaped(name)}</text>`;
    return `<circle cx="${x(ttftNs)}" cy="${y(gapNs)}" r="5"><title>${escaped(tip)}</title></circle>${label}`;
  });
  const middle = SVG_WIDTH / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SVG_WIDTH} ${SVG_HEIGHT}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(axes.title)}</title><rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${middle}" y="24" text-anchor="middle" font-size="14">${escaped(axes.title)}</text>`,
    `<path d="M${MARGIN} ${MARGIN}V${bottom}H${SVG_WIDTH - MARGIN}" fill="none" stroke="#444"/>`,
    `<text x="${middle}" y="${SVG_HEIGHT - 16}" text-anchor="middle">${escaped(axes.x)}, ms</text>`,
    `<text transform="translate(18 ${SVG_HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escaped(axes.y)}, ms</text>`,
    `<text x="${SVG_WIDTH - MARGIN}" y="${bottom + 16}" text-anchor="end">${showMs(mostX)}</text>`,
    `<text x="${MARGIN - 6}" y="${MARGIN + 4}" text-anchor="end">${showMs(mostY)}</text>`,
    `<text x="${MARGIN - 6}" y="${bottom + 16}" text-anchor="end">0</text>`,
    `<g fill="#1f6f8b">${dots.join('')}</g>`,
    '</svg>',
    '',
  ].join('\n');
}

/** Ends of the axes; never 0, for something divides by them. */
function most(points: readonly PlotPoint[]): readonly [number, number] {
  return [Math.max(1, ...points.map(({ ttftNs }) => ttftNs)), Math.max(1, ...points.map(({ gapNs }) => gapNs))];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
