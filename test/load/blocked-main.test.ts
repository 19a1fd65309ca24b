// Goal: a main thread that does nothing for two seconds costs no byte and breaks no stream; what the
// tape could not hold meanwhile is counted, and everything is as before afterwards.
// Method: a preload keeps the main thread busy on SIGUSR2 while streams run: once with a load that the
// tape can hold for so long, once with far more. Everything is counted; nothing is timed.
import { afterEach, expect, test } from 'vitest';
import { doubtsOfStream } from '../support/doubts.ts';
import { expectFleetExact, playFleet, type FleetOptions, type FleetStream } from '../support/fleet.ts';
import { recount, toldByPrometheus } from '../support/ledger.ts';
import { sumOf } from '../support/prometheus.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const PRELOAD = new URL('../support/block-main.ts', import.meta.url).href;
const BLOCK_MS = 2_000;
/** Everything that a record may doubt because the tape was full. */
const TAPE_DOUBTS: ReadonlySet<string> = new Set(['tape_bytes', 'tape_chunks']);

let engine: RawEngine;
let sidecar: Sidecar;

async function start(): Promise<void> {
  engine = await RawEngine.start();
  sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    nodeArgs: ['--import', PRELOAD],
    env: { TEST_BLOCK_MS: String(BLOCK_MS) },
  });
}

afterEach(async () => {
  expect(sidecar.fault).toBeUndefined();
  expect(engine.faults).toEqual([]);
  await sidecar.stop();
  await engine.stop();
});

const wasBlocked = (): boolean => sidecar.logs.some((line) => line['msg'] === 'main was blocked');

/** Starts the streams, blocks main in their midst, and waits for both. */
async function playBlocked(options: Omit<FleetOptions, 'engine' | 'port'>): Promise<FleetStream[]> {
  const playing = playFleet({ ...options, engine, port: sidecar.listenPort });
  await poll('all streams to run', () => (engine.requestCount === options.streamCount ? true : undefined));
  await sleep(200);
  process.kill(sidecar.pid, 'SIGUSR2');
  const streams = await playing;
  // The block was over before the streams were, or outlived them; either way it happened.
  await poll('the end of the block', () => wasBlocked() || undefined);
  return streams;
}

/** Nothing is open, the relay's heart beats, and figures of all ways out are the same. */
async function expectHealthy(entries: readonly RecordEntry[]): Promise<void> {
  const samples = await sidecar.metrics();
  expect(toldByPrometheus(samples).totals).toEqual(recount(entries));
  expect(sumOf(samples, 'rubato_active')).toBe(0);
  expect(sumOf(samples, 'rubato_self_reader_detached_total')).toBe(0);
  const health = await sidecar.admin('/healthz');
  expect(health.status).toBe(200);
  expect(JSON.parse(health.text)).toMatchObject({ ok: true, relays: [{ name: 'relay-0', ok: true }] });
  const [after] = await playFleet({
    engine,
    port: sidecar.listenPort,
    name: 'after',
    streamCount: 1,
    chunkCount: 5,
    paceMs: 5,
  });
  if (after === undefined) throw new Error('no stream was played');
  expectFleetExact([after]);
  const all = await sidecar.untilRecords(entries.length + 1);
  expect(all.slice(-1).flatMap(({ record }) => doubtsOfStream(record))).toEqual([]);
}

test('a load that the tape can hold loses nothing at all', async () => {
  await start();
  const streams = await playBlocked({ name: 'held', streamCount: 40, chunkCount: 120, paceMs: 25 });
  expectFleetExact(streams);
  const entries = await sidecar.untilRecords(40);
  expect(entries.map(({ record }) => record.end.outcome)).toEqual(entries.map(() => 'ok'));
  expect(entries.flatMap(({ record }) => doubtsOfStream(record))).toEqual([]);
  expect(entries.map(({ record }) => record.chunks.bytes.length)).toEqual(entries.map(() => 120));
  expect(entries.map(({ figures }) => figures.ttftNs === undefined)).toEqual(entries.map(() => false));
  expect(sumOf(await sidecar.metrics(), 'rubato_self_tape_dropped_total')).toBe(0);
  await expectHealthy(entries);
});

test('a load beyond what the tape can hold loses detail, which is counted, and no byte', async () => {
  await start();
  const streams = await playBlocked({
    name: 'beyond',
    streamCount: 40,
    chunkCount: 1_500,
    paceMs: 0,
    textBytes: 1_000,
  });
  expectFleetExact(streams);
  const entries = await sidecar.untilRecords(40, 20_000);
  const samples = await sidecar.metrics();
  expect(sumOf(samples, 'rubato_self_tape_dropped_total', { kind: 'bytes' })).toBeGreaterThan(0);
  expect(sumOf(samples, 'rubato_self_tape_dropped_total', { kind: 'mark' })).toBe(0);
  // Ids may be among what was lost, so sizes are compared as they are.
  const sentBytes = streams.map(({ exchange }) => exchange.answer?.bodyBytes ?? 0);
  expect(entries.map(({ record }) => record.end.wire)).toEqual(entries.map(() => 'complete'));
  const receivedBytes = entries.map(({ record }) => record.response.receivedBytes);
  expect(receivedBytes.toSorted((a, b) => a - b)).toEqual(sentBytes.toSorted((a, b) => a - b));
  for (const { record } of entries) {
    const lostCount = record.response.chunkCount - record.chunks.bytes.length;
    const omittedCount = record.chunks.flags.filter((flags) => (flags & 1) !== 0).length;
    expect(record.doubts.includes('tape_chunks')).toBe(lostCount > 0);
    expect(record.doubts.includes('tape_bytes')).toBe(omittedCount > 0);
    expect(doubtsOfStream(record).filter((doubt) => !TAPE_DOUBTS.has(doubt))).toEqual([]);
  }
  await expectHealthy(entries);
});
