// Goal: a collector that refuses, hangs, cuts, floods, drips, flaps, is somebody else or answers with a
// fault costs telemetry, which is counted, and never a byte, a record, an endless log or the process.
// Method: each fault has a sidecar of its own, which plays streams, says what it dropped and is then
// told to end. At every look, what was taken is what was exported, dropped and still waits; where the
// collector gets well before the end, what it caught and what was dropped are all.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { pairOf } from '../support/certificates.ts';
import { expectFleetExact, playFleet } from '../support/fleet.ts';
import { OtlpCatcher, type CatcherMood, type CatcherOptions } from '../support/otlp-catcher.ts';
import { sumOf } from '../support/prometheus.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

// Tests run side by side and wait for each other's starts.
vi.setConfig({ testTimeout: 90_000 });

const STREAM_COUNT = 30;
const ROUND_COUNT = 3;
const EXCHANGE_COUNT = STREAM_COUNT * ROUND_COUNT;
/** From SIGTERM with nothing open: the last flush may take 2 s, the rest is for a busy machine. */
const EXIT_WAIT_MS = 8_000;
const LINES_MAX_COUNT = 10;
/** Answers of a collector must not pile up, however large: in MiB above what all faults cost anyway. */
const FLOOD_GROWTH_MAX_BYTES = 150 * 1024 * 1024;

let engine: RawEngine;
const catchers: OtlpCatcher[] = [];
const sidecars: Sidecar[] = [];

beforeAll(async () => {
  engine = await RawEngine.start();
});
afterEach(() => expect(engine.faults.splice(0)).toEqual([]));
afterAll(async () => {
  await Promise.all(sidecars.map((sidecar) => sidecar.stop()));
  await Promise.all(catchers.map((catcher) => catcher.stop()));
  await engine.stop();
});

async function catcherWith(
  mood: CatcherMood,
  { retryAfterSeconds, ...options }: CatcherOptions & { retryAfterSeconds?: number | undefined } = {},
): Promise<OtlpCatcher> {
  const catcher = await OtlpCatcher.start(options);
  catchers.push(catcher);
  catcher.mood = mood;
  catcher.retryAfterSeconds = retryAfterSeconds;
  return catcher;
}

/** Sidecars start one after the other: five at once take longer than anybody waits for one. */
let lastStart: Promise<unknown> = Promise.resolve();

function sidecarWith(endpoint: string): Promise<Sidecar> {
  const starting = lastStart.then(() => startSidecar(endpoint));
  lastStart = starting.catch(() => undefined);
  return starting;
}

async function startSidecar(endpoint: string): Promise<Sidecar> {
  const sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    args: ['--drain', '1'],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '400',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      OTEL_METRIC_EXPORT_TIMEOUT: '450',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_EXPORT_TIMEOUT: '1500',
    },
  });
  sidecars.push(sidecar);
  return sidecar;
}

/** What is said at one moment of all that was to leave the process adds up. */
async function expectToAddUp(sidecar: Sidecar): Promise<void> {
  const samples = await sidecar.metrics();
  for (const signal of ['traces', 'metrics', 'records']) {
    const count = (name: string): number => sumOf(samples, `rubato_self_${name}`, { signal }) ?? NaN;
    const sum = count('exported_total') + count('export_dropped_total') + count('export_queued');
    expect([signal, sum]).toEqual([signal, count('export_taken_total')]);
  }
}

/** Rounds of streams, far enough apart that each has batches of its own. */
async function playRounds(sidecar: Sidecar, name: string): Promise<void> {
  for (let round = 0; round < ROUND_COUNT; round += 1) {
    const streams = await playFleet({
      engine,
      port: sidecar.listenPort,
      name: `${name}-${round}`,
      streamCount: STREAM_COUNT,
      chunkCount: 12,
      paceMs: 25,
    });
    expectFleetExact(streams);
    await expectToAddUp(sidecar);
  }
}

async function droppedOf(sidecar: Sidecar, signal: string): Promise<number> {
  return sumOf(await sidecar.metrics(), 'rubato_self_export_dropped_total', { signal }) ?? NaN;
}

/** Streams and records are whole, and the log says in few lines what is wrong. */
async function expectWhole(sidecar: Sidecar): Promise<void> {
  const entries = await sidecar.untilRecords(EXCHANGE_COUNT);
  expect(entries.map(({ record }) => record.end.outcome)).toEqual(Array.from({ length: EXCHANGE_COUNT }, () => 'ok'));
  expect(await droppedOf(sidecar, 'records')).toBe(0);
  expect(sumOf(await sidecar.metrics(), 'rubato_exchanges_total')).toBe(EXCHANGE_COUNT);
}

async function expectToEnd(sidecar: Sidecar): Promise<void> {
  sidecar.signal('SIGTERM');
  await sidecar.untilExit(EXIT_WAIT_MS);
  expect(sidecar.exit?.code).toBe(0);
  expect(sidecar.noise).toEqual([]);
  expect(sidecar.logs.length).toBeLessThanOrEqual(LINES_MAX_COUNT);
  expect(sidecar.logs.map((line) => String(line['msg'])).join('\n')).toContain('failed');
}

/** Spans are dropped by whole batches, and at most those that ended. */
async function untilSpansDropped(sidecar: Sidecar): Promise<number> {
  const look = async (): Promise<number | undefined> => (await droppedOf(sidecar, 'traces')) || undefined;
  const count = await poll('spans that were dropped', look);
  expect(count).toBeLessThanOrEqual(3 * EXCHANGE_COUNT);
  return count;
}

test.concurrent('a collector that is not there', async () => {
  const gone = await catcherWith(200);
  const { url } = gone;
  await gone.stop();
  const sidecar = await sidecarWith(url);
  await playRounds(sidecar, 'gone');
  await expectWhole(sidecar);
  await untilSpansDropped(sidecar);
  expect(await droppedOf(sidecar, 'metrics')).toBeGreaterThan(0);
  await expectToEnd(sidecar);
});

const moods: readonly [string, CatcherMood, number?][] = [
  ['hangs', 'hang'],
  ['cuts the connection', 'reset'],
  ['finds every body too large (413)', 413],
  ['asks for patience (429, Retry-After)', 429, 1],
  ['fails (500)', 500],
  ['answers a byte now and then', 'drip'],
];

test.concurrent.each(moods)('a collector that %s', async (name, mood, retryAfterSeconds) => {
  const catcher = await catcherWith(mood, { retryAfterSeconds });
  const sidecar = await sidecarWith(catcher.url);
  await playRounds(sidecar, name);
  await expectWhole(sidecar);
  await untilSpansDropped(sidecar);
  expect(await droppedOf(sidecar, 'metrics')).toBeGreaterThan(0);
  expect(catcher.bodyBytes.length).toBeGreaterThan(0);
  await expectToAddUp(sidecar);
  await expectToEnd(sidecar);
});

test.concurrent('a collector whose certificate nobody vouches for gets nothing', async () => {
  const catcher = await catcherWith(200, { tls: pairOf('stranger') });
  const sidecar = await sidecarWith(catcher.url);
  await playRounds(sidecar, 'stranger');
  await expectWhole(sidecar);
  await untilSpansDropped(sidecar);
  expect(catcher.bodyBytes).toEqual([]);
  await expectToEnd(sidecar);
});

test('what answers with a web page has taken what it was sent', async () => {
  const catcher = await catcherWith('page');
  const sidecar = await sidecarWith(catcher.url);
  await playRounds(sidecar, 'page');
  await expectWhole(sidecar);
  await expectToAddUp(sidecar);
  sidecar.signal('SIGTERM');
  await sidecar.untilExit(EXIT_WAIT_MS);
  expect([sidecar.exit?.code, sidecar.noise]).toEqual([0, []]);
  expect(sidecar.logs.length).toBeLessThanOrEqual(LINES_MAX_COUNT);
});

test('a collector that is well every other second', async () => {
  const catcher = await catcherWith(500);
  const timer = setInterval(() => (catcher.mood = catcher.mood === 200 ? 500 : 200), 1_000);
  const sidecar = await sidecarWith(catcher.url);
  try {
    await playRounds(sidecar, 'flapping');
    await expectWhole(sidecar);
    await expectToAddUp(sidecar);
    await expectToEnd(sidecar);
  } finally {
    clearInterval(timer);
  }
});

test.concurrent('a collector that answers with 64 MiB', async () => {
  const catcher = await catcherWith('flood');
  const sidecar = await sidecarWith(catcher.url);
  const beforeBytes = sidecar.rssBytes();
  await playRounds(sidecar, 'flood');
  await expectWhole(sidecar);
  expect(catcher.bodyBytes.length).toBeGreaterThan(2);
  expect(sidecar.rssBytes() - beforeBytes).toBeLessThan(FLOOD_GROWTH_MAX_BYTES);
  sidecar.signal('SIGTERM');
  await sidecar.untilExit(EXIT_WAIT_MS);
  expect(sidecar.logs.length).toBeLessThanOrEqual(LINES_MAX_COUNT);
});

test('what a collector caught after it got well, and what was dropped before, are all', async () => {
  const catcher = await catcherWith(413);
  catcher.keepsBodies = true;
  const sidecar = await sidecarWith(catcher.url);
  await playRounds(sidecar, 'well');
  await expectWhole(sidecar);
  // After three faults in a row spans wait for the next probe, half a minute away, so nothing is under way.
  const traceBodies = (): number => catcher.bodies.filter(({ url }) => url === '/v1/traces').length;
  await poll('three refused batches', () => (traceBodies() >= 3 ? true : undefined));
  await untilSpansDropped(sidecar);
  await sleep(300);
  const droppedCount = await droppedOf(sidecar, 'traces');
  catcher.mood = 200;
  sidecar.signal('SIGTERM');
  await sidecar.untilExit(EXIT_WAIT_MS);
  expect(catcher.spans.length + droppedCount).toBe(3 * EXCHANGE_COUNT);
  expect(new Set(catcher.spans.map(({ spanId }) => spanId)).size).toBe(catcher.spans.length);
});
