// The texts of a crowd's streams, made anew whenever they are needed: what any stream must hold is known from
// its number alone, so thousands of them can be checked byte by byte without keeping any.
import { crc32 } from 'node:zlib';

const FILLER = 'abcdefghijklmnopqrstuvwxyz '.repeat(8);
const LAST = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

/** The n-th event of a stream: no two are alike, nor are their sizes. */
export function eventOf(stream: number, index: number): string {
  const content = `${stream}-${index} ${FILLER.slice(0, (stream * 31 + index * 17) % 97)}`;
  return `data: {"id":"c${stream}","model":"crowd","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
}

/** What ends a stream after its events. */
export function lastOf(): string {
  return LAST;
}

export interface Sum {
  readonly bytes: number;
  readonly crc: number;
}

/** Length and checksum of a whole body. */
export function sumOfWhole(stream: number, eventCount: number): Sum {
  let sum: Sum = { bytes: 0, crc: 0 };
  for (let index = 0; index < eventCount; index += 1) sum = plus(sum, eventOf(stream, index));
  return plus(sum, LAST);
}

/** The checksum that the first so many bytes of a stream must have, however many events that is. */
export function crcOfPrefix(stream: number, bytes: number): number {
  let sum: Sum = { bytes: 0, crc: 0 };
  for (let index = 0; sum.bytes < bytes; index += 1) {
    sum = plus(sum, eventOf(stream, index).slice(0, bytes - sum.bytes));
  }
  return sum.crc;
}

function plus({ bytes, crc }: Sum, text: string): Sum {
  return { bytes: bytes + text.length, crc: crc32(text, crc) };
}
