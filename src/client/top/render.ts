// The whole picture: what is known, and a size, in; lines out, none of them wider or more than there is room for.
// Pure. Which part goes first when there is too little room is decided here and nowhere else.
import { ttftLines, classLines } from './class-lines.ts';
import { chosenStreams, type TopChoices } from './choices.ts';
import { headLine, statusLines } from './head-lines.ts';
import { heatLines, slowLines } from './heat-lines.ts';
import { helpLines } from './help-lines.ts';
import type { TopView } from './model.ts';
import { ASCII, painter, UNICODE } from './paint.ts';
import type { Picture } from './picture.ts';
import { streamLines } from './stream-lines.ts';
import { cut, inAscii } from './text.ts';
import { diagnosisLines, hopLines, selfLine } from './verdict-lines.ts';

export interface TopSize {
  readonly columns: number;
  /** `Infinity` where the picture is not redrawn, and may be as long as it has to be. */
  readonly rows: number;
}

export interface TopOptions {
  readonly choices: TopChoices;
  readonly isColored: boolean;
  /** The terminal shows nothing beyond ASCII. */
  readonly isAscii: boolean;
  /** Whether keys do anything, so that they are named. */
  readonly hasKeys: boolean;
  /** By this machine's clock. */
  readonly nowEpochMs: number;
}

/** Streams of a picture that may be as long as it has to be. */
const PLAIN_STREAMS_COUNT = 20;
/** Head and three streams: a picture without any would be of no use for what it is made for. */
const STREAM_LINES_LEAST = 4;
const COLUMNS_LEAST = 1;
/** From here on the heatmap has room beside everything else. */
const HEATMAP_ROWS_LEAST = 34;

interface Part {
  /** The greater, the sooner it is left out. */
  readonly rank: number;
  readonly lines: readonly string[];
}

export function renderTop(view: TopView, size: TopSize, options: TopOptions): string[] {
  const lines = drawTop(view, size, options);
  return options.isAscii ? lines.map((line) => inAscii(line)) : lines;
}

function drawTop(view: TopView, size: TopSize, options: TopOptions): string[] {
  const picture = pictureOf(view, size, options);
  const rows = Math.max(1, size.rows);
  if (options.choices.isHelp) return [headLine(picture), ...helpLines(picture)].slice(0, rows);
  const { head, aboveStreams, streamRoom, foot } = layoutOf(picture, rows, options.hasKeys);
  const body = [...aboveStreams, ...streamLines(picture, streamRoom)];
  if (rows === Infinity) return [...head, ...body, ...foot];
  // The last line stays where it is, however many streams there are.
  const blank = Array.from({ length: Math.max(0, rows - head.length - body.length - foot.length) }, () => '');
  return [...head.slice(0, Math.max(1, rows - foot.length)), ...body, ...blank, ...foot].slice(0, rows);
}

/** How many streams are listed, and how many fit: what keys that move need to know. */
export function pageOf(view: TopView, size: TopSize, options: TopOptions): { streamCount: number; pageCount: number } {
  const { streamRoom } = layoutOf(pictureOf(view, size, options), Math.max(1, size.rows), options.hasKeys);
  const streamCount = chosenStreams(view.streams, options.choices).length;
  return { streamCount, pageCount: Math.max(1, streamRoom - 1) };
}

interface Layout {
  readonly head: readonly string[];
  readonly aboveStreams: readonly string[];
  /** Lines that are left for streams, their head among them. */
  readonly streamRoom: number;
  readonly foot: readonly string[];
}

function layoutOf(picture: Picture, rows: number, hasKeys: boolean): Layout {
  const head = [headLine(picture), ...statusLines(picture, rows)];
  const foot = hasKeys ? [footLine(picture)] : [];
  const room = rows - head.length - foot.length;
  const parts = fittingParts(partsOf(picture, rows), room - STREAM_LINES_LEAST);
  const aboveStreams = parts.flatMap(({ lines }) => lines);
  const streamRoom = rows === Infinity ? PLAIN_STREAMS_COUNT + 1 : room - aboveStreams.length;
  return { head, aboveStreams, streamRoom, foot };
}

function pictureOf(view: TopView, { columns }: TopSize, options: TopOptions): Picture {
  return {
    view,
    choices: options.choices,
    width: Math.max(COLUMNS_LEAST, columns),
    paint: painter(options.isColored),
    glyphs: options.isAscii ? ASCII : UNICODE,
    nowEpochMs: options.nowEpochMs,
  };
}

/** In the order in which they stand. */
function partsOf(picture: Picture, rows: number): Part[] {
  const hasHeatmap = rows >= HEATMAP_ROWS_LEAST;
  return [
    { rank: 0, lines: classLines(picture) },
    { rank: 3, lines: ttftLines(picture) },
    { rank: 4, lines: hasHeatmap ? heatLines(picture) : slowLines(picture) },
    { rank: 2, lines: diagnosisLines(picture) },
    { rank: 5, lines: hopLines(picture) },
    { rank: 1, lines: selfLine(picture) },
  ];
}

/** Whole parts, the most important first, as long as they fit. */
function fittingParts(parts: readonly Part[], room: number): Part[] {
  let left = room;
  const kept = new Set<Part>();
  for (const part of parts.toSorted((a, b) => a.rank - b.rank)) {
    if (part.lines.length > left) continue;
    left -= part.lines.length;
    kept.add(part);
  }
  return parts.filter((part) => kept.has(part));
}

function footLine({ choices, width, paint }: Picture): string {
  const keys = [
    'q quit',
    `s sort: ${choices.sort}`,
    `c class: ${choices.class ?? 'all'}`,
    choices.isPaused ? 'p go on' : 'p pause',
    '? help',
    'arrows move',
  ];
  return paint('dim', cut(keys.join('  '), width));
}
