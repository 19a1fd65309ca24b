// Goal: an exchange hears of the pauses of its relay that it needs, each once, in their order, and judges its gaps as
// if it had been told of each at once. Method: pauses added by hand; random gaps and pauses, told both ways.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PAUSES_FORGET_FROM_COUNT, RELAY_PAUSES_MAX_COUNT } from '../../../src/base/record-limits.ts';
import { createGapMeter, type GapMeter } from '../../../src/measure/gap-meter.ts';
import { HeardPauses, RelayPauses } from '../../../src/observe/relay-pauses.ts';
import { ChunkLog } from '../../../src/record/chunk-log.ts';
import { ms } from '../../support/record-builder.ts';
import { fuzz } from '../../support/fuzz.ts';

const OPENED_AT_NS = 1_000;

/** A relay that pauses for 1 ns before each of these moments since the exchange opened. */
function pausesAt(pauses: RelayPauses, ...endsNs: number[]): void {
  for (const endNs of endsNs) {
    const endAtNs = OPENED_AT_NS + endNs;
    pauses.add({ startAtNs: endAtNs - 1, endAtNs, cause: 'gc' });
  }
}

/** What an exchange hears of them, and the ends of those that it is told by a call. */
function listener(relay: RelayPauses): { heard: HeardPauses; endsOf: (hear: () => void) => number[] } {
  const ends: number[] = [];
  const heard = new HeardPauses(relay, OPENED_AT_NS, ({ endAtNs }) => ends.push(endAtNs));
  const endsOf = (hear: () => void): number[] => {
    hear();
    return ends.splice(0);
  };
  return { heard, endsOf };
}

describe('an exchange hears', () => {
  test('of what became known since it opened and was not over then, moments counted from its opening', () => {
    const relay = new RelayPauses();
    pausesAt(relay, 5);
    const { heard, endsOf } = listener(relay);
    pausesAt(relay, 10, 30, 20);
    expect(endsOf(() => heard.hearSince(10))).toEqual([30, 20]);
  });

  test('of each once, and of what it passed over never', () => {
    const relay = new RelayPauses();
    const { heard, endsOf } = listener(relay);
    pausesAt(relay, 10, 20);
    expect(endsOf(() => heard.hearSince(15))).toEqual([20]);
    expect(endsOf(() => heard.hearSince(0))).toEqual([]);
    pausesAt(relay, 12);
    expect(endsOf(() => heard.hearSince(0))).toEqual([12]);
  });

  test('of the latest so many, but of none that was over before it opened', () => {
    const relay = new RelayPauses();
    const { heard, endsOf } = listener(relay);
    pausesAt(relay, 1, 2, 3, 0, 4);
    expect(endsOf(() => heard.hearLatest(3))).toEqual([3, 4]);
    expect(endsOf(() => heard.hearLatest(3))).toEqual([]);
  });

  test('of those that its relay keeps: the oldest of too many give way', () => {
    const relay = new RelayPauses();
    const { heard, endsOf } = listener(relay);
    pausesAt(relay, ...Array.from({ length: RELAY_PAUSES_MAX_COUNT + 1 }, (_, index) => index + 1));
    const ends = endsOf(() => heard.hearSince(0));
    expect([ends.length, ends[0], ends.at(-1)]).toEqual([RELAY_PAUSES_MAX_COUNT, 2, RELAY_PAUSES_MAX_COUNT + 1]);
  });
});

/** What a meter tells of its gaps. */
class Told {
  readonly words: (readonly unknown[])[] = [];
  readonly chunks = new ChunkLog();
  readonly meter: GapMeter;

  constructor(hearPauses?: (sinceNs: number) => void) {
    this.meter = createGapMeter({
      chunks: this.chunks,
      stallNs: ms(50),
      listener: {
        onGap: (point, gap) => void this.words.push([point, gap]),
        onTaintedGap: (cause, chunk) => void this.words.push([cause, chunk]),
        onCoalesced: () => void this.words.push(['coalesced']),
      },
      ...(hearPauses && { hearPauses }),
    });
  }

  read(receivedAtNs: number, errorBoundNs: number): void {
    const entry = { receivedAtNs, writtenAtNs: receivedAtNs, errorBoundNs, bytes: 1, queuedBytes: 0, flags: 0 };
    this.meter.onGenerated(this.chunks.add(entry) as number);
  }
}

const step = fc.record({
  afterNs: fc.integer({ min: 0, max: ms(60) }),
  boundNs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: ms(30) })),
  /** A pause that became known before the read; ended so long before it. */
  pause: fc.option(
    fc.record({
      endedAgoNs: fc.integer({ min: 0, max: ms(40) }),
      lengthNs: fc.integer({ min: 1, max: ms(20) }),
      cause: fc.constantFrom('gc' as const, 'cpu' as const, 'clock' as const),
    }),
  ),
});

test('gaps are judged as if each pause had been told as it became known', () => {
  const causes = new Set<unknown>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: PAUSES_FORGET_FROM_COUNT - 1 }), (steps) => {
      const relay = new RelayPauses();
      const heard = new HeardPauses(relay, 0, (pause) => asNeeded.meter.onPause(pause));
      const atOnce = new Told();
      const asNeeded: Told = new Told((sinceNs) => heard.hearSince(sinceNs));
      let nowNs = 0;
      // A stamp is off by the time since the loop's last look, and those looks ascend.
      let lookNs = -Infinity;
      for (const { afterNs, boundNs, pause } of steps) {
        nowNs += afterNs;
        if (pause !== null) {
          const endAtNs = nowNs - pause.endedAgoNs;
          const told = { startAtNs: endAtNs - pause.lengthNs, endAtNs, cause: pause.cause };
          atOnce.meter.onPause(told);
          relay.add(told);
        }
        lookNs = Math.max(lookNs, nowNs - boundNs);
        for (const one of [atOnce, asNeeded]) one.read(nowNs, nowNs - lookNs);
      }
      for (const word of atOnce.words) causes.add(word[0]);
      expect(asNeeded.words).toEqual(atOnce.words);
    }),
    fuzz(2_000),
  );
  expect(causes).toEqual(new Set(['received', 'coalesced', 'loop', 'gc', 'cpu', 'clock']));
});
