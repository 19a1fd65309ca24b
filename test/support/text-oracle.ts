// What a curve of text must be, worked out from the whole text at once and with arithmetic of its own.
import type { Channel } from '../../src/record/kinds.ts';
import { HASH_STEP_CHARS, type TextCurve } from '../../src/record/text-curve.ts';
import { TextLog } from '../../src/record/text-log.ts';
import { createAnswerReader, type AnswerHead, type RequestHints } from '../../src/stream/answer-reader.ts';

/** One piece of generated text and the row of the chunk that completed it. */
export interface Piece {
  readonly channel: Channel;
  readonly choice: number;
  readonly text: string;
  readonly chunk: number;
}

/** A lane without the chunks: what two sights of one answer have in common. */
export interface LaneText {
  readonly channel: Channel;
  readonly choice: number;
  readonly chars: number;
  readonly prefixHashes: readonly number[];
  readonly endHash: number;
}

/** Characters as code points; half a pair is a replacement character, as in UTF-8. */
export function pointsOf(text: string): number[] {
  return Array.from(text.toWellFormed(), (char) => char.codePointAt(0) as number);
}

/** FNV-1a with big integers, a code point a step. */
export function hashOf(points: readonly number[]): number {
  let hash = 0x811c9dc5n;
  for (const point of points) hash = ((hash ^ BigInt(point)) * 0x01000193n) & 0xffffffffn;
  return Number(hash);
}

export function laneText(channel: Channel, choice: number, text: string): LaneText {
  const points = pointsOf(text);
  const steps = Array.from({ length: Math.floor(points.length / HASH_STEP_CHARS) }, (_, step) => step + 1);
  return {
    channel,
    choice,
    chars: points.length,
    prefixHashes: steps.map((step) => hashOf(points.slice(0, step * HASH_STEP_CHARS))),
    endHash: hashOf(points),
  };
}

export function laneTexts({ lanes }: TextCurve): LaneText[] {
  return lanes.map(({ channel, choice, endChars, prefixHashes, endHash }) => ({
    channel,
    choice,
    chars: endChars.at(-1) ?? 0,
    prefixHashes,
    endHash,
  }));
}

/** What a body that comes in these pieces generates; a piece is a chunk. */
export function tell(
  pieces: readonly (Uint8Array | string)[],
  head: AnswerHead,
  hints: RequestHints,
): { readonly curve: TextCurve; readonly textLost: boolean } {
  const log = new TextLog();
  let chunk = 0;
  const reader = createAnswerReader(
    head,
    {
      ...hints,
      onText: (channel, choice, text) => log.add(channel, choice, text, chunk),
    },
    () => undefined,
  );
  for (const [index, piece] of pieces.entries()) {
    chunk = index;
    reader.feed(Buffer.from(piece));
  }
  reader.end();
  const curve = log.finish();
  log.release();
  return { curve, textLost: reader.textLost };
}
