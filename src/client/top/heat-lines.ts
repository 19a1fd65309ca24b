// Gaps over the last minutes, two ways: one line a class with the slow end of each moment as a height, and where there
// is room a heatmap, lengths upwards and time to the right, with the number of gaps as shade.
import type { GapColumn } from '../../telemetry/live/frame.ts';
import { CLASSES_MAX_COUNT, chosenClasses } from './class-lines.ts';
import type { Style } from './paint.ts';
import type { Picture } from './picture.ts';
import { cut, fit, spanText } from './text.ts';

const NS_PER_MS = 1e6;
const NAME_WIDTH = 11;
/** Share of gaps that a height leaves above it: one in a hundred, as p99 does. */
const SLOW_RATIO = 0.01;
/** Below this length no stream stutters for anybody; heights rise by ratio from here to the longest bucket. */
const LEAST_NS = NS_PER_MS;
/** Upper bounds of the heatmap's rows, as near as the buckets allow. The last row has none. */
const ROWS_MS = [10, 25, 50, 100, 250, 1_000];

/** Columns of the feed that stand in one column of characters; both ends of time are told in the head. */
interface Span {
  readonly cells: readonly (readonly GapColumn[])[];
  readonly spanMs: number;
}

/** One line a class: how slow the slowest hundredth of the gaps was, moment by moment. */
export function slowLines(picture: Picture): string[] {
  const { view, paint, glyphs, width } = picture;
  const { about } = view;
  if (about === undefined || view.columns.length === 0) return [];
  const classes = chosenClasses(picture).slice(0, CLASSES_MAX_COUNT);
  const room = width - NAME_WIDTH - 10;
  if (room < 8) return [];
  const { cells, spanMs } = spanOf(picture, room);
  const lines = classes.flatMap(({ class: name }) => {
    const slowest = cells.map((columns) => slowBucket(sumOf(columns, name)));
    if (slowest.every((bucket) => bucket === undefined)) return [];
    const stallMs = about.stallMs[name] ?? Infinity;
    const marks = slowest.map((bucket) => {
      if (bucket === undefined) return ' ';
      const style: Style = lowerNs(about.gapEdgesNs, bucket) >= stallMs * NS_PER_MS ? 'bad' : 'accent';
      return paint(style, heightOf(bucket, about.gapEdgesNs, glyphs.heights));
    });
    return [`${fit(name, NAME_WIDTH)} gaps p99 ${marks.join('')}`];
  });
  return lines.length === 0 ? [] : [...lines, paint('dim', axis(spanMs, NAME_WIDTH + 10, width))];
}

/** Lengths upwards, time to the right; all classes together, or the one that was chosen. */
export function heatLines(picture: Picture): string[] {
  const { view, choices, paint, glyphs, width } = picture;
  const { about } = view;
  const room = width - NAME_WIDTH - 1;
  if (about === undefined || view.columns.length === 0 || room < 8) return [];
  const { cells, spanMs } = spanOf(picture, room);
  const rows = rowsOf(about.gapEdgesNs);
  const sums = cells.map((columns) => sumOf(columns, choices.class));
  const counts = rows.map(({ from, to }) =>
    sums.map((sum) => sum.slice(from, to).reduce((total, count) => total + count, 0)),
  );
  const most = Math.max(...counts.flat());
  if (most === 0) return [];
  const lines = rows.map(({ name }, row) => {
    const marks = (counts[row] ?? []).map((count) => glyphs.shades[shadeOf(count, most)] ?? ' ');
    return `${fit(name, NAME_WIDTH, 'right')} ${paint('accent', marks.join(''))}`;
  });
  const title = `gaps by length, ${choices.class ?? 'all classes'}`;
  return [paint('dim', cut(title, width)), ...lines.toReversed(), paint('dim', axis(spanMs, NAME_WIDTH + 1, width))];
}

/** The latest columns, as many to a character as all of them need; the newest stands at the right edge. */
function spanOf({ view, nowEpochMs }: Picture, room: number): Span {
  const { about, columns, atEpochMs } = view;
  const columnMs = about?.columnMs ?? 1_000;
  const last = Math.floor((atEpochMs === 0 ? nowEpochMs : atEpochMs) / columnMs);
  const first = Math.floor((columns[0]?.atEpochMs ?? 0) / columnMs);
  const each = Math.max(1, Math.ceil((last - first + 1) / room));
  // Borders lie at multiples, so that what has been drawn moves and does not change.
  const lastCell = Math.floor(last / each);
  const cells: GapColumn[][] = Array.from({ length: room }, () => []);
  for (const column of columns) {
    const cell = Math.floor(Math.floor(column.atEpochMs / columnMs) / each) - lastCell + room - 1;
    cells[cell]?.push(column);
  }
  return { cells, spanMs: room * each * columnMs };
}

function sumOf(columns: readonly GapColumn[], name: string | undefined): number[] {
  const sum: number[] = [];
  for (const { counts } of columns) {
    for (const [own, each] of Object.entries(counts)) {
      if (name !== undefined && own !== name) continue;
      for (const [bucket, count] of each.entries()) sum[bucket] = (sum[bucket] ?? 0) + count;
    }
  }
  return Array.from(sum, (count) => count ?? 0);
}

/** The bucket of the gap that one in a hundred exceeds; undefined without gaps. */
function slowBucket(counts: readonly number[]): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let above = 0;
  for (let bucket = counts.length - 1; bucket >= 0; bucket -= 1) {
    above += counts[bucket] ?? 0;
    if (above > SLOW_RATIO * total) return bucket;
  }
  return undefined;
}

function lowerNs(edgesNs: readonly number[], bucket: number): number {
  return bucket === 0 ? 0 : (edgesNs[bucket - 1] ?? 0);
}

function heightOf(bucket: number, edgesNs: readonly number[], heights: readonly string[]): string {
  const longestNs = edgesNs.at(-1) ?? LEAST_NS;
  const atNs = Math.min(longestNs, Math.max(LEAST_NS, edgesNs[bucket] ?? longestNs));
  const ratio = longestNs <= LEAST_NS ? 0 : Math.log(atNs / LEAST_NS) / Math.log(longestNs / LEAST_NS);
  return heights[Math.min(heights.length - 1, Math.floor(ratio * heights.length))] ?? ' ';
}

interface Row {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Buckets gathered to a few rows, the shortest first. */
function rowsOf(edgesNs: readonly number[]): Row[] {
  const bounds = ROWS_MS.map((boundMs) => edgesNs.findLastIndex((edgeNs) => edgeNs <= boundMs * NS_PER_MS) + 1);
  const cuts = [...new Set([0, ...bounds.filter((bound) => bound > 0), edgesNs.length + 1])];
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? 0;
    const upper = edgesNs[to - 1];
    const name = upper === undefined ? `> ${edgeText(edgesNs[from - 1])} ms` : `<= ${edgeText(upper)} ms`;
    return { name, from, to };
  });
}

function edgeText(edgeNs: number | undefined): string {
  return String(Number(((edgeNs ?? 0) / NS_PER_MS).toFixed(2)));
}

/** By logarithm, so that one slow gap among ten thousand is seen. */
function shadeOf(count: number, most: number): number {
  if (count === 0) return 0;
  return Math.max(1, Math.ceil((4 * Math.log1p(count)) / Math.log1p(most)));
}

function axis(spanMs: number, indent: number, width: number): string {
  const from = `${spanText(spanMs)} ago`;
  const room = Math.max(0, width - indent - from.length - 3);
  return cut(`${' '.repeat(indent)}${from}${' '.repeat(room)}now`, width);
}
