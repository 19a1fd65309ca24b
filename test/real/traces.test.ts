// Goal: in a trace back end that other people wrote, one exchange is one trace, gateway → rubato → engine, with the
// parents, kinds, attributes and events that the README names; and a stalled exchange is found by what it suffered.
// Method: Envoy begins the trace, rubato stands between it and an engine of ours that sends spans as engines do;
// all send to Jaeger, which is asked by its API. What it stored is held against the record of the exchange.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nowNs } from '../../src/base/clock.ts';
import { SPAN_CHUNKS_MAX_COUNT } from '../../src/base/limits.ts';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import { type EngineExporter, exportEngineSpans } from '../support/engine-exporter.ts';
import { VLLM_TIMES } from '../support/engine-spans.ts';
import { plainAttributes } from '../support/otlp-catcher.ts';
import { type EngineExchange, PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { c, CHAT_TARGET, D, DONE, END, event, FINISH, HEAD } from '../support/script.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';
import type { EngineProcess } from './engine/engine-process.ts';
import { startJaeger, type Jaeger } from './jaeger/jaeger.ts';
import { orMissing, say } from './judge/missing.ts';
import { GATEWAY_NAME, startGateway } from './traces/gateway.ts';
import { tracesWith, traceOf, type StoredSpan } from './traces/query.ts';

/** From Jaeger's API: SPAN_KIND_INTERNAL, _SERVER and _CLIENT of OTLP. */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const TOKENS_COUNT = 20;
const STALL_MS = 800;
/** Gateway, SERVER, CLIENT, queue, prefill, decode, chunks, the engine's own. */
const SPANS_COUNT = 8;

let jaeger: Jaeger | undefined;
let engine: RawEngine;
let sidecar: Sidecar | undefined;
let gateway: EngineProcess | undefined;
let exporter: EngineExporter | undefined;

beforeAll(async () => {
  jaeger = await orMissing('Jaeger', startJaeger);
  engine = await RawEngine.start();
  if (jaeger === undefined) return;
  sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    // A model has a label of its own from its first success on, or by configuration.
    args: ['--otlp-listen', '127.0.0.1:0', '--models', 'smooth'],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: jaeger.otlpUrl, OTEL_BSP_SCHEDULE_DELAY: '200' },
  });
  const line = sidecar.logs.find((log) => log['msg'] === 'rubato is listening');
  exporter = exportEngineSpans('http/protobuf', `http://${String(line?.['otlp'])}`);
  const ports = { upstreamPort: sidecar.listenPort, otlpPort: jaeger.otlpPort };
  gateway = await orMissing('gateway that traces (Envoy)', () => startGateway(ports));
});

afterAll(async () => {
  expect(exporter?.failures ?? []).toEqual([]);
  await exporter?.stop();
  await gateway?.stop();
  await sidecar?.stop();
  await engine.stop();
  await jaeger?.stop();
});

type Answer = (exchange: EngineExchange) => Promise<void>;

/** Tokens 20 ms apart, a silence in their middle, and the span of an engine that queued and prefilled before them. */
function tokens(stallMs: number): Answer {
  return async (exchange) => {
    await sleep(100);
    await exchange.write(HEAD);
    for (let index = 0; index < TOKENS_COUNT; index += 1) {
      await sleep(index === TOKENS_COUNT / 2 ? stallMs : 20);
      await exchange.write(c(D(`t${index} `)));
    }
    const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: TOKENS_COUNT } });
    await exchange.write(c(FINISH + usage + DONE), END);
    tellSpan(exchange);
  };
}

/** More chunks than a span lists. */
const manyChunks: Answer = async (exchange) => {
  await sleep(100);
  await exchange.write(HEAD);
  for (let sent = 0; sent < SPAN_CHUNKS_MAX_COUNT + 500; sent += 50) {
    await exchange.write(...Array.from({ length: 50 }, () => c(D('a'))));
    await sleep(1);
  }
  await exchange.write(c(FINISH + DONE), END);
  tellSpan(exchange);
};

/** The span of the request as vLLM makes it, sent to rubato when the answer is over. */
function tellSpan({ request, headAtNs }: EngineExchange): void {
  const [traceparent = ''] = request.values('traceparent');
  const [, traceId = '', parentSpanId = ''] = traceparent.split('-');
  const endEpochMs = Date.now();
  const startEpochMs = endEpochMs - (nowNs() - headAtNs) / 1e6;
  exporter?.onSpans([
    {
      traceId,
      spanId: randomBytes(8).toString('hex'),
      parentSpanId,
      name: 'llm_request',
      kind: 'server',
      startEpochMs,
      endEpochMs,
      attributes: VLLM_TIMES,
      scope: 'vllm.llm_engine',
      resource: { 'service.name': 'engine' },
    },
  ]);
}

interface Asked {
  readonly traceId: string;
  readonly entry: RecordEntry;
}

/** Asks by way of the gateway; which trace it was, the engine was told. */
async function ask(through: EngineProcess, name: string, script: Answer): Promise<Asked> {
  const plan = engine.plan(script);
  const response = await fetch(through.url + CHAT_TARGET, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [PLAN_FIELD]: plan.id },
    body: JSON.stringify({ model: name, stream: true }),
  });
  expect([response.status, (await response.text()).endsWith(DONE)]).toEqual([200, true]);
  const [traceparent = ''] = (await plan.exchange).request.values('traceparent');
  const traceId = traceparent.split('-')[1] ?? '';
  if (sidecar === undefined) throw new Error('there is a sidecar where there is a gateway');
  return { traceId, entry: await sidecar.record(name, ({ request }: StreamRecord) => request.model === name) };
}

/** The one span of a service with this kind or name. */
function only(spans: readonly StoredSpan[], service: string, what: number | string): StoredSpan {
  const found = spans.filter((span) => span.service === service && (span.kind === what || span.name === what));
  expect(found, `spans of ${service} that are ${what}`).toHaveLength(1);
  return found[0] as StoredSpan;
}

describe('an exchange that came by way of a gateway', () => {
  let asked: Asked;
  let spans: StoredSpan[];
  let server: StoredSpan;
  let client: StoredSpan;

  beforeAll(async () => {
    if (jaeger === undefined || gateway === undefined) return;
    asked = await ask(gateway, 'smooth', tokens(20));
    spans = await traceOf(jaeger.url, asked.traceId, { spanCount: SPANS_COUNT });
    server = only(spans, 'rubato', SERVER);
    client = only(spans, 'rubato', CLIENT);
    say(`one trace in Jaeger: ${spans.map(({ service, name }) => `${service}: ${name}`).join(', ')}`);
  });

  test('is one trace: gateway → SERVER → CLIENT → engine, and the phases and chunks below the CLIENT', ({ skip }) => {
    if (gateway === undefined) return skip('Jaeger or Envoy cannot be had here');
    expect(spans).toHaveLength(SPANS_COUNT);
    const first = only(spans, GATEWAY_NAME, SERVER);
    const own = only(spans, 'engine', SERVER);
    expect(first.parentSpanId ?? '').toBe('');
    expect(server.parentSpanId).toBe(first.spanId);
    expect(client.parentSpanId).toBe(server.spanId);
    expect(own.parentSpanId).toBe(client.spanId);
    for (const name of ['queue', 'prefill', 'decode', 'rubato.chunks']) {
      const { kind, parentSpanId } = only(spans, 'rubato', name);
      expect([name, kind, parentSpanId]).toEqual([name, INTERNAL, client.spanId]);
    }
    expect([server.name, client.name]).toEqual([`POST ${CHAT_TARGET}`, 'chat smooth']);
    const { trace } = asked.entry.record;
    expect([server.spanId, client.spanId]).toEqual([trace?.serverSpanId, trace?.clientSpanId]);
  });

  test('says in Jaeger what its record says', ({ skip }) => {
    if (gateway === undefined) return skip('Jaeger or Envoy cannot be had here');
    const { record, figures } = asked.entry;
    const us = (lengthNs: number | undefined): number => Math.round((lengthNs ?? NaN) / 1e3);
    expect(plainAttributes(server.attributes)).toMatchObject({
      'rubato.record.id': record.id,
      'rubato.outcome': 'ok',
      'rubato.ttft_us': us(figures.ttftNs),
      'rubato.gap.max_us': us(figures.gapsReceived.maxNs),
      'rubato.ttft.basis': 'exact',
      'rubato.ttft.queue_us': 40_000,
      'rubato.ttft.prefill_us': 25_000,
      'rubato.evidence.source': ['engine-spans'],
    });
    expect(plainAttributes(client.attributes)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'smooth',
      'gen_ai.usage.output_tokens': TOKENS_COUNT,
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expect((server.events ?? []).map(({ name }) => name)).toEqual(['rubato.first_token']);
    expectChunks(spans, record, record.chunks.bytes.length);
  });

  test('has no span of ours whose clock Jaeger would doubt', async ({ skip }) => {
    if (jaeger === undefined || gateway === undefined) return skip('Jaeger or Envoy cannot be had here');
    const looked = await traceOf(jaeger.url, asked.traceId, { spanCount: SPANS_COUNT, form: 'adjusted' });
    const doubted = looked.filter(({ attributes = [] }) => attributes.some(({ key }) => key === '@jaeger@warnings'));
    // The SERVER span and the engine's are held against clocks of other processes.
    const ofOneClock = new Set([client.name, 'queue', 'prefill', 'decode', 'rubato.chunks']);
    expect(doubted.map(({ name }) => name).filter((name) => ofOneClock.has(name))).toEqual([]);
  });
});

/** Every column of the chunks is there as integers, and they are those of the record. */
function expectChunks(spans: readonly StoredSpan[], record: StreamRecord, count: number): void {
  const { attributes = [] } = only(spans, 'rubato', 'rubato.chunks');
  const chunks = plainAttributes(attributes);
  const columns = attributes.filter(({ value }) => 'arrayValue' in value);
  expect(columns.map(({ key }) => key).sort()).toEqual(
    ['at_us', 'gap_us', 'hold_us', 'flush_us', 'bytes', 'kind'].map((name) => `rubato.chunk.${name}`).sort(),
  );
  for (const { key, value } of columns) {
    const { values = [] } = value['arrayValue'] as { values?: Record<string, unknown>[] };
    expect([key, values.length, values.every((each) => 'intValue' in each)]).toEqual([key, count, true]);
  }
  expect(chunks['rubato.chunk.bytes']).toEqual(record.chunks.bytes.slice(0, count));
  expect([chunks['rubato.chunk.count'], chunks['rubato.chunk.listed_count']]).toEqual([
    record.response.chunkCount,
    count,
  ]);
  const { receivedAtNs } = record.chunks;
  const lastUs = Math.round(((receivedAtNs[count - 1] ?? NaN) - (receivedAtNs[0] ?? NaN)) / 1e3);
  const walkedUs = (chunks['rubato.chunk.at_us'] as number[]).reduce((sum, each) => sum + each, 0);
  expect(Math.abs(walkedUs - lastUs)).toBeLessThanOrEqual(1);
}

test('a stalled exchange is found by its stall, and one that flows is not', async ({ skip }) => {
  if (jaeger === undefined || gateway === undefined) return skip('Jaeger or Envoy cannot be had here');
  const stalled = await ask(gateway, 'stalled', tokens(STALL_MS));
  const smooth = await ask(gateway, 'flowing', tokens(20));
  for (const { traceId } of [stalled, smooth]) await traceOf(jaeger.url, traceId, { spanCount: SPANS_COUNT });
  const { figures } = stalled.entry;
  expect(figures.stallCount).toBeGreaterThanOrEqual(1);
  const found = async (attributes: Record<string, string>): Promise<boolean[]> => {
    const ids = await tracesWith(jaeger?.url ?? '', 'rubato', attributes);
    return [stalled, smooth].map(({ traceId }) => ids.includes(traceId));
  };
  // By the event, in the very words of the worst gap.
  const gapUs = Math.round((figures.gapsReceived.maxNs ?? NaN) / 1e3);
  expect(await found({ 'rubato.stall.gap_us': String(gapUs) })).toEqual([true, false]);
  expect(await found({ 'rubato.stall.gap_us': String(gapUs + 1) })).toEqual([false, false]);
  // By the span.
  expect(await found({ 'rubato.stall.count': String(figures.stallCount) })).toEqual([
    true,
    smooth.entry.figures.stallCount === figures.stallCount,
  ]);
  expect(await found({ 'rubato.outcome': 'ok' })).toEqual([true, true]);
});

test('a stream of more chunks than are listed is stored with all that are', async ({ skip }) => {
  if (jaeger === undefined || gateway === undefined) return skip('Jaeger or Envoy cannot be had here');
  const { traceId, entry } = await ask(gateway, 'many', manyChunks);
  const spans = await traceOf(jaeger.url, traceId, { spanCount: SPANS_COUNT });
  expect(entry.record.response.chunkCount).toBeGreaterThan(SPAN_CHUNKS_MAX_COUNT);
  expectChunks(spans, entry.record, SPAN_CHUNKS_MAX_COUNT);
});

test('a caller that samples nothing makes no trace of it', async ({ skip }) => {
  if (jaeger === undefined || sidecar === undefined) return skip('Jaeger cannot be had here');
  const [quiet, loud] = ['c'.repeat(32), 'd'.repeat(32)];
  for (const [traceId, flags] of [
    [quiet, '00'],
    [loud, '01'],
  ] as const) {
    const plan = engine.plan(async (exchange) => exchange.write(HEAD, c(D('a')), c(FINISH + DONE), END));
    const response = await fetch(`http://127.0.0.1:${sidecar.listenPort}${CHAT_TARGET}`, {
      method: 'POST',
      headers: { [PLAN_FIELD]: plan.id, traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` },
      body: JSON.stringify({ model: 'm', stream: true }),
    });
    await response.text();
  }
  // The later one is there, so the earlier one would be.
  await traceOf(jaeger.url, loud, { spanCount: 3 });
  expect((await fetch(`${jaeger.url}/api/v3/traces/${quiet}`)).status).toBe(404);
});
