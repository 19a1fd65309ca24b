// Goal: chunk arrays are whole µs that add up without drift.
// Method: odd ns moments; sums of the arrays against rounded moments.
import { expect, it } from 'vitest';
import { SPAN_CHUNKS_MAX_COUNT } from '../../../src/base/limits.ts';
import { CHUNK_AFTER_LOSS } from '../../../src/record/kinds.ts';
import { chunkRowsOf } from '../../../src/telemetry/chunk-rows.ts';
import { hrTimeOf, partsUs } from '../../../src/telemetry/span-time.ts';
import { buildRecord, read, texts } from '../../support/record-builder.ts';

it('is absent when no chunk came', () => {
  expect(chunkRowsOf(buildRecord({ status: null }), 0)).toBeUndefined();
});

it('lists each chunk with its length of arrival, gap, hold and flush', () => {
  const record = buildRecord({
    reads: [
      read(1, 'role'),
      read(5, 'text', { writeAfterNs: 1_400, flushAfterNs: 3_600 }),
      read(9, ['text', 'text']),
      read(12, 'ping'),
      read(20, 'text finish', { flushAfterNs: null }),
    ],
  });
  expect(chunkRowsOf(record, 500_000)).toEqual({
    firstUs: 500,
    atUs: [0, 4_000, 4_000, 0, 3_000, 8_000],
    // The second chunk of the third read shares its stamp; the ping carries no fragment.
    gapUs: [0, 0, 4_000, 0, 0, 11_000],
    holdUs: [10, 1, 10, 10, 10, 10],
    flushUs: [15, 3, 15, 15, 15, -1],
    bytes: [100, 100, 100, 100, 100, 200],
    kind: [0, 1, 1, 1, 0, 1],
  });
});

it('does not drift: first + sum of at is the rounded moment of each chunk', () => {
  const record = buildRecord({ reads: texts(0.0004, 1.000_499, 3_000) });
  const rows = chunkRowsOf(record, 0);
  let atUs = rows?.firstUs ?? -1;
  const moments = rows?.atUs.map((stepUs) => (atUs += stepUs));
  expect(moments).toEqual(record.chunks.receivedAtNs.map((atNs) => Math.round(atNs / 1000)));
});

it('shows no gap where chunks were lost', () => {
  const record = buildRecord({
    reads: [read(1, 'text'), read(5, 'text', { flags: CHUNK_AFTER_LOSS }), read(7, 'text')],
  });
  expect(chunkRowsOf(record, 0)?.gapUs).toEqual([0, 0, 2_000]);
});

it('lists as many chunks as a span may and no more', () => {
  const record = buildRecord({ reads: texts(1, 1, SPAN_CHUNKS_MAX_COUNT + 5) });
  expect(chunkRowsOf(record, 0)?.atUs).toHaveLength(SPAN_CHUNKS_MAX_COUNT);
});

it('parts in µs sum to the rounded whole', () => {
  const parts = partsUs([499, 499, 499, 1_499]);
  expect(parts).toEqual([0, 1, 0, 2]);
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(Math.round((499 * 3 + 1_499) / 1000));
});

it('times carry ns over into seconds and keep the fraction of the anchor', () => {
  expect(hrTimeOf(1_796_000_000_999.5, 600_000)).toEqual([1_796_000_001, 100_000]);
  expect(hrTimeOf(1_796_000_000_000, 3_600_000_000_001)).toEqual([1_796_003_600, 1]);
});
