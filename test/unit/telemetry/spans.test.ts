// Goal: spans say what the record says, with the ids the relay decided, and equal records to the unit.
// Method: the real SDK with its JSON exporter against a collector that keeps what it is sent.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Report } from '../../../src/judge/report.ts';
import { METRICS } from '../../../src/measure/table.ts';
import { otelPlan } from '../../../src/telemetry/otel-environment.ts';
import { createResource, startOtel, type Otel } from '../../../src/telemetry/sdk.ts';
import { createSpanSink, type SpanSinkOptions } from '../../../src/telemetry/spans.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { OtlpCatcher, plainAttributes, type CaughtSpan } from '../../support/otlp-catcher.ts';
import { ms, read, texts } from '../../support/record-builder.ts';
import { catchLog, reportOf, TRACE, usualStream } from './reports.ts';

const OPENED_NS = 1_796_000_000_000_000_000n;
const SERVER = 2;
const CLIENT = 3;

let catcher: OtlpCatcher;
let otel: Otel;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  environment = process.env;
  catcher = await OtlpCatcher.start();
  process.env = { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  const store = createMetricStore({ specs: METRICS, known: {}, startEpochMs: 1 });
  const plan = otelPlan(process.env);
  otel = await startOtel({ plan, resource: createResource('1.2.3'), store, log: catchLog(), version: '1.2.3' });
});

afterEach(async () => {
  await otel.shutdown();
  await catcher.stop();
  process.env = environment;
});

/** The spans of these reports, as the collector got them. */
async function spansOf(reports: readonly Report[], options: Partial<SpanSinkOptions> = {}): Promise<CaughtSpan[]> {
  if (otel.tracing === undefined) throw new Error('spans are pushed in this test');
  const upstreams = new Map([['default', { address: '10.0.0.7', port: 8000 }]]);
  const sink = createSpanSink({
    ...otel.tracing,
    chunks: 'all',
    chunksAs: 'arrays',
    slowTtftNs: 2e9,
    provider: 'vllm',
    upstreams,
    ...options,
  });
  for (const report of reports) sink.onReport?.(report, undefined);
  await otel.shutdown();
  return catcher.spans;
}

const named = (spans: readonly CaughtSpan[], name: string): CaughtSpan => {
  const found = spans.filter((span) => span.name === name);
  expect(found, `spans named ${name} among ${spans.map((span) => span.name).join(', ')}`).toHaveLength(1);
  return found[0]!;
};

describe('a good stream', () => {
  it('is a SERVER span over a CLIENT span over its chunks, with the ids of its record', async () => {
    const spans = await spansOf([reportOf(usualStream(40), { trace: TRACE })]);
    const server = named(spans, 'POST /v1/chat/completions');
    const client = named(spans, 'chat m');
    const chunks = named(spans, 'rubato.chunks');
    expect(spans).toHaveLength(3);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE.traceId]));
    expect([server.kind, server.spanId, server.parentSpanId]).toEqual([SERVER, TRACE.serverSpanId, TRACE.parentSpanId]);
    expect([client.kind, client.spanId, client.parentSpanId]).toEqual([CLIENT, TRACE.clientSpanId, TRACE.serverSpanId]);
    expect(chunks.parentSpanId).toBe(TRACE.clientSpanId);
  });

  it('has the times of its marks, to the ns', async () => {
    const report = reportOf({ ...usualStream(40), marks: { connectStartAtNs: 1_234 } }, { trace: TRACE });
    const spans = await spansOf([report]);
    const at = (atNs: number | undefined): string => String(OPENED_NS + BigInt(atNs ?? 0));
    const server = named(spans, 'POST /v1/chat/completions');
    const client = named(spans, 'chat m');
    expect([server.startTimeUnixNano, server.endTimeUnixNano]).toEqual([at(0), at(report.figures.durationNs)]);
    expect([client.startTimeUnixNano, client.endTimeUnixNano]).toEqual([
      at(1_234),
      at(report.record.marks.upstreamEndAtNs),
    ]);
    expect(server.events).toMatchObject([{ name: 'rubato.first_token', timeUnixNano: at(report.figures.ttftNs) }]);
  });

  it('says in integers what its figures say, and leaves out what is not known', async () => {
    const report = reportOf(
      { ...usualStream(40), request: { httpVersion: '2' }, tokens: { prompt: 9, output: 40, basis: 'usage' } },
      { trace: TRACE },
    );
    const spans = await spansOf([report]);
    const server = plainAttributes(named(spans, 'POST /v1/chat/completions').attributes);
    const client = plainAttributes(named(spans, 'chat m').attributes);
    expect(server).toMatchObject({
      'http.request.method': 'POST',
      'url.path': '/v1/chat/completions',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'network.protocol.version': '2',
      'rubato.outcome': 'ok',
      'rubato.ttft_us': 100_025,
      'rubato.ttft.engine_us': 100_000,
      'rubato.gap.count': 39,
      'rubato.gap.max_us': 20_000,
      'rubato.gap.p50_us': 20_000,
      'rubato.gap.p95_us': 20_000,
      'rubato.tpot_us': 20_000,
      'rubato.chunk.count': 42,
    });
    expect(server).not.toHaveProperty('rubato.gap.p99_us');
    expect(server).not.toHaveProperty('error.type');
    expect(client).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'vllm',
      'gen_ai.request.stream': true,
      'gen_ai.usage.input_tokens': 9,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.response.time_to_first_chunk': 0.1,
      'server.address': '10.0.0.7',
      'server.port': 8000,
    });
    const parts = Object.entries(server).filter(([name]) => /^rubato\.ttft\.\w+_us$/.test(name));
    expect(parts.reduce((sum, [, value]) => sum + Number(value), 0)).toBe(server['rubato.ttft_us']);
  });

  it('has every chunk in arrays of equal length', async () => {
    const report = reportOf(usualStream(500), { trace: TRACE });
    const chunks = plainAttributes(named(await spansOf([report]), 'rubato.chunks').attributes);
    const columns = ['at_us', 'gap_us', 'hold_us', 'flush_us', 'bytes', 'kind'].map(
      (name) => chunks[`rubato.chunk.${name}`],
    );
    expect(columns.map((column) => (column as number[]).length)).toEqual([502, 502, 502, 502, 502, 502]);
    expect((columns[4] as number[]).reduce((sum, bytes) => sum + bytes, 0)).toBe(report.record.response.receivedBytes);
    expect(chunks).toMatchObject({
      'rubato.chunk.first_us': 100_000,
      'rubato.chunk.count': 502,
      'rubato.chunk.listed_count': 502,
    });
  });

  it('has one event a chunk when they are asked for as events', async () => {
    const spans = await spansOf([reportOf(usualStream(300), { trace: TRACE })], { chunksAs: 'events' });
    const chunks = named(spans, 'rubato.chunks');
    expect(chunks.events).toHaveLength(302);
    expect(chunks.droppedEventsCount ?? 0).toBe(0);
    expect(chunks.events?.[1]).toMatchObject({
      name: 'rubato.chunk',
      timeUnixNano: String(OPENED_NS + BigInt(ms(120))),
    });
  });

  it('says who we are, without the command line', async () => {
    await spansOf([reportOf(usualStream(1), { trace: TRACE })]);
    const resource = plainAttributes(catcher.resources[0]?.attributes);
    expect(resource).toMatchObject({ 'service.name': 'rubato', 'service.version': '1.2.3' });
    expect(resource['service.instance.id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(resource).filter((name) => name.startsWith('process.'))).toEqual([]);
  });
});

describe('which exchanges have which spans', () => {
  it('one that is not sampled has none', async () => {
    expect(await spansOf([reportOf(usualStream(2), { trace: { ...TRACE, sampled: false } })])).toEqual([]);
  });

  it('one that began the trace is its root', async () => {
    const { parentSpanId: _, ...root } = TRACE;
    const server = named(await spansOf([reportOf(usualStream(2), { trace: root })]), 'POST /v1/chat/completions');
    expect([server.traceId, server.spanId, server.parentSpanId ?? '']).toEqual([TRACE.traceId, TRACE.serverSpanId, '']);
  });

  it('one that asked nothing of an upstream has no CLIENT span', async () => {
    const report = reportOf({ status: null, wire: 'client_abort' }, { trace: TRACE, marks: { clientEndAtNs: 5_000 } });
    expect((await spansOf([report])).map(({ kind }) => kind)).toEqual([SERVER]);
  });

  it('the phases are there only when the engine told us of them', async () => {
    const evidence = [{ source: 'x', basis: 'exact' as const, queueNs: ms(30), prefillNs: ms(60) }];
    const spans = await spansOf([reportOf({ ...usualStream(2), evidence }, { trace: TRACE })]);
    const queue = named(spans, 'queue');
    const prefill = named(spans, 'prefill');
    expect([queue.startTimeUnixNano, queue.endTimeUnixNano]).toEqual([
      String(OPENED_NS),
      String(OPENED_NS + 30_000_000n),
    ]);
    expect(prefill.endTimeUnixNano).toBe(String(OPENED_NS + 90_000_000n));
    expect(named(spans, 'decode').parentSpanId).toBe(TRACE.clientSpanId);
  });

  it('the engine is on both spans, its numbers are on the CLIENT span', async () => {
    const said = { engine: { name: 'vllm', by: 'body' } as const, statements: { 'metrics.queue_time_ms': 12.5 } };
    const spans = await spansOf([reportOf(usualStream(2), { trace: TRACE, ...said })]);
    const server = plainAttributes(named(spans, 'POST /v1/chat/completions').attributes);
    const client = plainAttributes(named(spans, 'chat m').attributes);
    expect([server['rubato.engine.name'], client['rubato.engine.name']]).toEqual(['vllm', 'vllm']);
    expect([server, client].map((one) => one['rubato.engine.said.metrics.queue_time_ms'])).toEqual([undefined, 12.5]);
    // Of HTTP/1.1, which most speak, nothing is said.
    expect(server).not.toHaveProperty(['network.protocol.version']);
  });

  it('only failed, stalled and baseline exchanges have chunks when only the kept ones are wanted', async () => {
    // The last four digits decide the baseline: 0x319c is 12,700, 0x319d is not a multiple of a hundred.
    const baseline = reportOf(usualStream(2), { trace: TRACE });
    const trace = { ...TRACE, traceId: '0af7651916cd43dd8448eb211c80319d' };
    const usual = reportOf(usualStream(20), { trace });
    const cut = reportOf({ wire: 'upstream_aborted', reads: texts(1, 1, 3) }, { trace });
    const stalled = reportOf({ reads: [...texts(1, 1, 4), read(900, 'text finish'), read(900, 'done')] }, { trace });
    const spans = await spansOf([baseline, usual, cut, stalled], { chunks: 'kept' });
    const counts = spans.filter(({ name }) => name === 'rubato.chunks').map((span) => span.attributes);
    expect(counts.map((attributes) => plainAttributes(attributes)['rubato.chunk.count'])).toEqual([4, 3, 6]);
  });

  it('a slow first token and the wish of the client keep chunks, a nearly slow one does not', async () => {
    const trace = { ...TRACE, traceId: '0af7651916cd43dd8448eb211c80319d' };
    const built = reportOf(usualStream(20), { trace });
    const { ttftNs = 0 } = built.figures;
    const asked = { ...built, record: { ...built.record, request: { ...built.record.request, keep: true as const } } };
    const kept = await spansOf([built, asked], { chunks: 'kept', slowTtftNs: ttftNs + 1 });
    expect(kept.filter(({ name }) => name === 'rubato.chunks')).toHaveLength(1);
  });

  it('an exchange exactly as slow as the limit keeps its chunks', async () => {
    const trace = { ...TRACE, traceId: '0af7651916cd43dd8448eb211c80319d' };
    const built = reportOf(usualStream(20), { trace });
    const kept = await spansOf([built], { chunks: 'kept', slowTtftNs: built.figures.ttftNs ?? 0 });
    expect(kept.filter(({ name }) => name === 'rubato.chunks')).toHaveLength(1);
  });

  it('none has chunks when they are off', async () => {
    const spans = await spansOf([reportOf(usualStream(20), { trace: TRACE })], { chunks: 'off' });
    expect(spans.map(({ kind }) => kind).sort()).toEqual([SERVER, CLIENT]);
  });
});

describe('ends', () => {
  const UNSET = 0;
  const ERROR = 2;

  it.each([
    ['ok', usualStream(2), UNSET, UNSET, undefined],
    ['client_abort', { wire: 'client_abort', reads: texts(1, 1, 3) }, UNSET, UNSET, undefined],
    ['upstream_aborted', { wire: 'upstream_aborted', reads: texts(1, 1, 3) }, ERROR, ERROR, 'upstream_aborted'],
    ['incomplete', { reads: texts(1, 1, 3) }, ERROR, ERROR, 'incomplete'],
    ['error_http', { status: 429, reads: [read(1, '')] }, UNSET, ERROR, '429'],
    ['error_http', { status: 503, reads: [read(1, '')] }, ERROR, ERROR, '503'],
  ] as const)('%s has the status the conventions want', async (outcome, spec, serverCode, clientCode, errorType) => {
    const spans = await spansOf([reportOf(spec, { trace: TRACE })]);
    const server = spans.find(({ kind }) => kind === SERVER);
    const client = spans.find(({ kind }) => kind === CLIENT);
    expect(plainAttributes(server?.attributes)['rubato.outcome']).toBe(outcome);
    expect(plainAttributes(server?.attributes)['error.type']).toBe(errorType);
    expect([server?.status?.code ?? UNSET, client?.status?.code ?? UNSET]).toEqual([serverCode, clientCode]);
  });

  it('a cut stream has an event at the cut, and error where its finish reason would stand', async () => {
    const spans = await spansOf([reportOf({ wire: 'upstream_aborted', reads: texts(1, 1, 3) }, { trace: TRACE })]);
    const events = spans.find(({ kind }) => kind === SERVER)?.events ?? [];
    expect(events.at(-1)).toMatchObject({ name: 'rubato.cut', timeUnixNano: String(OPENED_NS + BigInt(ms(3))) });
    expect(plainAttributes(named(spans, 'chat m').attributes)['gen_ai.response.finish_reasons']).toEqual(['error']);
  });

  it('the worst stalls are events in order of time, within the bound', async () => {
    const reads = Array.from({ length: 40 }, (_, index) =>
      read(index * 10 + (index > 9 ? (index - 9) ** 2 * 200 : 0), 'text'),
    );
    const server = (await spansOf([reportOf({ reads }, { trace: TRACE })])).find(({ kind }) => kind === SERVER);
    const names = (server?.events ?? []).map(({ name }) => name);
    const times = (server?.events ?? []).map(({ timeUnixNano }) => BigInt(timeUnixNano));
    expect(names.length).toBeLessThanOrEqual(16);
    expect(names.filter((name) => name === 'rubato.stall')).toHaveLength(14);
    expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
  });
});

it('1,000 records make 1,000 SERVER spans and all their chunks arrive', async () => {
  const spanId = (index: number): string => index.toString(16).padStart(16, '0');
  const reports = Array.from({ length: 1_000 }, (_, index) => {
    const trace = {
      ...TRACE,
      traceId: index.toString(16).padStart(32, '1'),
      serverSpanId: spanId(2 * index + 1),
      clientSpanId: spanId(2 * index + 2),
    };
    return reportOf(usualStream(20), { trace });
  });
  const spans = await spansOf(reports);
  const chunkSpans = spans.filter(({ name }) => name === 'rubato.chunks');
  const listed = chunkSpans.map(
    ({ attributes }) => (plainAttributes(attributes)['rubato.chunk.at_us'] as number[]).length,
  );
  expect(spans.filter(({ kind }) => kind === SERVER)).toHaveLength(1_000);
  expect(listed.reduce((sum, count) => sum + count, 0)).toBe(
    reports.reduce((sum, { record }) => sum + record.response.chunkCount, 0),
  );
  expect(otel.spanStats()).toMatchObject({ endedCount: 3_000, exportedCount: 3_000, droppedCount: 0, queuedCount: 0 });
});
