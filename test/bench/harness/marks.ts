// Reading the marks of raw messages. Pure.
import type { BodyMark } from '../../support/wire-parser.ts';

/** The moment at which so many body bytes had come; NaN when they never did. */
export function readAtNs(marks: readonly BodyMark[], bodyBytes: number): number {
  return marks.find((mark) => mark.bodyBytes >= bodyBytes)?.atNs ?? NaN;
}
