// Goal: what is packed comes back as it was, from any row on, and memory that is given back is used again.
// Method: numbers of all sizes against themselves; pages counted while blocks are taken and given.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LOG_BLOCK_BYTES, LOG_PAGE_BYTES, LOG_PAGES_SPARE_COUNT } from '../../../src/base/record-limits.ts';
import {
  BlockPages,
  type Cursor,
  NO_BYTES,
  PackedRows,
  readByte,
  readSigned,
  readUnsigned,
} from '../../../src/record/packed-rows.ts';
import { fuzz } from '../../support/fuzz.ts';

const BLOCKS_PER_PAGE = LOG_PAGE_BYTES / LOG_BLOCK_BYTES;
const EDGES = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 52, Number.MAX_SAFE_INTEGER];

describe('numbers', () => {
  test.each(EDGES)('%d comes back', (value) => {
    const rows = new PackedRows(32, new BlockPages());
    rows.begin();
    rows.unsigned(value);
    rows.signed(Math.min(value, 2 ** 52 - 1));
    rows.signed(-Math.min(value, 2 ** 52 - 1));
    const back: number[] = [];
    rows.forEach((cursor) => back.push(readUnsigned(cursor), readSigned(cursor), readSigned(cursor)));
    const signed = Math.min(value, 2 ** 52 - 1);
    expect(back).toEqual([value, signed, signed === 0 ? 0 : -signed]);
  });

  test('of any size and sign come back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.maxSafeNat(), fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 })), { maxLength: 200 }),
        (pairs) => {
          const rows = new PackedRows(16, new BlockPages());
          for (const [natural, integer] of pairs) {
            rows.begin();
            rows.unsigned(natural);
            rows.signed(integer);
          }
          const back: [number, number][] = [];
          rows.forEach((cursor) => back.push([readUnsigned(cursor), readSigned(cursor)]));
          expect(back).toEqual(pairs);
        },
      ),
      fuzz(100),
    );
  });
});

test('any row is found from the beginning of its block', () => {
  const rows = new PackedRows(9, new BlockPages());
  const firsts = new Set<number>();
  for (let row = 0; row < 1_000; row += 1) {
    if (rows.begin()) firsts.add(row);
    rows.byte(row % 256);
    rows.unsigned(row * 1_000_000_007);
  }
  const cursor: Cursor = { bytes: NO_BYTES, at: 0 };
  for (let row = 0; row < 1_000; row += 1) {
    let at = rows.seek(row, cursor);
    expect(firsts.has(at)).toBe(true);
    for (; at < row; at += 1) {
      readByte(cursor);
      readUnsigned(cursor);
    }
    expect([readByte(cursor), readUnsigned(cursor)]).toEqual([row % 256, row * 1_000_000_007]);
  }
  expect(() => rows.seek(1_000, cursor)).toThrow('row 1000 is not among 1000');
});

describe('pages', () => {
  test('logs that come and go one after the other use the same page', () => {
    const pages = new BlockPages();
    for (let log = 0; log < 1_000; log += 1) {
      const rows = new PackedRows(16, pages);
      for (let row = 0; row < 100; row += 1) {
        rows.begin();
        rows.unsigned(row);
      }
      rows.release();
      expect(rows.count).toBe(0);
    }
    expect(pages.pageCount).toBe(1);
  });

  test('of a crowd that has gone only the spare ones are kept, and a new crowd gets what it needs', () => {
    const pages = new BlockPages();
    const crowd = (LOG_PAGES_SPARE_COUNT + 10) * BLOCKS_PER_PAGE;
    for (let round = 0; round < 3; round += 1) {
      const blocks = Array.from({ length: crowd }, () => pages.take());
      expect(new Set(blocks).size).toBe(crowd);
      expect(pages.pageCount).toBe(LOG_PAGES_SPARE_COUNT + 10);
      for (const block of blocks) pages.give(block);
      expect(pages.pageCount).toBe(LOG_PAGES_SPARE_COUNT);
    }
  });

  test('no two blocks in use overlap', () => {
    const pages = new BlockPages();
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 600 }), (steps) => {
        const taken: number[] = [];
        for (const [step, isTake] of steps.entries()) {
          const given = isTake ? undefined : taken.splice(step % (taken.length + 1), 1)[0];
          if (given === undefined) taken.push(pages.take());
          else pages.give(given);
        }
        for (const [index, block] of taken.entries()) {
          pages.bytesOf(block).fill(index % 250, pages.startOf(block), pages.startOf(block) + LOG_BLOCK_BYTES);
        }
        for (const [index, block] of taken.entries()) {
          const bytes = pages.bytesOf(block).subarray(pages.startOf(block), pages.startOf(block) + LOG_BLOCK_BYTES);
          expect(bytes.every((byte) => byte === index % 250)).toBe(true);
        }
        for (const block of taken) pages.give(block);
      }),
      fuzz(100),
    );
  });
});
