// Goal: rubato says of every chunk how long it had it, and what a chunk takes longer than without rubato is in what it
// says: no state of ours holds a byte, or a request, without a name (T05, the reference's invariant of own delays).
// Method: streams through the sidecar and directly, side by side; of each chunk the engine's write, the client's read
// and rubato's own stamps. One-sided: what rubato does not account for is compared with the slowest of the direct way,
// in which there is nothing but the machine.
import { expect, test } from 'vitest';
import { expectSplitToSum } from '../support/answer.ts';
import { useBench, type Run } from '../support/bench.ts';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import { at, c, D, DONE, END, FINISH, HEAD } from '../support/script.ts';

const bench = useBench();
const STREAM_COUNT = 20;
const CHUNK_COUNT = 40;
const EVERY_MS = 20;
/** One odd moment of a shared machine is no fault; a state of ours that holds chunks is there each time. */
const ATTEMPT_COUNT = 4;
/** The reference's slack, for the wake-ups of one more process. */
const SLACK_NS = 0.3e6;

const SCRIPT = [
  at(0, HEAD),
  ...Array.from({ length: CHUNK_COUNT }, (_, index) => at(30 + index * EVERY_MS, c(D(`t${index}`)))),
  at(30 + CHUNK_COUNT * EVERY_MS, c(FINISH + DONE), END),
];

interface Written {
  readonly bodyBytes: number;
  readonly tookNs: number;
}

/** Engine's write → client's read, by how much body there was then. */
function delays({ exchange, response }: Run): Written[] {
  return (exchange.answer?.marks ?? []).map(({ bodyBytes, atNs }) => {
    const read = response.marks.find((mark) => mark.bodyBytes >= bodyBytes);
    return { bodyBytes, tookNs: (read?.atNs ?? Infinity) - atNs };
  });
}

/** What rubato says of the chunk in which that byte was: came → left, and how late its stamp may be. */
function ownNs({ chunks }: StreamRecord, bodyBytes: number): number {
  let sum = 0;
  const row = chunks.bytes.findIndex((bytes) => (sum += bytes) >= bodyBytes);
  return (chunks.flushedAtNs[row] ?? NaN) - (chunks.receivedAtNs[row] ?? NaN) + (chunks.errorBoundNs[row] ?? NaN);
}

const largest = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);

test('T05 what a chunk takes longer than without rubato is in rubato’s own account of it', async () => {
  let worstNs = Infinity;
  let allowedNs = 0;
  for (let attempt = 0; attempt < ATTEMPT_COUNT && worstNs > allowedNs; attempt += 1) {
    const all = Array.from({ length: STREAM_COUNT }, (_, index) => bench.run({ script: SCRIPT }, ...directIf(index)));
    const runs = await Promise.all(all);
    const direct = runs.filter((_, index) => index % 2 === 0).flatMap(delays);
    const unknownNs: number[] = [];
    for (const run of runs.filter((_, index) => index % 2 === 1)) {
      const entry = await bench.recordOf(run);
      const { chunks } = entry.record;
      expectSplitToSum(entry);
      // Every chunk has all stamps, in the order of things.
      for (const [row, receivedAtNs] of chunks.receivedAtNs.entries()) {
        expect(chunks.writtenAtNs[row]).toBeGreaterThanOrEqual(receivedAtNs);
        expect(chunks.flushedAtNs[row]).toBeGreaterThanOrEqual(chunks.writtenAtNs[row] as number);
      }
      unknownNs.push(...delays(run).map(({ bodyBytes, tookNs }) => tookNs - ownNs(entry.record, bodyBytes)));
    }
    expect(unknownNs.length).toBeGreaterThanOrEqual((STREAM_COUNT / 2) * CHUNK_COUNT);
    worstNs = largest(unknownNs);
    allowedNs = largest(direct.map(({ tookNs }) => tookNs)) * 2 + SLACK_NS + 1e6;
  }
  expect(worstNs).toBeLessThanOrEqual(allowedNs);
}, 60_000);

/** Every other stream has nothing between. */
function directIf(index: number): ['direct'] | [] {
  return index % 2 === 0 ? ['direct'] : [];
}
