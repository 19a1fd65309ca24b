// Goal: what a CPU quota takes is a doubt on every open exchange, a counter, and one line a minute.
// Method: a folder made to look like the kernel's, whose counts rise between the looks of a fake timer.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TimeWatch } from '../../../src/app/time-watch.ts';
import type { Log, LogFields } from '../../../src/base/log.ts';
import { CpuQuota } from '../../../src/observe/cpu-quota.ts';
import type { ObservedExchange } from '../../../src/observe/observed-exchange.ts';

let folder = '';
let lines: [string, LogFields | undefined][] = [];
const log = { warn: (message: string, fields?: LogFields) => void lines.push([message, fields]) } as unknown as Log;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rubato-quota-'));
  lines = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function throttle(count: number, throttledUs: number): void {
  writeFileSync(join(folder, 'cpu.stat'), `nr_periods 100\nnr_throttled ${count}\nthrottled_usec ${throttledUs}\n`);
}

function watch(open: readonly ObservedExchange[] = []): TimeWatch {
  const quota = new CpuQuota(folder, join(folder, 'membership'));
  return new TimeWatch({ log, openObserved: () => open, quota });
}

test('throttling doubts what is open, is counted from our start on, and is told once a minute', () => {
  throttle(5, 1_000);
  const observed = { doubts: new Set<string>() } as unknown as ObservedExchange;
  const it = watch([observed]);
  vi.advanceTimersByTime(1_000);
  expect([it.throttledNs(), [...observed.doubts], lines]).toEqual([0, [], []]);
  throttle(6, 91_000);
  vi.advanceTimersByTime(250);
  expect([it.throttledNs(), [...observed.doubts]]).toEqual([90_000_000, ['cpu_throttled']]);
  expect(lines.map(([, fields]) => fields)).toEqual([{ throttled_ms: 90, throttled_periods: 1 }]);
  throttle(9, 200_000);
  vi.advanceTimersByTime(250);
  expect([it.throttledNs(), lines.length]).toEqual([199_000_000, 1]);
  it.close();
});

test('without a quota nothing is told', () => {
  const it = watch();
  vi.advanceTimersByTime(1_000);
  expect([it.throttledNs(), it.clockStepCount, lines]).toEqual([undefined, 0, []]);
  it.close();
});

test('a watch that was closed looks no more', () => {
  throttle(5, 1_000);
  const it = watch();
  it.close();
  throttle(9, 2_000);
  vi.advanceTimersByTime(5_000);
  expect(lines).toEqual([]);
});
