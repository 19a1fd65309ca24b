// Goal: what happens on a route comes into the diagnosis of that route, in the slice in which it happened, for ten
// minutes, and then into what these are compared with, for fifty more.
// Method: the sink with a clock of the test's own; its facts are seen through the diagnosis.
import { beforeEach, describe, expect, test } from 'vitest';
import { createDiagnosisWindow, type DiagnosisWindow } from '../../../src/telemetry/diagnosis-window.ts';
import type { ExchangeLabels } from '../../../src/judge/report.ts';

const MINUTE_NS = 60e9;
const NS_PER_MS = 1e6;
const LABELS: ExchangeLabels = { class: 'default', model: 'm', route: 'default', promptBucket: 'unknown' };

let nowNs: number;
let window: DiagnosisWindow;

beforeEach(() => {
  nowNs = 1_000 * MINUTE_NS;
  window = createDiagnosisWindow({ nowNs: () => nowNs, epochMs: () => nowNs / NS_PER_MS });
});

const NONE: ReadonlyMap<string, number> = new Map();
const noFloor = (): undefined => undefined;

function gaps(count: number, lengthMs: number, route = 'default'): void {
  for (let i = 0; i < count; i += 1)
    window.onGap?.({ ...LABELS, route }, 'received', lengthMs * NS_PER_MS, false, undefined);
}

function only() {
  const [diagnosis, ...others] = window.read(noFloor);
  expect(others).toEqual([]);
  return diagnosis;
}

test('nothing happened, nothing is said', () => {
  expect(window.read(noFloor)).toEqual([]);
});

test('each route has a diagnosis of its own', () => {
  gaps(300, 20);
  gaps(300, 50, 'other');
  const [first, second] = window.read((route) => (route === 'other' ? 10e6 : undefined));
  expect([first?.route, second?.route]).toEqual(['default', 'other']);
  expect(second?.says.at(-1)).toMatch(/times what the hardware allows/);
  expect(first?.says.at(-1)).not.toMatch(/hardware/);
});

test('ten minutes later it is what the new ones are compared with, and an hour later it is forgotten', () => {
  gaps(1_000, 20);
  expect(only()?.moved).toBe('unknown');
  nowNs += 11 * MINUTE_NS;
  gaps(1_000, 40);
  expect(only()).toMatchObject({ moved: 'tpot', shape: { count: 1_000 } });
  nowNs += 75 * MINUTE_NS;
  gaps(1_000, 40);
  expect(only()?.moved).toBe('unknown');
});

test('a route on which nothing happened for ten minutes has no diagnosis, and one is compared with the time before', () => {
  gaps(1_000, 20);
  nowNs += 11 * MINUTE_NS;
  expect(window.read(noFloor)).toEqual([]);
  window.look([], NONE);
  gaps(1_000, 40);
  expect(only()?.moved).toBe('tpot');
});

test('a route that is gone is forgotten, whether anybody reads or not', () => {
  gaps(300, 20, 'renamed');
  nowNs += 75 * MINUTE_NS;
  window.look([], NONE);
  gaps(300, 20);
  expect(only()?.route).toBe('default');
});

test('ever more requests without a token are a queue', () => {
  for (let minute = 0; minute < 10; minute += 1) {
    for (let second = 0; second < 60; second += 10) {
      window.look([], new Map([['default', 1 + minute]]));
      nowNs += 10e9;
    }
  }
  expect(only()?.findings.map(({ cause, numbers }) => [cause, numbers['backlogLast']])).toEqual([['queueing', 9]]);
});

test('flushed gaps are of the way to the client', () => {
  gaps(300, 20);
  for (let i = 0; i < 300; i += 1) window.onGap?.(LABELS, 'flushed', 90 * NS_PER_MS, false, undefined);
  expect(only()?.findings.map(({ cause }) => cause)).toEqual(['downstream']);
});

describe('the engine', () => {
  const state = { route: 'default', up: true } as const;

  const preemptedCount = (): number | undefined => only()?.findings[0]?.numbers['preemptedCount'];

  test('counts preemptions from when it was first heard of, and goes on after a restart', () => {
    window.look([{ ...state, preemptedCount: 40 }], NONE);
    window.look([{ ...state, preemptedCount: 43 }], NONE);
    expect(preemptedCount()).toBe(3);
    window.look([{ ...state, preemptedCount: 1 }], NONE);
    expect(preemptedCount()).toBe(3);
    window.look([{ ...state, preemptedCount: 6 }], NONE);
    expect(preemptedCount()).toBe(8);
  });

  test('is not blamed for what it threw out more than ten minutes ago', () => {
    window.look([{ ...state, preemptedCount: 40 }], NONE);
    window.look([{ ...state, preemptedCount: 43 }], NONE);
    for (let minute = 0; minute < 11; minute += 1) {
      nowNs += MINUTE_NS;
      window.look([{ ...state, preemptedCount: 43 }], NONE);
    }
    expect(only()?.findings).toEqual([]);
  });

  test('is remembered at its fullest', () => {
    for (const kvUsedRatio of [0.5, 0.95, 0.6]) window.look([{ ...state, kvUsedRatio }], NONE);
    expect(only()?.findings[0]).toMatchObject({ cause: 'kv_pressure', numbers: { kvUsedRatio: 0.95 } });
  });
});
