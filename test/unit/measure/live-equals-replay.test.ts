// Goal: what was counted live and what a replay computes from the record cannot differ.
// Method: random exchanges, told to live meters in the order of a tape, with events decoded late by a
// random number of entries; then the record that this leaves is replayed and compared.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TAINT_CAUSES, type Stall, type TaintCause } from '../../../src/measure/figures.ts';
import { FirstTokenMeter } from '../../../src/measure/first-token-meter.ts';
import { createGapMeter, type GapMeter } from '../../../src/measure/gap-meter.ts';
import { type Replayed, replayStream } from '../../../src/measure/replay.ts';
import { HeardPauses, RelayPauses } from '../../../src/observe/relay-pauses.ts';
import { ChunkLog } from '../../../src/record/chunk-log.ts';
import { EventLog } from '../../../src/record/event-log.ts';
import { channelBit } from '../../../src/record/kinds.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { buildRecord, ms } from '../../support/record-builder.ts';
import { fuzz } from '../../support/fuzz.ts';

const STALL_MS = 5;

type Entry =
  | {
      readonly type: 'chunk';
      readonly newTurn: boolean;
      readonly channels: readonly number[];
      readonly errorBoundNs: number;
      readonly flags: number;
    }
  | { readonly type: 'flush' }
  | { readonly type: 'block' }
  | { readonly type: 'unblock' }
  | {
      readonly type: 'pause';
      readonly startedAgoNs: number;
      readonly endedAgoNs: number;
      readonly cause: 'gc' | 'cpu' | 'clock';
    }
  /** The decoder hands out the events of so many waiting chunks. */
  | { readonly type: 'decode'; readonly chunkCount: number };

const smallNs = fc.integer({ min: 0, max: ms(12) });
const entry: fc.Arbitrary<Entry> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('chunk' as const),
      newTurn: fc.boolean(),
      channels: fc.array(fc.constantFrom(0, channelBit('text'), channelBit('reasoning')), { maxLength: 3 }),
      errorBoundNs: fc.oneof(
        { weight: 1, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: ms(3) }) },
      ),
      flags: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2) }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Entry>(
      { type: 'flush' },
      { type: 'flush' },
      { type: 'flush' },
      { type: 'flush' },
      { type: 'block' },
      { type: 'unblock' },
      { type: 'unblock' },
      { type: 'unblock' },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('pause' as const),
      startedAgoNs: smallNs,
      endedAgoNs: smallNs,
      cause: fc.constantFrom('gc' as const, 'cpu' as const, 'clock' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('decode' as const), chunkCount: fc.integer({ min: 1, max: 4 }) }),
  },
);
const tape = fc.array(fc.tuple(smallNs, entry), { minLength: 10, maxLength: 150, size: 'max' });

/** Plays the observer: keeps the logs, tells the meters, and in the end leaves a record. */
class Exchange {
  readonly chunks = new ChunkLog();
  readonly events = new EventLog();
  readonly said = {
    gapsNs: { received: [] as number[], flushed: [] as number[] },
    stalls: [] as Stall[],
    taintedCounts: Object.fromEntries(TAINT_CAUSES.map((cause) => [cause, 0])) as Record<TaintCause, number>,
    coalescedCount: 0,
    ttftNs: undefined as number | undefined,
    ttfoNs: undefined as number | undefined,
  };
  readonly #relayPauses = new RelayPauses();
  readonly #pauses = new HeardPauses(this.#relayPauses, 0, (pause) => this.gaps.onPause(pause));
  readonly gaps: GapMeter = createGapMeter({
    chunks: this.chunks,
    stallNs: ms(STALL_MS),
    hearPauses: (sinceNs) => this.#pauses.hearSince(sinceNs),
    listener: {
      onGap: (point, { chunk, atNs, gapNs, stalled }) => {
        this.said.gapsNs[point].push(gapNs);
        if (stalled) this.said.stalls.push({ chunk, atNs, gapNs });
      },
      onTaintedGap: (cause) => {
        this.said.taintedCounts[cause] += 1;
      },
      onCoalesced: () => {
        this.said.coalescedCount += 1;
      },
    },
  });
  readonly firstToken = new FirstTokenMeter(this.chunks, {
    onFirstToken: (ttftNs) => {
      expect(this.said.ttftNs).toBeUndefined();
      this.said.ttftNs = ttftNs;
    },
    onFirstVisibleToken: (ttfoNs) => {
      expect(this.said.ttfoNs).toBeUndefined();
      this.said.ttfoNs = ttfoNs;
    },
  });
  #undecoded: { row: number; channels: readonly number[] }[] = [];
  #unflushed: number[] = [];
  #readAtNs = 0;

  take(nowNs: number, one: Entry): void {
    if (one.type === 'chunk') this.#takeChunk(nowNs, one);
    else if (one.type === 'flush') this.#takeFlush(nowNs);
    else if (one.type === 'block') this.gaps.onBlocked(nowNs);
    else if (one.type === 'unblock') this.gaps.onUnblocked(nowNs);
    else if (one.type === 'decode') this.decode(one.chunkCount);
    else {
      const [startAtNs, endAtNs] = [nowNs - one.startedAgoNs, nowNs - one.endedAgoNs].toSorted((a, b) => a - b);
      this.#relayPauses.add({ startAtNs: startAtNs as number, endAtNs: endAtNs as number, cause: one.cause });
    }
  }

  decode(chunkCount: number): void {
    for (const { row, channels } of this.#undecoded.splice(0, chunkCount)) {
      for (const generated of channels) {
        this.events.add({ chunk: row, kind: 'other', generated, tokensSoFar: undefined });
        if (generated === 0) continue;
        this.gaps.onGenerated(row);
        this.firstToken.onGenerated(row, generated);
      }
    }
  }

  freeze(): StreamRecord {
    this.decode(this.#undecoded.length);
    this.#pauses.hearLatest(8);
    const record: StreamRecord = {
      ...buildRecord({ stallMs: STALL_MS }),
      chunks: this.chunks.columns,
      events: this.events.columns,
      blockedNs: this.gaps.blockedNs,
      pauses: this.gaps.pauses,
    };
    return JSON.parse(JSON.stringify(record)) as StreamRecord;
  }

  #takeChunk(nowNs: number, one: Entry & { type: 'chunk' }): void {
    if (one.newTurn) this.#readAtNs = nowNs;
    const { errorBoundNs, flags } = one;
    const row = this.chunks.add({
      receivedAtNs: this.#readAtNs,
      writtenAtNs: nowNs,
      errorBoundNs,
      bytes: 1,
      queuedBytes: 0,
      flags,
    }) as number;
    this.#unflushed.push(row);
    this.#undecoded.push({ row, channels: one.channels });
  }

  #takeFlush(nowNs: number): void {
    const row = this.#unflushed.shift();
    if (row === undefined) return;
    this.chunks.flush(row, nowNs);
    this.gaps.onFlush(row);
    this.firstToken.onFlush(row);
  }
}

function comparable({ gapsNs, stalls, taintedCounts, coalescedCount, ttftNs, ttfoNs }: Replayed): Exchange['said'] {
  return {
    gapsNs: { received: [...gapsNs.received], flushed: [...gapsNs.flushed] },
    stalls: [...stalls],
    taintedCounts: { ...taintedCounts },
    coalescedCount,
    ttftNs,
    ttfoNs,
  };
}

test('a replay says what was said live, for any order of entries', () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(tape, (entries) => {
      const exchange = new Exchange();
      let nowNs = 0;
      for (const [afterNs, one] of entries) {
        nowNs += afterNs + 1;
        exchange.take(nowNs, one);
      }
      const record = exchange.freeze();
      expect(comparable(replayStream(record))).toEqual(exchange.said);
      for (const [cause, count] of Object.entries(exchange.said.taintedCounts)) if (count > 0) reached.add(cause);
      if (exchange.said.stalls.length > 0) reached.add('stall');
      if (exchange.said.gapsNs.flushed.length > 0) reached.add('flushed');
    }),
    fuzz(600),
  );
  // A comparison of nothing with nothing would pass as well.
  expect([...reached].toSorted()).toEqual(['backpressure', 'clock', 'cpu', 'flushed', 'gc', 'loop', 'stall']);
});
