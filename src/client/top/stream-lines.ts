// Streams as rows: a strip of the last half minute, received above and flushed below, with silences that were stalls
// marked in it, and what is known of each.
import { tellingStall } from '../../telemetry/live/model.ts';
import { showCount } from '../spread.ts';
import { chosenStreams } from './choices.ts';
import type { TopStream } from './model.ts';
import type { Paint, Style } from './paint.ts';
import type { Picture } from './picture.ts';
import { type StripColumn, stripColumns } from './strip-columns.ts';
import { type Column, tableLines } from './table.ts';
import { cut, fit, msText, spanText, wordText } from './text.ts';

const NS_PER_MS = 1e6;
const STRIP_LEAST = 16;
const STRIP_MOST = 60;
/** The phase of a stream whose silence would be a stall; the sidecar knows whether the client is to blame for it. */
const SILENT = 'silent';
/** Two columns of time stand in one character. */
const COLUMNS_EACH = 2;

/** The lines of as many streams as fit below a head, from the chosen offset on. */
export function streamLines(picture: Picture, lineCount: number): string[] {
  const { view, choices, width, paint } = picture;
  if (view.about === undefined || lineCount < 2) return [];
  const streams = chosenStreams(view.streams, choices);
  if (streams.length === 0) return [paint('dim', cut('No stream is in flight, and none ended lately.', width))];
  const count = lineCount - 1;
  const from = Math.min(choices.offset, Math.max(0, streams.length - count));
  return tableLines(columnsOf(picture), streams.slice(from, from + count), width, paint);
}

function columnsOf(picture: Picture): Column<TopStream>[] {
  const { view, choices } = picture;
  const stripS = Math.round((view.about?.stripMs ?? 0) / 1000);
  const style = rowStyle;
  const columns: Column<TopStream>[] = [
    {
      title: `last ${stripS} s`,
      place: { width: STRIP_LEAST, mostWidth: STRIP_MOST, align: 'left', rank: 3 },
      cell: () => '',
      draw: (stream, width, paint) => drawStrip(stream, width, picture, paint),
    },
    { title: 'id', place: { width: 8, align: 'left', rank: 0 }, cell: ({ id }) => id, style },
    { title: 'class', place: { width: 11, align: 'left', rank: 6 }, cell: (each) => seen(each), style },
    { title: 'model', place: { width: 14, mostWidth: 28, align: 'left', rank: 9 }, cell: ({ model }) => model, style },
    {
      title: 'phase',
      place: { width: 7, mostWidth: 16, align: 'left', rank: 4 },
      cell: ({ word }) => wordText(word),
      style,
    },
    { title: 'age', place: { width: 11, align: 'right', rank: 5 }, cell: ({ ageMs }) => spanText(ageMs), style },
    {
      title: 'chunks',
      place: { width: 7, align: 'right', rank: 8 },
      cell: (each) => showCount(each.chunkCount),
      style,
    },
    length('silent', 9, 2, ({ silentMs }) => silentMs),
    length('worst gap', 9, 7, ({ gapMaxMs }) => gapMaxMs),
    {
      title: 'stalls',
      place: { width: 14, mostWidth: 26, align: 'left', rank: 1 },
      cell: (each) => stallWords(each),
      style: ({ stallCount }) => (stallCount > 0 ? 'bad' : 'plain'),
    },
  ];
  // Of one class alone its name says nothing.
  return choices.class === undefined ? columns : columns.filter(({ title }) => title !== 'class');
}

function length(
  title: string,
  width: number,
  rank: number,
  ofMs: (each: TopStream) => number | undefined,
): Column<TopStream> {
  const cell = (each: TopStream): string => {
    const lengthMs = ofMs(each);
    return msText(lengthMs === undefined ? undefined : lengthMs * NS_PER_MS);
  };
  return { title, place: { width, align: 'right', rank }, cell };
}

function rowStyle({ isOpen, word }: TopStream): Style {
  if (!isOpen) return 'dim';
  return word === SILENT ? 'bad' : 'plain';
}

function seen({ class: name, edge }: TopStream): string {
  return edge === undefined ? name : `${name} before ${edge}`;
}

/** How many, and who made the one that tells most; the verdict comes about a second after a stall. */
function stallWords(stream: TopStream): string {
  if (stream.stallCount === 0) return '';
  const { cause } = tellingStall(stream) ?? {};
  return cause === undefined ? String(stream.stallCount) : `${stream.stallCount} ${wordText(cause)}`;
}

function drawStrip(stream: TopStream, width: number, { view, glyphs }: Picture, paint: Paint): string {
  const { about, atEpochMs } = view;
  if (about === undefined || stream.strip === undefined) return ' '.repeat(width);
  const binsEach = Math.max(1, Math.ceil(about.stripMs / about.binMs / (width * COLUMNS_EACH)));
  const nowBin = Math.floor(atEpochMs / about.binMs);
  // One column more than fits, so that pairs begin at multiples as well and dots keep their place in a character.
  const lastColumn = Math.floor(nowBin / binsEach);
  const endColumn = lastColumn - (lastColumn % COLUMNS_EACH) + COLUMNS_EACH - 1;
  const frame = { nowBin: endColumn * binsEach, columnCount: width * COLUMNS_EACH, binsEach };
  const columns = stripColumns(stream.strip, frame);
  const most = Math.max(...columns.flatMap(({ receivedCount, flushedCount }) => [receivedCount, flushedCount]));
  const columnMs = binsEach * about.binMs;
  const firstAtEpochMs = (endColumn + 1 - columns.length) * columnMs;
  const stalled = stallsOf(stream, atEpochMs);
  let drawn = '';
  for (let at = 0; at < width; at += 1) {
    const [left, right] = [columns[COLUMNS_EACH * at], columns[COLUMNS_EACH * at + 1]];
    const mark = glyphs.strip(levelsOf(left, most), levelsOf(right, most));
    const fromEpochMs = firstAtEpochMs + COLUMNS_EACH * at * columnMs;
    const isStalled = mark === ' ' && isWithin(fromEpochMs, fromEpochMs + COLUMNS_EACH * columnMs, stalled);
    drawn += isStalled ? paint('bad', glyphs.stall) : mark;
  }
  return stream.isOpen ? drawn : paint('dim', fit(drawn, width));
}

/** Nothing, something, and more than half of the stream's own most. */
function levelsOf(column: StripColumn | undefined, most: number): readonly [number, number] {
  const level = (count = 0): number => (count === 0 ? 0 : count > most / 2 ? 2 : 1);
  return [level(column?.receivedCount), level(column?.flushedCount)];
}

interface Silence {
  readonly fromEpochMs: number;
  readonly toEpochMs: number;
}

/** Stalls that are over, and the silence that goes on if it is long enough to become one. */
function stallsOf({ stalls, silentMs, isOpen, word }: TopStream, nowEpochMs: number): Silence[] {
  const over = stalls.map(({ endedAtEpochMs, gapMs }) => ({
    fromEpochMs: endedAtEpochMs - gapMs,
    toEpochMs: endedAtEpochMs,
  }));
  const isStalling = isOpen && silentMs !== undefined && word === SILENT;
  return isStalling ? [...over, { fromEpochMs: nowEpochMs - silentMs, toEpochMs: nowEpochMs }] : over;
}

function isWithin(fromEpochMs: number, toEpochMs: number, silences: readonly Silence[]): boolean {
  return silences.some((silence) => silence.fromEpochMs < toEpochMs && silence.toEpochMs > fromEpochMs);
}
