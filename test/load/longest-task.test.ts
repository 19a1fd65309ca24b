// Goal: with all of telemetry on, no thread is busy for long at a time: others of its loop have their turn (T17).
// Method: a preload notes the CPU time between two turns of each thread's loop, second by second; a fleet of streams
// beside spans, pushed metrics, a record file and scrapes. Bounds are one-sided and many times the usual figure
// (`npm run bench -- thirty --only T17` measures it): a task that grows with the load is far beyond them.
import { afterEach, expect, test } from 'vitest';
import { expectFleetExact, playFleet } from '../support/fleet.ts';
import { longestTasksMs } from '../support/longest-tasks.ts';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { Sidecar } from '../support/sidecar.ts';

const PRELOAD = new URL('../support/longest-task.ts', import.meta.url).href;
const ROUND_COUNT = 3;
const STREAM_COUNT = 60;
const RELAY_MAX_MS = 40;
const MAIN_MAX_MS = 80;

const open: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity;

test('T17 neither the relay nor main computes for long at a time under full telemetry', async () => {
  const [engine, catcher] = [await RawEngine.start(), await OtlpCatcher.start()];
  const sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    nodeArgs: ['--import', PRELOAD],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url,
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      OTEL_METRIC_EXPORT_TIMEOUT: '400',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  });
  open.push(engine, catcher, sidecar);
  const fleet = { engine, port: sidecar.listenPort, streamCount: STREAM_COUNT, chunkCount: 75, paceMs: 20 };
  // Code is compiled once.
  expectFleetExact(await playFleet({ ...fleet, name: 'warm' }));
  const from = sidecar.logs.length;
  const scrape = setInterval(() => void sidecar.metrics().catch(() => undefined), 500);
  for (let round = 0; round < ROUND_COUNT; round += 1)
    expectFleetExact(await playFleet({ ...fleet, name: `round-${round}` }));
  clearInterval(scrape);
  const longest = longestTasksMs(sidecar.logs.slice(from));
  expect(longest('main').length).toBeGreaterThanOrEqual(3);
  expect(longest('relay').length).toBeGreaterThanOrEqual(3);
  expect(median(longest('relay'))).toBeLessThan(RELAY_MAX_MS);
  expect(median(longest('main'))).toBeLessThan(MAIN_MAX_MS);
  expect(catcher.bodyBytes.length).toBeGreaterThan(0);
});
