// Goal: of what we send nothing is cut, refused or unfindable for a trace back end's limits. Method: the largest
// exchange that a record can hold goes through the real SDK and its exporters to a catcher, and what came there is
// held against the limits that Tempo, the Collector and the specification document. Tempo itself is not asked.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { METRICS } from '../../../src/measure/table.ts';
import { otelPlan, type OtlpProtocol } from '../../../src/telemetry/otel-environment.ts';
import { createResource, startOtel } from '../../../src/telemetry/sdk.ts';
import type { ChunkForm } from '../../../src/telemetry/span-details.ts';
import { SPAN_ATTRIBUTES } from '../../../src/telemetry/span-names.ts';
import { createSpanSink } from '../../../src/telemetry/spans.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { OtlpCatcher, type CaughtSpan } from '../../support/otlp-catcher.ts';
import { readTraceRequest } from '../../support/otlp-protobuf.ts';
import { poll } from '../../support/signal.ts';
import { catchLog } from './reports.ts';
import {
  COLLECTOR_BODY_MAX_BYTES,
  COUNT_MAX,
  GRPC_MESSAGE_MAX_BYTES,
  mixedTypes,
  placesOf,
  tooLong,
  TRACE_MAX_BYTES,
} from './tempo-check.ts';
import { ELSEWHERE, worstReport } from './tempo-worst.ts';

/** Putting twenty of them into bytes takes seconds, and more where others work too. */
const WAIT_MS = 60_000;
/** SERVER, CLIENT, queue, prefill, decode, chunks. */
const SPANS_COUNT = 6;

const report = worstReport();
const environment = process.env;
const catchers: OtlpCatcher[] = [];
afterAll(async () => {
  process.env = environment;
  for (const catcher of catchers) await catcher.stop();
});

interface Sent {
  readonly protocol: OtlpProtocol;
  readonly form: ChunkForm;
  readonly reportCount?: number;
}

/** Exports the exchange so many times; what came when all of its spans have come. */
async function send({ protocol, form, reportCount = 1 }: Sent): Promise<OtlpCatcher> {
  const catcher = await OtlpCatcher.start();
  catchers.push(catcher);
  catcher.keepsBodies = true;
  process.env = {
    ...environment,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${catcher.url}/v1/traces`,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  const store = createMetricStore({ specs: METRICS, known: {}, startEpochMs: 1 });
  const plan = otelPlan(process.env);
  const otel = await startOtel({ plan, resource: createResource('1.2.3'), store, log: catchLog(), version: '1.2.3' });
  if (otel.tracing === undefined) throw new Error('spans are pushed in this test');
  const upstreams = new Map([[report.record.route, { address: 'h'.repeat(253), port: 65_535 }]]);
  const wishes = { chunks: 'all', chunksAs: form, slowTtftNs: 2e9, provider: 'vllm', upstreams } as const;
  const sink = createSpanSink({ ...otel.tracing, ...wishes });
  for (let count = 0; count < reportCount; count += 1) sink.onReport?.(report, undefined);
  const exportedCount = reportCount * SPANS_COUNT;
  try {
    const isSent = (): true | undefined => {
      const { queuedCount = 1, inFlightCount = 1 } = otel.spanStats() ?? {};
      return queuedCount + inFlightCount === 0 ? true : undefined;
    };
    await poll('every span to be exported', isSent, WAIT_MS);
    expect(otel.spanStats()).toMatchObject({ endedCount: exportedCount, exportedCount, droppedCount: 0 });
  } finally {
    await otel.shutdown();
  }
  return catcher;
}

test('the check itself tells 2,048 bytes from 2,049, and an array of integers from a mixed one', () => {
  const span = (name: string, key: string, value: Record<string, unknown>): CaughtSpan => ({
    traceId: '',
    spanId: '',
    kind: 1,
    startTimeUnixNano: '0',
    endTimeUnixNano: '0',
    name,
    attributes: [{ key, value }],
  });
  const list = (...values: unknown[]) => ({ arrayValue: { values } });
  const fits = '語'.repeat(682) + 'ab';
  const good = [
    span('a', fits, { stringValue: fits }),
    span('a', 'b_us', { intValue: '1' }),
    span('a', 'list', list({ intValue: '1' }, { intValue: '2' })),
  ];
  const long = [
    span(`${fits}c`, 'a', { boolValue: true }),
    span('a', `${fits}c`, { boolValue: true }),
    span('a', 'b', { stringValue: `${fits}c` }),
    span('a', 'b', list({ stringValue: 'a' }, { stringValue: `${fits}c` })),
  ];
  const mixed = [
    span('a', 'b', list({ intValue: '1' }, { doubleValue: 1.5 })),
    span('a', 'b_us', { doubleValue: 1.5 }),
  ];
  const all = { spans: [...good, ...long, ...mixed], resources: [] };
  expect([tooLong({ ...all, spans: good }), mixedTypes({ ...all, spans: good })]).toEqual([[], []]);
  expect([tooLong(all).length, mixedTypes(all).length]).toEqual([long.length, mixed.length]);
});

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

describe.each(['arrays', 'events'] as const)('the largest exchange, its chunks as %s', (form) => {
  let catcher: OtlpCatcher;
  beforeAll(async () => {
    catcher = await send({ protocol: 'http/json', form });
  }, WAIT_MS);

  it('has every attribute that there is', () => {
    const keys = new Set(placesOf(catcher).flatMap(({ attributes }) => attributes.map(({ key }) => key)));
    expect(Object.keys(SPAN_ATTRIBUTES).filter((name) => !keys.has(name))).toEqual(ELSEWHERE);
  });

  it('lost nothing on the way', () => {
    const lost = catcher.spans.map((span) => [span.droppedAttributesCount ?? 0, span.droppedEventsCount ?? 0]);
    expect(lost).toEqual(Array.from({ length: SPANS_COUNT }, () => [0, 0]));
  });

  it('has no text, key or name that would be cut', () => {
    expect(tooLong(catcher)).toEqual([]);
  });

  it('has arrays of one type, and lengths, counts and sizes as integers everywhere', () => {
    expect(mixedTypes(catcher)).toEqual([]);
  });

  it('has no more attributes and events on a span than the specification keeps', () => {
    const crowded = placesOf(catcher).filter(({ attributes }) => attributes.length > COUNT_MAX);
    expect(crowded.map(({ where }) => where)).toEqual([]);
    // Chunks as events are what was asked for; the SDK's limit is raised for them alone.
    const counts = new Map(catcher.spans.map(({ name, events = [] }) => [name, events.length]));
    expect(counts.get('rubato.chunks')).toBe(form === 'arrays' ? 0 : 8_192);
    counts.delete('rubato.chunks');
    expect(Math.max(...counts.values())).toBe(16);
  });
});

test.each([
  ['arrays', 10],
  ['events', 2],
] as const)(
  'a trace takes the largest exchange, its chunks as %s, at least %i times over, and a message of gRPC once',
  async (form, leastCount) => {
    const sizes = (await send({ protocol: 'http/protobuf', form })).bodyBytes;
    expect(Math.floor(TRACE_MAX_BYTES / sum(sizes))).toBeGreaterThanOrEqual(leastCount);
    // A message of gRPC has the same bytes as a body of HTTP.
    expect(Math.max(...sizes)).toBeLessThan(GRPC_MESSAGE_MAX_BYTES);
  },
  WAIT_MS,
);

describe('twenty of the largest exchanges at once', () => {
  const reportCount = 20;

  it(
    'go out as protobuf in messages that gRPC takes',
    async () => {
      const { bodies, bodyBytes } = await send({ protocol: 'http/protobuf', form: 'arrays', reportCount });
      const listed = bodies.flatMap(({ bytes }) => readTraceRequest(bytes)).map(({ arrayCounts }) => arrayCounts);
      expect(listed.filter((counts) => counts['rubato.chunk.gap_us'] === 8_192)).toHaveLength(reportCount);
      // Together they are more than one message may have, so they had to be parted.
      expect(sum(bodyBytes)).toBeGreaterThan(GRPC_MESSAGE_MAX_BYTES);
      expect(Math.max(...bodyBytes)).toBeLessThan(GRPC_MESSAGE_MAX_BYTES);
    },
    WAIT_MS,
  );

  it(
    'go out as JSON, more than twice as long, in bodies that a Collector takes',
    async () => {
      const { spans, bodyBytes } = await send({ protocol: 'http/json', form: 'arrays', reportCount });
      expect(spans).toHaveLength(SPANS_COUNT * reportCount);
      expect(sum(bodyBytes)).toBeGreaterThan(COLLECTOR_BODY_MAX_BYTES);
      expect(Math.max(...bodyBytes)).toBeLessThan(COLLECTOR_BODY_MAX_BYTES);
    },
    WAIT_MS,
  );
});
