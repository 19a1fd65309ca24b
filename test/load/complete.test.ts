// Goal: 200 streams at once, 100,000 chunks, and nothing lost or counted twice on any way out: spans,
// /metrics, OTLP metrics and records agree to the unit, and the record gives its figures again.
// Method: once paced so that it fits, once as fast as the kernel takes it, where detail may be lost
// but not silently. Everything is compared as integers; nothing is timed.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import { doubtsOfStream } from '../support/doubts.ts';
import { expectFleetExact, playFleet, type FleetStream } from '../support/fleet.ts';
import { recount, toldByOtlp, toldByPrometheus } from '../support/ledger.ts';
import { OtlpCatcher, plainAttributes, type CaughtSpan } from '../support/otlp-catcher.ts';
import { readTraceRequest } from '../support/otlp-protobuf.ts';
import { sumOf, type Sample } from '../support/prometheus.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';

const STREAM_COUNT = 200;
const CHUNK_COUNT = 500;
const MODELS = ['alpha', 'beta', 'gamma'];
const EXCHANGE_COUNT = STREAM_COUNT + MODELS.length;
const OUTLIVES_THE_LOAD_MS = 45_000;
const NODE = new URL('../../node_modules/.bin/node', import.meta.url).pathname;
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

let engine: RawEngine;
let catcher: OtlpCatcher;
let sidecar: Sidecar;
/** What the clients got, the records of it, and the last scrape after it. */
let streams: FleetStream[];
let entries: RecordEntry[];
let samples: Sample[];

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  engine = await RawEngine.start();
  catcher = await OtlpCatcher.start();
  sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url, OTEL_METRIC_EXPORT_INTERVAL: '2000', ...env },
  });
}

async function stop(): Promise<void> {
  expect(engine.faults).toEqual([]);
  await sidecar.stop();
  await catcher.stop();
  await engine.stop();
}

/** Plays all, scrapes, and ends the sidecar, which sends what is left. */
async function harvest(paceMs: number, textBytes: number): Promise<void> {
  streams = await playAll(paceMs, textBytes);
  entries = await sidecar.untilRecords(EXCHANGE_COUNT, OUTLIVES_THE_LOAD_MS);
  samples = await sidecar.metrics();
  sidecar.signal('SIGTERM');
  await sidecar.untilExit();
}

/** One short stream of each model, so that its name is known to be good, and then all at once. */
async function playAll(paceMs: number, textBytes: number): Promise<FleetStream[]> {
  const common = { engine, port: sidecar.listenPort, textBytes };
  const model = (stream: number): string => MODELS[stream % MODELS.length] ?? '';
  const known = await playFleet({
    ...common,
    name: 'known',
    streamCount: MODELS.length,
    chunkCount: 2,
    paceMs: 1,
    model,
  });
  await sidecar.untilRecords(MODELS.length);
  const load = await playFleet({
    ...common,
    name: 'load',
    streamCount: STREAM_COUNT,
    chunkCount: CHUNK_COUNT,
    paceMs,
    model,
    lines: (stream) => (stream % 4 === 0 ? [] : [`x-traffic-class: ${stream % 4 === 1 ? 'batch' : 'interactive'}`]),
    stall: (stream, chunk) => (paceMs > 0 && stream % 20 === 0 && chunk === 200 ? 400 : 0),
  });
  return [...known, ...load];
}

function dropped(kind: string): number | undefined {
  return sumOf(samples, 'rubato_self_tape_dropped_total', { kind });
}

function attributesByRecord(name: (span: CaughtSpan) => boolean): Map<string, Record<string, unknown>> {
  const parents = new Map(catcher.spans.filter(({ kind }) => kind === 3).map((span) => [span.spanId, span]));
  const found = catcher.spans.filter(name).map((span): [string, Record<string, unknown>] => {
    const owner = span.name === 'rubato.chunks' ? parents.get(span.parentSpanId ?? '') : span;
    return [String(plainAttributes(owner?.attributes)['rubato.record.id']), plainAttributes(span.attributes)];
  });
  expect(new Set(found.map(([id]) => id)).size).toBe(found.length);
  return new Map(found);
}

/** What the arrays of a span must hold, worked out from the record's columns alone. */
function arraysOf({ chunks, events, marks }: StreamRecord): Record<string, readonly number[]> {
  const startAtNs = marks.connectStartAtNs ?? 0;
  const us = (atNs: number): number => Math.round((atNs - startAtNs) / 1000);
  const at = chunks.receivedAtNs.map(us);
  const generated = new Set(events.chunk.filter((_, index) => events.generated[index] !== 0));
  return {
    at_us: at.map((moment, row) => moment - (at[row - 1] ?? moment)),
    hold_us: chunks.writtenAtNs.map((atNs, row) => us(atNs) - (at[row] ?? 0)),
    flush_us: chunks.flushedAtNs.map((atNs, row) => (atNs === null ? -1 : us(atNs) - us(chunks.writtenAtNs[row] ?? 0))),
    bytes: chunks.bytes,
    kind: chunks.bytes.map((_, row) => (generated.has(row) ? 1 : 0)),
  };
}

function totalOf(count: (record: StreamRecord) => number): number {
  return entries.reduce((sum, { record }) => sum + count(record), 0);
}

describe('paced so that it fits', () => {
  beforeAll(async () => {
    await start({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
    await harvest(20, 8);
  }, 2 * OUTLIVES_THE_LOAD_MS);
  afterAll(stop);

  test('every client has every byte and every exchange one record', () => {
    expectFleetExact(streams);
    expect(entries.map(({ record }) => record.answer.responseId).toSorted()).toEqual(
      streams.map(({ id }) => id).toSorted(),
    );
    expect(new Set(entries.map(({ record }) => record.id)).size).toBe(EXCHANGE_COUNT);
    expect(entries.map(({ record }) => record.end.outcome)).toEqual(entries.map(() => 'ok'));
  });

  test('nothing is left out of the tape, and no record doubts itself', () => {
    for (const kind of ['bytes', 'chunk', 'mark']) expect(dropped(kind)).toBe(0);
    expect(entries.flatMap(({ record }) => doubtsOfStream(record))).toEqual([]);
    expect(totalOf(({ chunks }) => chunks.bytes.length)).toBe(STREAM_COUNT * CHUNK_COUNT + MODELS.length * 2);
    expect(totalOf(({ chunks }) => chunks.flushedAtNs.filter((atNs) => atNs === null).length)).toBe(0);
  });

  test('the file gives every figure again, bit for bit', async () => {
    const { stdout } = await promisify(execFile)(NODE, [MAIN, 'replay', sidecar.recordFile]);
    expect(stdout).toContain(`${EXCHANGE_COUNT} of ${EXCHANGE_COUNT} records give the same figures bit for bit.`);
  });

  test('/metrics and OTLP say what the records say, to the unit', () => {
    const [expected, scraped, pushed] = [recount(entries), toldByPrometheus(samples), toldByOtlp(catcher.metrics)];
    expect(scraped.totals).toEqual(expected);
    expect(pushed.totals).toEqual(expected);
    expect(pushed.buckets).toEqual(scraped.buckets);
  });

  test('every generated event begins its stream, ends a gap or came with another, once', () => {
    const scraped = ['rubato_gaps_total', 'rubato_gaps_tainted_total', 'rubato_events_coalesced_total'];
    const counted = scraped.reduce((sum, name) => sum + (sumOf(samples, name) ?? 0), 0);
    // The last chunk of each stream generates nothing, and the first begins it.
    expect(counted).toBe(STREAM_COUNT * (CHUNK_COUNT - 2));
  });

  test('every exchange has its spans, and 100,000 chunk stamps are in them', () => {
    const records = new Map(entries.map(({ record }) => [record.id, record]));
    const ids = [...records.keys()].toSorted();
    expect([...attributesByRecord(({ kind }) => kind === 2).keys()].toSorted()).toEqual(ids);
    expect([...attributesByRecord(({ kind }) => kind === 3).keys()].toSorted()).toEqual(ids);
    const stamps = attributesByRecord(({ name }) => name === 'rubato.chunks');
    expect([...stamps.keys()].toSorted()).toEqual(ids);
    let stampCount = 0;
    for (const [id, attributes] of stamps) {
      const expected = arraysOf(records.get(id) as StreamRecord);
      for (const [name, column] of Object.entries(expected)) expect(attributes[`rubato.chunk.${name}`]).toEqual(column);
      stampCount += (attributes['rubato.chunk.at_us'] as number[]).length;
    }
    expect(stampCount).toBe(STREAM_COUNT * CHUNK_COUNT + MODELS.length * 2);
    expect(catcher.spans).toHaveLength(3 * EXCHANGE_COUNT);
  });
});

describe('as fast as it goes', () => {
  beforeAll(async () => {
    await start({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' });
    catcher.keepsBodies = true;
    await harvest(0, 400);
  }, 2 * OUTLIVES_THE_LOAD_MS);
  afterAll(stop);

  test('totals stay exact whatever detail was lost', () => {
    expectFleetExact(streams);
    expect(entries.map(({ record }) => record.end.outcome)).toEqual(entries.map(() => 'ok'));
    const sentBytes = streams.reduce((sum, { exchange }) => sum + (exchange.answer?.bodyBytes ?? 0), 0);
    expect(totalOf(({ response }) => response.receivedBytes)).toBe(sentBytes);
    expect(totalOf(({ response }) => response.deliveredBytes)).toBe(sentBytes);
    for (const { record } of entries) {
      const lostCount = record.response.chunkCount - record.chunks.bytes.length;
      expect(lostCount).toBeGreaterThanOrEqual(0);
      expect(record.doubts.includes('tape_chunks')).toBe(lostCount > 0);
    }
  });

  test('what was left out is counted', () => {
    const lostChunks = totalOf(({ response, chunks }) => response.chunkCount - chunks.bytes.length);
    const unflushed = totalOf(({ chunks }) => chunks.flushedAtNs.filter((atNs) => atNs === null).length);
    const omitted = totalOf(({ chunks }) => chunks.flags.filter((flags) => (flags & 1) !== 0).length);
    // A lost chunk may have lost its flush as well, and lost its bytes first.
    expect(dropped('chunk')).toBeGreaterThanOrEqual(lostChunks + unflushed);
    expect(dropped('chunk')).toBeLessThanOrEqual(2 * lostChunks + unflushed);
    expect(dropped('bytes')).toBeGreaterThanOrEqual(omitted);
    expect(dropped('bytes')).toBeLessThanOrEqual(omitted + lostChunks + EXCHANGE_COUNT);
    expect(dropped('mark')).toBe(0);
  });

  test('/metrics says what the records say, to the unit', () => {
    expect(toldByPrometheus(samples).totals).toEqual(recount(entries));
  });

  test('the protobuf bodies hold every span and every stamp that was kept', () => {
    const traces = catcher.bodies.filter(({ url }) => url === '/v1/traces');
    expect(new Set(catcher.bodies.map(({ contentType }) => contentType))).toEqual(new Set(['application/x-protobuf']));
    const spans = traces.flatMap(({ bytes }) => readTraceRequest(bytes));
    expect(spans).toHaveLength(3 * EXCHANGE_COUNT);
    const stamped = spans.filter(({ name }) => name === 'rubato.chunks');
    expect(new Set(stamped.map(({ traceId }) => traceId)).size).toBe(EXCHANGE_COUNT);
    const stampCount = stamped.reduce((sum, { arrayCounts }) => sum + (arrayCounts['rubato.chunk.at_us'] ?? 0), 0);
    expect(stampCount).toBe(totalOf(({ chunks }) => chunks.bytes.length));
  });
});
