// Goal: each limit ends an exchange under its own name, only in its own stage, and none is there unless configured.
// Method: fake timers, moved to just before and to each limit.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nowNs } from '../../../src/base/clock.ts';
import { NO_LIMITS as NONE, type TimeLimits } from '../../../src/relay/settings.ts';
import { TimeGuard } from '../../../src/relay/time-guard.ts';

const ALL: TimeLimits = { ...NONE, connectMs: 100, headMs: 1_000, idleMs: 50, totalMs: 10_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rethrow = (error: unknown): never => {
  throw error;
};

function guard(limits: TimeLimits): { guard: TimeGuard; ends: string[] } {
  const ends: string[] = [];
  return { guard: new TimeGuard(limits, (wireEnd) => ends.push(wireEnd), rethrow), ends };
}

/** What ended one ms before a moment, and at it. */
function around(ms: number, ends: readonly string[]): string[][] {
  vi.advanceTimersByTime(ms - 1);
  const before = [...ends];
  // A limit looks at what has come before it acts, which takes a turn of the loop.
  vi.advanceTimersByTime(2);
  return [before, [...ends]];
}

test('without limits there is no timer at all', () => {
  const { guard: it } = guard(NONE);
  it.onStart();
  it.onConnect();
  it.onConnected();
  it.onHead();
  it.onBytes(nowNs());
  expect(vi.getTimerCount()).toBe(0);
  it.stop();
});

test('a connection that does not come', () => {
  const { guard: it, ends } = guard(ALL);
  it.onStart();
  it.onConnect();
  expect(around(100, ends)).toEqual([[], ['timeout_connect']]);
});

test('a head that does not come; bytes before it do not help', () => {
  const { guard: it, ends } = guard(ALL);
  it.onStart();
  it.onConnect();
  vi.advanceTimersByTime(99);
  it.onConnected();
  vi.advanceTimersByTime(5_000);
  it.onSent();
  vi.advanceTimersByTime(500);
  it.onBytes(nowNs());
  expect(around(500, ends)).toEqual([[], ['timeout_head']]);
});

test('a head that came before the request was over has no limit any more', () => {
  const { guard: it, ends } = guard({ ...NONE, headMs: 1_000 });
  it.onStart();
  it.onConnect();
  it.onConnected();
  it.onHead();
  it.onSent();
  vi.advanceTimersByTime(1e9);
  expect(ends).toEqual([]);
});

test('while we do not read, silence is not the engine’s', () => {
  const { guard: it, ends } = guard(ALL);
  it.onStart();
  it.onConnect();
  it.onConnected();
  it.onSent();
  it.onHead();
  it.onPaused();
  vi.advanceTimersByTime(5_000);
  it.onResumed();
  expect(around(50, ends)).toEqual([[], ['timeout_idle']]);
});

test('a silence after the head; every byte starts it anew', () => {
  const { guard: it, ends } = guard(ALL);
  it.onStart();
  it.onConnect();
  it.onConnected();
  vi.advanceTimersByTime(999);
  it.onHead();
  for (let i = 0; i < 5; i += 1) {
    vi.advanceTimersByTime(49);
    it.onBytes(nowNs());
  }
  expect(around(50, ends)).toEqual([[], ['timeout_idle']]);
});

test('a head without an idle limit waits as long as it likes', () => {
  const { guard: it, ends } = guard({ ...NONE, headMs: 1_000 });
  it.onStart();
  it.onConnect();
  it.onConnected();
  it.onHead();
  it.onBytes(nowNs());
  vi.advanceTimersByTime(1e9);
  expect([ends, vi.getTimerCount()]).toEqual([[], 0]);
});

test('the whole, whatever stage it is in', () => {
  const { guard: it, ends } = guard({ ...ALL, headMs: undefined, idleMs: 9_000 });
  it.onStart();
  it.onConnect();
  it.onConnected();
  vi.advanceTimersByTime(5_000);
  it.onHead();
  it.onBytes(nowNs());
  expect(around(5_000, ends)).toEqual([[], ['timeout_total']]);
});

test('the wait for a turn counts in the whole, and in no stage', () => {
  const { guard: it, ends } = guard(ALL);
  it.onStart();
  vi.advanceTimersByTime(5_000);
  it.onConnect();
  expect(around(100, ends)).toEqual([[], ['timeout_connect']]);
  const { guard: long, ends: longEnds } = guard(ALL);
  long.onStart();
  expect(around(10_000, longEnds)).toEqual([[], ['timeout_total']]);
});

test('nothing after it was stopped, in any stage', () => {
  const stages: ((it: TimeGuard) => void)[] = [
    (it) => it.onStart(),
    (it) => it.onConnect(),
    (it) => it.onConnected(),
    (it) => it.onHead(),
    (it) => it.onBytes(nowNs()),
  ];
  for (let count = 0; count <= stages.length; count += 1) {
    const { guard: it, ends } = guard(ALL);
    for (const stage of stages.slice(0, count)) stage(it);
    it.stop();
    it.onBytes(nowNs());
    vi.advanceTimersByTime(1e6);
    expect(ends).toEqual([]);
  }
});

test('a request that is sent again waits for its connection again, and then for its head', () => {
  const { guard: it, ends } = guard(ALL);
  it.onStart();
  it.onConnect();
  it.onConnected();
  it.onSent();
  vi.advanceTimersByTime(900);
  it.onRetry();
  vi.advanceTimersByTime(99);
  it.onConnected();
  it.onSent();
  expect(around(1_000, ends)).toEqual([[], ['timeout_head']]);
});
