// Goal: a small body is copied whole, of a large one the first and the last 64 KiB, and nothing more is held.
// Method: bodies around each border, in one piece and in many; what was emitted is laid out by its offsets.
import { describe, expect, test } from 'vitest';
import { REQUEST_COPY_EDGE_BYTES as EDGE, REQUEST_COPY_WHOLE_BYTES as WHOLE } from '../../../src/base/limits.ts';
import { RequestCopy } from '../../../src/relay/request-copy.ts';

/** A body whose every byte tells its place. */
function bodyOf(byteCount: number): Buffer {
  const body = Buffer.alloc(byteCount);
  for (let i = 0; i < byteCount; i += 1) body[i] = (i * 31 + (i >> 8)) & 0xff;
  return body;
}

/** The ranges that were emitted, neighbours joined; fails when a byte is not the one of its place. */
function copied(body: Buffer, options: { stated?: boolean; pieceBytes?: number; ends?: boolean } = {}): number[][] {
  const ranges: number[][] = [];
  const copy = new RequestCopy(options.stated === true ? body.length : undefined, (offset, bytes) => {
    expect(bytes.length).toBeGreaterThan(0);
    expect(Buffer.compare(bytes, body.subarray(offset, offset + bytes.length))).toBe(0);
    const last = ranges.at(-1);
    if (last?.[1] === offset) last[1] = offset + bytes.length;
    else ranges.push([offset, offset + bytes.length]);
  });
  const pieceBytes = options.pieceBytes ?? Math.max(1, body.length);
  for (let at = 0; at < body.length; at += pieceBytes) copy.push(body.subarray(at, at + pieceBytes));
  if (options.ends !== false) copy.end();
  return ranges;
}

const PIECES = [undefined, 1_000, 64 * 1024, 100_000];

describe.each([true, false])('a body whose length is stated: %s', (stated) => {
  test('of no bytes emits nothing', () => {
    expect(copied(bodyOf(0), { stated })).toEqual([]);
  });

  test.each([1, EDGE, EDGE + 1, WHOLE - 1, WHOLE])('of %i bytes is copied whole', (byteCount) => {
    for (const pieceBytes of PIECES) {
      expect(copied(bodyOf(byteCount), { stated, ...(pieceBytes && { pieceBytes }) })).toEqual([[0, byteCount]]);
    }
  });
});

test('one byte above the cap, stated, only the two ends are copied', () => {
  for (const pieceBytes of PIECES) {
    const ranges = copied(bodyOf(WHOLE + 1), { stated: true, ...(pieceBytes && { pieceBytes }) });
    expect(ranges).toEqual([
      [0, EDGE],
      [WHOLE + 1 - EDGE, WHOLE + 1],
    ]);
  }
});

test('above the cap without a stated length, what came before we knew is copied, and the end', () => {
  for (const pieceBytes of PIECES) {
    const byteCount = WHOLE + 3 * EDGE + 7;
    expect(copied(bodyOf(byteCount), pieceBytes === undefined ? {} : { pieceBytes })).toEqual([
      [0, WHOLE],
      [byteCount - EDGE, byteCount],
    ]);
    // A rest shorter than the last part is copied once, not twice.
    expect(copied(bodyOf(WHOLE + 5), pieceBytes === undefined ? {} : { pieceBytes })).toEqual([[0, WHOLE + 5]]);
  }
});

test('a body that is cut short emits its first bytes only', () => {
  expect(copied(bodyOf(WHOLE * 2), { stated: true, ends: false })).toEqual([[0, EDGE]]);
  expect(copied(bodyOf(1_000), { stated: true, ends: false })).toEqual([[0, 1_000]]);
});

test('a second end emits nothing again', () => {
  const offsets: number[] = [];
  const copy = new RequestCopy(WHOLE * 2, (offset) => offsets.push(offset));
  copy.push(bodyOf(WHOLE * 2));
  copy.end();
  copy.end();
  expect(offsets).toEqual([0, WHOLE * 2 - EDGE]);
});

test('empty pieces change nothing', () => {
  const ranges: number[][] = [];
  const copy = new RequestCopy(undefined, (offset, bytes) => ranges.push([offset, bytes.length]));
  for (const piece of ['', 'ab', '', 'c', '']) copy.push(Buffer.from(piece));
  copy.end();
  expect(ranges).toEqual([
    [0, 2],
    [2, 1],
  ]);
});
