// What is to be drawn of a stream's last half minute: ticks and bands as numbers from 0 to 1 and pixels, and the same
// in words for those who hear the page. Pure; the canvas is strip-canvas.tsx's.
import { UNKNOWN, span, word } from '../format.ts';
import type { StreamRow } from './streams-row.ts';

export interface StripFrame {
  /** Moment of the right edge, the same for all rows: what happened at one time stands one below the other. */
  readonly atEpochMs: number;
  readonly binMs: number;
  readonly stripMs: number;
  readonly widthPx: number;
}

/** Along the strip, from its left edge. */
export interface Band {
  readonly fromPx: number;
  readonly toPx: number;
}

export interface StallBand extends Band {
  /** A silence that goes on: it has no end yet, and nobody knows its cause. */
  readonly isOpen: boolean;
}

export interface StripPicture {
  /** Time in which the exchange was under way. */
  readonly life: Band;
  /** Of each pixel, from 0 (nothing came) to 1. */
  readonly received: Float32Array;
  readonly flushed: Float32Array;
  readonly stalls: readonly StallBand[];
}

/** Chunks in one bin at which a tick is as high as it gets. */
const FULL_COUNT = 35;
/** One chunk must be seen, and many must be more. */
const LEAST_HEIGHT = 0.45;

export function stripPicture(row: StreamRow, { atEpochMs, binMs, stripMs, widthPx }: StripFrame): StripPicture {
  const endEpochMs = (Math.floor(atEpochMs / binMs) + 1) * binMs;
  const startEpochMs = endEpochMs - stripMs;
  const toPx = (epochMs: number): number =>
    Math.min(widthPx, Math.max(0, ((epochMs - startEpochMs) / stripMs) * widthPx));
  const band = (fromEpochMs: number, untilEpochMs: number): Band => ({
    fromPx: toPx(fromEpochMs),
    toPx: toPx(untilEpochMs),
  });
  const ended = row.stalls.map(({ endedAtEpochMs, gapMs }) => ({
    ...band(endedAtEpochMs - gapMs, endedAtEpochMs),
    isOpen: false,
  }));
  const isSilent = row.word === 'silent' && row.silentMs !== undefined;
  const going = isSilent ? [{ ...band(row.untilEpochMs - (row.silentMs ?? 0), row.untilEpochMs), isOpen: true }] : [];
  const bins = { endBin: Math.round(endEpochMs / binMs), binCount: stripMs / binMs, widthPx };
  return {
    life: band(row.openedAtEpochMs, row.untilEpochMs),
    received: heights(row.strip?.received, row.strip?.endBin ?? 0, bins),
    flushed: heights(row.strip?.flushed, row.strip?.endBin ?? 0, bins),
    stalls: [...ended, ...going].filter(({ fromPx, toPx: to }) => to > fromPx),
  };
}

interface Bins {
  readonly endBin: number;
  readonly binCount: number;
  readonly widthPx: number;
}

/** Several bins fall on one pixel: the fullest counts, so that no chunk is lost between two pixels. */
function heights(
  counts: Uint8Array | undefined,
  stripEndBin: number,
  { endBin, binCount, widthPx }: Bins,
): Float32Array {
  const result = new Float32Array(widthPx);
  if (counts === undefined) return result;
  const firstBin = endBin - binCount;
  const stripFirstBin = stripEndBin - counts.length;
  for (let index = 0; index < counts.length; index += 1) {
    const count = counts[index] ?? 0;
    if (count === 0) continue;
    const pixel = Math.floor(((stripFirstBin + index - firstBin) / binCount) * widthPx);
    if (pixel < 0 || pixel >= widthPx) continue;
    result[pixel] = Math.max(result[pixel] ?? 0, heightOf(count));
  }
  return result;
}

function heightOf(count: number): number {
  return LEAST_HEIGHT + (1 - LEAST_HEIGHT) * (Math.log(count) / Math.log(FULL_COUNT));
}

/** More would be a story. */
const TOLD_STALLS_COUNT = 3;

/** What the picture says, for those who hear it and as a tooltip. */
export function stripWords(row: StreamRow): string {
  const { isOpen, word: state, chunkCount, stallCount, silentMs } = row;
  const chunks = `${chunkCount} ${chunkCount === 1 ? 'chunk' : 'chunks'}`;
  const silence = isOpen && state === 'silent' && silentMs !== undefined ? [`silent for ${span(silentMs)}`] : [];
  const told = row.stalls.slice(-TOLD_STALLS_COUNT).map((stall) => `${span(stall.gapMs)} ${causeWord(stall)}`);
  const which = told.length === stallCount ? '' : 'the latest ';
  const stalls = told.length === 0 ? [] : [`${stallWords(stallCount)}: ${which}${told.join(', ')}`];
  return [chunks, ...silence, ...stalls].join('; ');
}

function stallWords(count: number): string {
  return count === 1 ? '1 stall' : `${count} stalls`;
}

/** The cause as the list shows it; one that is not told yet is not the same as one that cannot be told. */
export function causeWord(stall: { readonly cause?: string } | undefined): string {
  if (stall === undefined) return UNKNOWN;
  return stall.cause === undefined
    ? 'cause not told yet'
    : stall.cause === 'unknown'
      ? 'cause unknown'
      : word(stall.cause);
}
