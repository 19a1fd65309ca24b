// Goal: a relay thread that dies takes its own streams along and nothing else: clients see a cut, every
// exchange has its record, and the next request is served by its successor, which stands ready.
// Method: a preload ends a relay's thread while streams run, several times.
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFleetExact, playFleet } from '../support/fleet.ts';
import { recount, toldByPrometheus } from '../support/ledger.ts';
import { sumOf } from '../support/prometheus.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';
import { nowNs } from '../../src/base/clock.ts';

const PRELOAD = new URL('../support/kill-relay.ts', import.meta.url).href;
const STREAM_COUNT = 20;
const DEATH_COUNT = 3;
const SPARE_BOOT_MS = 3_000;

let engine: RawEngine;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await RawEngine.start();
  sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, nodeArgs: ['--import', PRELOAD] });
});
afterAll(async () => {
  expect(engine.faults).toEqual([]);
  await sidecar.stop();
  await engine.stop();
});

/** A stream that has begun and would go on for long. */
async function openStream(): Promise<RawClient> {
  const script = [
    at(0, HEAD, c(D('a'))),
    ...Array.from({ length: 500 }, (_, index) => at(20 * (index + 1), c(D('b')))),
  ];
  const plan = engine.plan(script);
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  await client.bodyBytes(2 * D('a').length);
  return client;
}

const wordCount = (): number => sidecar.logs.filter(({ msg }) => String(msg).startsWith('a relay thread died')).length;

test('streams of a dead relay are cut, accounted for, and followed by others', async () => {
  for (let death = 1; death <= DEATH_COUNT; death += 1) {
    const clients = await Promise.all(Array.from({ length: STREAM_COUNT }, openStream));
    process.kill(sidecar.pid, 'SIGUSR2');
    for (const client of clients) {
      await client.untilGone();
      expect(client.parser.last?.complete).toBe(false);
      client.close();
    }
    // The engine must not go on for clients that are gone.
    await engine.signal.until('the engine to be left alone', () => engine.openConnections.length === 0);
    await poll('word of the death', () => (wordCount() === death ? true : undefined));
    await poll('a relay again', async () => ((await sidecar.admin('/healthz')).status === 200 ? true : undefined));
    const [after] = await playFleet({
      engine,
      port: sidecar.listenPort,
      name: `after-${death}`,
      streamCount: 1,
      chunkCount: 5,
      paceMs: 1,
    });
    if (after === undefined) throw new Error('no stream was played');
    expectFleetExact([after]);
  }
  const entries = await sidecar.untilRecords(DEATH_COUNT * (STREAM_COUNT + 1));
  const outcomes = entries.map(({ record }) => record.end.outcome);
  expect(outcomes.filter((outcome) => outcome === 'internal_error')).toHaveLength(DEATH_COUNT * STREAM_COUNT);
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(DEATH_COUNT);
  expect(new Set(entries.map(({ record }) => record.id)).size).toBe(entries.length);
  const samples = await sidecar.metrics();
  expect(toldByPrometheus(samples).totals).toEqual(recount(entries));
  expect(sumOf(samples, 'rubato_active')).toBe(0);
});

test('a relay whose port was taken meanwhile is tried again until it is free', async () => {
  const before = wordCount();
  const thief = createServer((socket) => socket.destroy());
  process.kill(sidecar.pid, 'SIGUSR2');
  await poll('word of the death', () => (wordCount() === before + 1 ? true : undefined));
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  thief.on('error', () => setTimeout(() => thief.listen(sidecar.listenPort, '127.0.0.1'), 5));
  thief.listen(sidecar.listenPort, '127.0.0.1', resolve);
  await taken;
  const failures = () => sidecar.logs.filter(({ msg }) => msg === 'a relay thread could not be replaced');
  await poll('two failed lives', () => (failures().length >= 2 ? true : undefined));
  expect(failures()[0]).toMatchObject({ fault_code: 'EADDRINUSE' });
  expect((await sidecar.admin('/healthz')).status).toBe(503);
  expect(wordCount()).toBe(before + 1);
  await new Promise((closed) => thief.close(closed));
  await poll('a relay again', async () => ((await sidecar.admin('/healthz')).status === 200 ? true : undefined));
  const client = await RawClient.open(sidecar.listenPort);
  client.close();
});

/** A relay that has a spare behind it; it boots when the sidecar has run for a while. */
async function startWithSpare(...args: string[]): Promise<Sidecar> {
  const upstream = `http://127.0.0.1:${engine.port}`;
  const started = await Sidecar.start({ upstream, args, nodeArgs: ['--import', PRELOAD] });
  await sleep(SPARE_BOOT_MS);
  return started;
}

test('T22 the only relay is back within 300 ms', async () => {
  const alone = await startWithSpare();
  const held = await RawClient.open(alone.listenPort);
  process.kill(alone.pid, 'SIGUSR2');
  await held.untilGone();
  const backAtNs = await poll(
    'a relay that listens',
    async () => {
      const client = await RawClient.open(alone.listenPort).catch(() => undefined);
      client?.close();
      return client && nowNs();
    },
    10_000,
    2,
  );
  expect((backAtNs - (held.finAtNs ?? held.closedAtNs ?? 0)) / 1e6).toBeLessThan(300);
  await alone.stop();
});

test('T22 with two relays no connection is refused when one dies, and streams of the other live on', async () => {
  const pair = await startWithSpare('--relays', '2');
  const streamCount = 24;
  const running = { engine, port: pair.listenPort, name: 'pair', streamCount, chunkCount: 100, paceMs: 20 };
  const before = engine.requestCount;
  // Some of these streams are cut, and say nothing of the others: each is looked at by itself.
  const fleet = playFleet(running);
  await engine.signal.until('all streams to run', () => engine.requestCount === before + streamCount);
  process.kill(pair.pid, 'SIGUSR2');
  const refused: unknown[] = [];
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const client = await RawClient.open(pair.listenPort).catch((fault: unknown) => {
      refused.push(fault);
      return undefined;
    });
    client?.close();
    await sleep(2);
  }
  expect(refused).toEqual([]);
  const streams = await fleet;
  const whole = streams.filter(({ response }) => response.complete);
  expectFleetExact(whole);
  const entries = await pair.untilRecords(streamCount);
  const outcomes = entries.map(({ record }) => record.end.outcome);
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(whole.length);
  expect(outcomes.filter((outcome) => outcome === 'internal_error')).toHaveLength(streamCount - whole.length);
  expect(whole.length).toBeGreaterThan(0);
  await pair.stop();
});

test('F47 a fault that nobody caught ends no stream: another relay takes over, and what is open goes on', async () => {
  const upstream = `http://127.0.0.1:${engine.port}`;
  const nodeArgs = ['--import', PRELOAD];
  const failing = await Sidecar.start({ upstream, nodeArgs, env: { TEST_RELAY_FAULT: 'throw' } });
  await sleep(SPARE_BOOT_MS);
  const running = { engine, port: failing.listenPort, streamCount: 20, chunkCount: 60, paceMs: 50 };
  const before = engine.requestCount;
  const fleet = playFleet({ ...running, name: 'old' });
  await engine.signal.until('all streams to run', () => engine.requestCount === before + 20);
  process.kill(failing.pid, 'SIGUSR2');
  const word = () => failing.logs.find(({ msg }) => msg === 'a relay thread met a fault that nobody caught');
  await poll('word of the fault', () => word());
  expect(word()).toMatchObject({ level: 'error', reason: expect.stringMatching(/^TypeError kill-relay\.ts:\d+$/) });
  await poll('a relay again', async () => ((await failing.admin('/healthz')).status === 200 ? true : undefined));
  expectFleetExact(await playFleet({ ...running, name: 'new', streamCount: 5, chunkCount: 5 }));
  expectFleetExact(await fleet);
  const entries = await failing.untilRecords(25);
  expect(new Set(entries.map(({ record }) => record.end.outcome))).toEqual(new Set(['ok']));
  // Counters of the relay that left are still there.
  expect(sumOf(await failing.metrics(), 'rubato_exchanges_total')).toBe(25);
  await failing.stop();
});
