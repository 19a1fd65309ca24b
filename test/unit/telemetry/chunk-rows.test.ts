// Goal: chunk arrays are whole µs that add up without drift.
// Method: odd ns moments; sums of the arrays against rounded moments; any records against the columns written out
// plainly, each by itself.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { SPAN_CHUNKS_MAX_COUNT } from '../../../src/base/limits.ts';
import { CHUNK_AFTER_LOSS } from '../../../src/record/kinds.ts';
import { chunkRowsOf } from '../../../src/telemetry/chunk-rows.ts';
import { hrTimeOf, partsUs } from '../../../src/telemetry/span-time.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { fuzz } from '../../support/fuzz.ts';
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

/** Each column by itself, as its name says. */
function plainColumns({ chunks, events }: StreamRecord, startAtNs: number) {
  const us = (atNs: number): number => Math.round((atNs - startAtNs) / 1000);
  const received = chunks.receivedAtNs.map(us);
  const written = chunks.writtenAtNs.map(us);
  const kind = received.map((_, row) => {
    return events.chunk.some((of, index) => of === row && events.generated[index] !== 0) ? 1 : 0;
  });
  const gapUs = kind.map((isGenerated, row) => {
    const reads = [...kind.keys()].filter((each) => each <= row && kind[each] === 1);
    const moments = [...new Set(reads.map((each) => chunks.receivedAtNs[each]))];
    const isFirst = reads.findIndex((each) => chunks.receivedAtNs[each] === chunks.receivedAtNs[row]);
    if (isGenerated === 0 || moments.length < 2 || reads[isFirst] !== row) return 0;
    const before = reads.find((each) => chunks.receivedAtNs[each] === moments.at(-2)) ?? 0;
    const isLost = chunks.flags.slice(before + 1, row + 1).some((flags) => (flags & CHUNK_AFTER_LOSS) !== 0);
    return isLost ? 0 : (received[row] ?? 0) - (received[before] ?? 0);
  });
  return {
    firstUs: received[0],
    atUs: received.map((atUs, row) => (row === 0 ? 0 : atUs - (received[row - 1] ?? 0))),
    gapUs,
    holdUs: written.map((atUs, row) => atUs - (received[row] ?? 0)),
    flushUs: chunks.flushedAtNs.map((atNs, row) => (atNs === null ? -1 : us(atNs) - (written[row] ?? 0))),
    bytes: chunks.bytes,
    kind,
  };
}

it('is what its columns are one by one, of any stream', () => {
  const step = fc.record({
    stepNs: fc.integer({ min: 1, max: 90_000_000 }),
    chunks: fc.array(fc.constantFrom('text', 'text text', 'role', 'ping', 'tool'), { minLength: 1, maxLength: 3 }),
    flushAfterNs: fc.option(fc.integer({ min: 0, max: 40_000_000 })),
    flags: fc.constantFrom(0, 0, 0, 0, CHUNK_AFTER_LOSS),
  });
  const steps = fc.array(step, { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 5_000_000 }), (list, startAtNs) => {
      let atMs = 0;
      const reads = list.map(({ stepNs, chunks, ...rest }) => read((atMs += stepNs / 1e6), chunks, rest));
      const record = buildRecord({ reads });
      expect(chunkRowsOf(record, startAtNs)).toEqual(plainColumns(record, startAtNs));
    }),
    fuzz(200),
  );
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
