// Goal: an ended exchange is settled once, as soon as its evidence is complete or nothing more can come,
// and never later than its time. Method: sources that are plain objects, fake timers.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nowNs } from '../../../src/base/clock.ts';
import { UNSETTLED_MAX_COUNT } from '../../../src/base/limits.ts';
import type { LateSource } from '../../../src/observe/late-evidence.ts';
import { Settlement } from '../../../src/observe/settlement.ts';
import type { Evidence } from '../../../src/record/stream-record.ts';
import { endedExchange } from '../../support/ended-exchange.ts';

const QUEUE: Evidence = { source: 'a', basis: 'exact', queueNs: 1 };
const PREFILL: Evidence = { source: 'b', basis: 'exact', prefillNs: 2 };

interface Fixture {
  readonly settlement: Settlement;
  readonly settled: (readonly Evidence[])[];
  readonly faults: string[];
  add(evidence: readonly Evidence[], worthWaiting?: boolean): void;
}

function fixture(sources: readonly LateSource[], waitMs = 2_000): Fixture {
  const settled: (readonly Evidence[])[] = [];
  const faults: string[] = [];
  const settlement = new Settlement({ sources, waitMs, onFault: (source) => void faults.push(source) });
  return {
    settlement,
    settled,
    faults,
    add: (evidence, worthWaiting = true) =>
      settlement.add({
        exchange: endedExchange({ openedAtNs: nowNs(), endedAtNs: nowNs() }),
        evidence,
        worthWaiting,
        settle: (all) => void settled.push(all),
      }),
  };
}

/** A source that expects something until it has it. */
function lateSource(): LateSource & { arrived: Evidence[]; awaiting: boolean } {
  return {
    name: 'late',
    arrived: [],
    awaiting: true,
    evidenceFor() {
      return this.arrived;
    },
    awaits() {
      return this.awaiting;
    },
  };
}

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'hrtime'] }));
afterEach(() => vi.useRealTimers());

describe('an exchange is settled at once', () => {
  it('without any late source', () => {
    const { add, settled } = fixture([]);
    add([QUEUE]);
    expect(settled).toEqual([[QUEUE]]);
  });

  it('when the answer itself told queue and prefill', () => {
    const { add, settled } = fixture([lateSource()]);
    add([QUEUE, PREFILL]);
    expect(settled).toEqual([[QUEUE, PREFILL]]);
  });

  it('when no source expects more', () => {
    const source = lateSource();
    source.awaiting = false;
    const { add, settled } = fixture([source]);
    add([]);
    expect(settled).toEqual([[]]);
  });

  it('when it had no first token, with what is known', () => {
    const source = lateSource();
    source.arrived = [QUEUE];
    const { add, settled } = fixture([source]);
    add([], false);
    expect(settled).toEqual([[QUEUE]]);
  });

  it('when waiting is switched off', () => {
    const { add, settled } = fixture([lateSource()], 0);
    add([]);
    expect(settled).toEqual([[]]);
  });
});

describe('an exchange whose evidence is expected', () => {
  it('waits, and takes what arrives, behind what the answer told', () => {
    const source = lateSource();
    const { add, settled } = fixture([source]);
    add([QUEUE]);
    vi.advanceTimersByTime(500);
    expect(settled).toEqual([]);
    source.arrived = [PREFILL];
    vi.advanceTimersByTime(50);
    expect(settled).toEqual([[QUEUE, PREFILL]]);
  });

  it('does not take a modelled value for the end of the wait', () => {
    const source = lateSource();
    const { add, settled } = fixture([source]);
    source.arrived = [{ source: 'm', basis: 'model', queueNs: 1, prefillNs: 1 }];
    add([]);
    vi.advanceTimersByTime(1_000);
    expect(settled).toEqual([]);
  });

  it('is settled when its time is up, and only once', () => {
    const { add, settled } = fixture([lateSource()], 2_000);
    add([QUEUE]);
    vi.advanceTimersByTime(1_900);
    expect(settled).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(settled).toEqual([[QUEUE]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is settled by flush, after which nothing ticks', () => {
    const { add, settled, settlement } = fixture([lateSource()]);
    add([QUEUE]);
    settlement.flush();
    settlement.flush();
    expect(settled).toEqual([[QUEUE]]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('settles at once, and counts, what no longer finds room to wait', () => {
  const { add, settled, settlement } = fixture([lateSource()]);
  for (let index = 0; index < UNSETTLED_MAX_COUNT; index += 1) add([]);
  expect(settled).toHaveLength(0);
  add([QUEUE]);
  expect(settled).toEqual([[QUEUE]]);
  expect(settlement.hurriedCount).toBe(1);
});

it('goes on without a source that fails', () => {
  const broken: LateSource = {
    name: 'broken',
    onEnded() {
      throw new Error('ended');
    },
    evidenceFor() {
      throw new Error('evidence');
    },
    awaits() {
      throw new Error('awaits');
    },
  };
  const good = lateSource();
  good.awaiting = false;
  good.arrived = [QUEUE];
  const { add, settled, faults } = fixture([broken, good]);
  add([]);
  expect(settled).toEqual([[QUEUE]]);
  expect(faults).toEqual(['broken', 'broken', 'broken']);
});
