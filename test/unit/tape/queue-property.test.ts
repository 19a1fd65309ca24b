// Goal: whatever is written and read in whatever order, the tape gives out what a plain queue would, less what its
// counters say was left out, and every end.
// Method: random writes, reads and retries on the smallest ring; the seed is printed when a run fails.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTape, SLOT, type Tape } from '../../../src/tape/layout.ts';
import { TapeReader } from '../../../src/tape/reader.ts';
import { TapeWriter } from '../../../src/tape/writer.ts';
import { anyEntry, write } from './any-entry.ts';
import { handlerOf, type Told } from './tape-log.ts';
import { fuzz } from '../../support/fuzz.ts';

type Step = { readonly write: Told } | { readonly drainCount: number } | { readonly retry: true };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 40, arbitrary: anyEntry.map((entry) => ({ write: entry })) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 40 }).map((drainCount) => ({ drainCount })) },
  { weight: 1, arbitrary: fc.constant({ retry: true as const }) },
);

/** A tape beside a queue of what should come out of it. */
class Pair {
  readonly tape: Tape = createTape(4_096);
  readonly writer = new TapeWriter(this.tape);
  readonly reader = new TapeReader(this.tape);
  /** Ends keep their order among themselves only: one that waits for room is passed by other entries. */
  readonly expected: { readonly ends: Told[]; readonly others: Told[] } = { ends: [], others: [] };
  readonly reached = new Set<string>();
  readonly handler = handlerOf((told) => {
    const queue = told[0] === 'end' ? this.expected.ends : this.expected.others;
    expect(told).toEqual(queue.shift());
  });

  take(one: Step): void {
    if ('write' in one) this.#write(one.write);
    else if ('retry' in one) this.writer.retryEnds();
    else this.reader.drain(this.handler, one.drainCount);
  }

  /** Reads everything, the ends that wait included. */
  settle(): void {
    do {
      this.writer.retryEnds();
    } while (this.reader.drain(this.handler, 1_000) > 0);
    expect(this.expected).toEqual({ ends: [], others: [] });
  }

  #write(entry: Told): void {
    const wasEmpty = this.reader.waitingBytes() === 0;
    const [bytesBefore, chunksBefore, lostBefore] = this.#counts();
    const waitingBefore = this.reader.waitingBytes();
    write(this.writer, entry);
    const [bytes, chunks, lost] = this.#counts();
    const accepted = this.reader.waitingBytes() > waitingBefore;
    const kind = entry[0];
    // Each kind has one way to be lost, and only that one may be counted.
    const lostNow = lost - lostBefore;
    const chunksNow = chunks - chunksBefore;
    const bytesNow = bytes - bytesBefore;
    if (kind === 'end') {
      this.expected.ends.push(entry);
      expect([bytesNow, chunksNow, lostNow]).toEqual([0, 0, 0]);
      if (!accepted) this.reached.add('end waits');
      return;
    }
    const omitted = kind === 'chunk' && entry[1].bytes !== undefined && bytesNow === 1;
    if (accepted)
      this.expected.others.push(omitted ? ['chunk', { ...entry[1], bytes: undefined, bytesOmitted: true }] : entry);
    if (kind === 'chunk') expect([chunksNow, lostNow]).toEqual([accepted ? 0 : 1, 0]);
    else if (kind === 'flush' || kind === 'pause')
      expect([bytesNow, chunksNow, lostNow]).toEqual([0, accepted ? 0 : 1, 0]);
    else if (kind === 'requestBytes') expect([bytesNow, chunksNow, lostNow]).toEqual([accepted ? 0 : 1, 0, 0]);
    else expect([bytesNow, chunksNow, lostNow]).toEqual([0, 0, accepted ? 0 : 1]);
    // An empty ring takes any of these entries whole, wherever in it the next place is.
    if (wasEmpty) expect([accepted, omitted]).toEqual([true, false]);
    this.reached.add(`${kind} ${accepted ? (omitted ? 'omitted' : 'whole') : 'lost'}`);
  }

  #counts(): [number, number, number] {
    const { control } = this.tape;
    return [
      Atomics.load(control, SLOT.droppedBytesCount),
      Atomics.load(control, SLOT.droppedChunkCount),
      Atomics.load(control, SLOT.lostEntryCount),
    ];
  }
}

test('the tape is a queue that tells what it left out', () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 400, size: 'max' }), (steps) => {
      const pair = new Pair();
      for (const one of steps) pair.take(one);
      pair.settle();
      for (const what of pair.reached) reached.add(what);
    }),
    // Shrinking hundreds of steps takes minutes; the failing seed and path are told all the same.
    { ...fuzz(150), endOnFailure: true },
  );
  // The runs must have met every step of overload, or they would prove little.
  const steps = [
    'chunk whole',
    'chunk omitted',
    'chunk lost',
    'flush lost',
    'requestBytes lost',
    'mark lost',
    'open lost',
  ];
  expect([...steps, 'head lost', 'connected lost', 'end waits'].filter((what) => !reached.has(what))).toEqual([]);
});
