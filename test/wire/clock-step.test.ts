// Goal: no figure depends on the wall clock, and an exchange that saw it stepped says so.
// Method: a preload steps the wall clock of all threads by -1 h and +10 s in the middle of a stream; lengths are
// compared with those by the engine's own clock.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TimeBench } from '../support/time-bench.ts';
import { sleep } from '../support/signal.ts';

const STEP_CLOCK = new URL('../support/step-clock.ts', import.meta.url).pathname;

let bench: TimeBench;
beforeAll(async () => {
  bench = await TimeBench.start({ nodeArgs: ['--import', STEP_CLOCK] });
});
afterAll(() => bench.stop());

async function valueOf(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const samples = await bench.sidecar.metrics();
  return samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}

test('G1 a stream over which the wall clock is stepped back an hour and on ten seconds has its true lengths', async () => {
  const sumBefore = (await valueOf('rubato_exchange_duration_seconds_sum')) ?? 0;
  const running = bench.run(100, 20);
  await sleep(600);
  process.kill(bench.sidecar.pid, 'SIGUSR2');
  await sleep(800);
  process.kill(bench.sidecar.pid, 'SIGUSR2');
  const { record, figures, sentNs } = await running;
  expect(record.doubts).toContain('clock_step');
  const firstNs = record.chunks.receivedAtNs[record.events.chunk[0] as number] as number;
  const lastNs = record.chunks.receivedAtNs[record.events.chunk[99] as number] as number;
  // The machine may be late for one of both ends; an hour, or ten seconds, would show.
  expect(Math.abs(lastNs - firstNs - sentNs)).toBeLessThan(200e6);
  expect(figures.durationNs).toBeGreaterThanOrEqual(sentNs - 200e6);
  expect(figures.durationNs).toBeLessThan(sentNs + 2e9);
  expect(record.chunks.receivedAtNs.every((atNs, i, all) => i === 0 || atNs >= (all[i - 1] as number))).toBe(true);
  expect(figures.taintedCounts.clock).toBe(0);
  expect(await valueOf('rubato_self_clock_steps_total')).toBe(2);
  expect(await valueOf('rubato_doubts_total', { doubt: 'clock_step' })).toBe(1);
  expect((await valueOf('rubato_exchange_duration_seconds_sum')) ?? 0).toBeGreaterThanOrEqual(sumBefore + 1.9);
  const told = bench.sidecar.logs.filter((line) => /wall clock was stepped/.test(String(line['msg'])));
  expect(told).toHaveLength(1);
  expect(Number(told[0]?.['step_ms'])).toBeLessThan(-3_590_000);
});

test('an exchange that begins after the step has the new wall time and no doubt', async () => {
  const { record } = await bench.run(10, 20);
  expect(record.doubts).not.toContain('clock_step');
  expect(Math.abs(record.openedAtEpochMs - (Date.now() - 3_590_000))).toBeLessThan(10_000);
});

test('G3 events 0.4 ms apart keep gaps finer than the millisecond', async () => {
  const { record } = await bench.fast(200, 0.4);
  const rows = record.events.chunk.slice(0, 200).map((row) => record.chunks.receivedAtNs[row] as number);
  const gapsNs = rows.slice(1).map((atNs, i) => atNs - (rows[i] as number));
  // Reads of one turn share a stamp; those that were apart are, and not by whole milliseconds.
  const apart = gapsNs.filter((gapNs) => gapNs > 0);
  expect(apart.length).toBeGreaterThan(20);
  expect(apart.filter((gapNs) => gapNs % 1e6 === 0).length).toBeLessThan(apart.length / 20);
});
