// Goal: a gap is tainted exactly when its ends cannot be trusted, and by the right cause.
// Method: gaps with bounds at and just beyond each limit, pauses inside and beside the uncertain windows.
import { describe, expect, test } from 'vitest';
import type { Pause } from '../../../src/record/stream-record.ts';
import { BlockedLog } from '../../../src/measure/blocked-log.ts';
import { PauseLog } from '../../../src/measure/pause-log.ts';
import { type GapEnds, taintCause } from '../../../src/measure/taint.ts';
import { ms } from '../../support/record-builder.ts';

/** A gap from 1,000 ms on. */
function gap(lengthNs: number, overrides: Partial<GapEnds> = {}): GapEnds {
  const startAtNs = ms(1_000);
  return { startAtNs, endAtNs: startAtNs + lengthNs, startBoundNs: 0, endBoundNs: 0, readsBefore: 5, ...overrides };
}

function pause(startMs: number, endMs: number, cause: Pause['cause'] = 'gc', knownFromRead?: number): Pause {
  const known = knownFromRead === undefined ? {} : { knownFromRead };
  return { startAtNs: ms(startMs), endAtNs: ms(endMs), cause, ...known };
}

function causeOf(ends: GapEnds, pauses: readonly Pause[] = [], blocked = new BlockedLog()): string | undefined {
  const log = new PauseLog();
  for (const one of pauses) log.add(one, 0);
  return taintCause(ends, blocked, log);
}

describe('bounds', () => {
  test('a bound of 1 ms is good enough for any gap, 1 ns more is not', () => {
    expect(causeOf(gap(0, { endBoundNs: 1_000_000 }))).toBeUndefined();
    expect(causeOf(gap(0, { endBoundNs: 1_000_001 }))).toBe('loop');
    expect(causeOf(gap(ms(20), { startBoundNs: 1_000_001 }))).toBe('loop');
  });

  test('a bound of 5 % of the gap is good enough, 1 ns more is not', () => {
    expect(causeOf(gap(ms(100), { endBoundNs: ms(5) }))).toBeUndefined();
    expect(causeOf(gap(ms(100), { endBoundNs: ms(5) + 1 }))).toBe('loop');
    expect(causeOf(gap(ms(100), { startBoundNs: ms(5) + 1 }))).toBe('loop');
  });

  test('two good ends make a good gap: bounds are not added', () => {
    expect(causeOf(gap(ms(100), { startBoundNs: ms(5), endBoundNs: ms(5) }))).toBeUndefined();
  });
});

describe('cause', () => {
  const lateEnd = gap(ms(100), { endBoundNs: ms(10) }); // uncertain from 1,090 to 1,100 ms
  const lateStart = gap(ms(100), { startBoundNs: ms(10) }); // uncertain from 990 to 1,000 ms

  test('is gc when a collection falls into the window of the bad end', () => {
    expect(causeOf(lateEnd, [pause(1_080, 1_091)])).toBe('gc');
    expect(causeOf(lateStart, [pause(999, 1_001)])).toBe('gc');
  });

  test('is loop when the collection only touches the window, or lies at the good end', () => {
    expect(causeOf(lateEnd, [pause(1_080, 1_090)])).toBe('loop');
    expect(causeOf(lateEnd, [pause(1_100, 1_110)])).toBe('loop');
    expect(causeOf(lateEnd, [pause(995, 1_000)])).toBe('loop');
    expect(causeOf(lateStart, [pause(1_095, 1_100)])).toBe('loop');
  });

  test('prefers gc to cpu to clock when several explain it', () => {
    const clock = pause(1_090, 1_100, 'clock');
    const cpu = pause(1_090, 1_100, 'cpu');
    expect(causeOf(lateEnd, [clock])).toBe('clock');
    expect(causeOf(lateEnd, [clock, cpu])).toBe('cpu');
    expect(causeOf(lateEnd, [clock, cpu, pause(1_090, 1_100)])).toBe('gc');
  });

  test('does not look at a pause that became known after the read', () => {
    expect(causeOf(lateEnd, [pause(1_090, 1_100, 'gc', 5)])).toBe('gc');
    expect(causeOf(lateEnd, [pause(1_090, 1_100, 'gc', 6)])).toBe('loop');
  });

  test('a pause does not taint a gap whose ends are good', () => {
    expect(causeOf(gap(ms(100)), [pause(1_000, 1_100)])).toBeUndefined();
  });

  test('is backpressure when our socket was blocked, however bad the ends are', () => {
    const blocked = new BlockedLog();
    blocked.block(ms(1_050));
    expect(causeOf(lateEnd, [], blocked)).toBe('backpressure');
    expect(causeOf(gap(ms(50)), [], blocked)).toBeUndefined();
    expect(causeOf(gap(ms(50) + 1), [], blocked)).toBe('backpressure');
  });

  test('is clock when time ran backwards', () => {
    expect(causeOf(gap(-1))).toBe('clock');
    expect(causeOf(gap(0))).toBeUndefined();
  });
});
