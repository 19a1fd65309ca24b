// Goal: spans made without the SDK's tracer leave as the same bytes as spans made with it, whatever the OTEL_…_LIMIT
// variables say. Method: the sink of spans plays the same reports to our maker and to one over the SDK's tracer, with
// the same random ids; the exporters send what both left to a collector that keeps the bytes.
import { ROOT_CONTEXT, SpanStatusCode, trace, type ContextManager, type Span } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  AlwaysOnSampler,
  RandomIdGenerator,
  type IdGenerator,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Report } from '../../../src/judge/report.ts';
import { merged } from '../../../src/telemetry/attribute-parts.ts';
import type { OtlpProtocol } from '../../../src/telemetry/otel-environment.ts';
import { otelPlan } from '../../../src/telemetry/otel-environment.ts';
import { spanExporterFor } from '../../../src/telemetry/otel-exporters.ts';
import { createResource } from '../../../src/telemetry/sdk.ts';
import { createSpanMaker, type OpenSpan, type PresetIds, type SpanMaker } from '../../../src/telemetry/span-maker.ts';
import { createSpanSink } from '../../../src/telemetry/spans.ts';
import { fuzz } from '../../support/fuzz.ts';
import { OtlpCatcher } from '../../support/otlp-catcher.ts';
import { ms, read, texts, type ReadSpec, type RecordSpec } from '../../support/record-builder.ts';
import { reportOf, TRACE, usualStream } from './reports.ts';
import { worstReport } from './tempo-worst.ts';

const SCOPE = { name: 'rubato', version: '1.2.3' };
const RESOURCE = createResource('1.2.3');

let catcher: OtlpCatcher;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  environment = process.env;
  catcher = await OtlpCatcher.start();
  catcher.keepsBodies = true;
});

afterEach(async () => {
  await catcher.stop();
  process.env = environment;
});

/** Keeps what has ended. */
class Collected implements SpanProcessor {
  readonly spans: ReadableSpan[] = [];
  onStart(): void {}
  onEnd(span: ReadableSpan): void {
    this.spans.push(span);
  }
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

/** Hands out the ids that are preset for one span. */
class PresetGenerator implements IdGenerator {
  preset: PresetIds | undefined;
  readonly #random = new RandomIdGenerator();
  generateTraceId(): string {
    return this.preset?.traceId ?? this.#random.generateTraceId();
  }
  generateSpanId(): string {
    return this.preset?.spanId ?? this.#random.generateSpanId();
  }
}

/** A maker over the SDK's own tracer, started as the SDK reads its limits from the environment. */
function makerOfSdk(processor: SpanProcessor, eventCountLimit: number): SpanMaker {
  const ids = new PresetGenerator();
  const sdk = new NodeSDK({
    resource: RESOURCE,
    autoDetectResources: false,
    instrumentations: [],
    textMapPropagator: null,
    contextManager: null as unknown as ContextManager,
    logRecordProcessors: [],
    metricReaders: [],
    spanProcessors: [processor],
    idGenerator: ids,
    sampler: new AlwaysOnSampler(),
    spanLimits: { eventCountLimit },
  });
  sdk.start();
  const tracer = trace.getTracer(SCOPE.name, SCOPE.version);
  trace.disable();
  const start = ({ name, parent, attributes, ...rest }: Parameters<SpanMaker['start']>[0]): OpenSpan => {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    return openSpan(tracer.startSpan(name, { ...rest, attributes: merged(attributes) }, context));
  };
  return {
    start(options, preset) {
      ids.preset = preset;
      const span = start(options);
      ids.preset = undefined;
      return span;
    },
    startChild: start,
  };
}

function openSpan(span: Span): OpenSpan {
  return {
    context: span.spanContext(),
    addEvent: (name, attributes, time) => void span.addEvent(name, attributes, time),
    fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
    end: (time) => span.end(time),
  };
}

/** What both makers leave of these reports, under these variables. */
function bothOf(reports: readonly Report[], variables: Record<string, string>, chunksAs: 'arrays' | 'events') {
  process.env = { ...environment, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${catcher.url}/v1/traces`, ...variables };
  const { spanLimits: limits } = otelPlan(process.env);
  const [own, sdk] = [new Collected(), new Collected()];
  const makers = [
    createSpanMaker({ resource: RESOURCE, scope: SCOPE, limits, processors: [own] }),
    makerOfSdk(sdk, limits.eventCountLimit),
  ];
  for (const maker of makers) {
    let state = 1;
    vi.spyOn(Math, 'random').mockImplementation(() => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647);
    const upstreams = new Map([['default', { address: '10.0.0.7', port: 8000 }]]);
    const sink = createSpanSink({ maker, chunks: 'all', chunksAs, slowTtftNs: 2e9, provider: 'vllm', upstreams });
    for (const report of reports) sink.onReport?.(report, undefined);
    vi.restoreAllMocks();
  }
  return { own: own.spans, sdk: sdk.spans };
}

/** The body in which an exporter sends them. */
async function bytesOf(spans: ReadableSpan[], protocol: OtlpProtocol): Promise<string> {
  const exporter = await spanExporterFor(protocol);
  const { error } = await new Promise<{ error?: Error }>((resolve) => exporter.export(spans, resolve));
  expect(error).toBeUndefined();
  await exporter.shutdown();
  const [body] = catcher.bodies.splice(0);
  expect(body?.bytes.length).toBeGreaterThan(100);
  return body?.bytes.toString('base64') ?? '';
}

async function expectSameBytes(reports: readonly Report[], variables: Record<string, string>): Promise<void> {
  for (const form of ['arrays', 'events'] as const) {
    const { own, sdk } = bothOf(reports, variables, form);
    expect(own.length).toBeGreaterThan(0);
    for (const protocol of ['http/protobuf', 'http/json'] as const) {
      expect(await bytesOf(own, protocol)).toBe(await bytesOf(sdk, protocol));
    }
  }
}

const exactly = [{ source: 'x', basis: 'exact' as const, queueNs: ms(30), prefillNs: ms(60) }];
const stalled: RecordSpec = { reads: [...texts(1, 1, 4), read(900, 'text finish'), read(900, 'done')] };
const { parentSpanId: _, ...rootTrace } = TRACE;

const REPORTS: readonly Report[] = [
  worstReport(),
  reportOf(usualStream(40), { trace: { ...TRACE, traceState: 'vendor=1,other=2' } }),
  reportOf({ ...usualStream(2), evidence: exactly }, { trace: rootTrace }),
  reportOf({ wire: 'upstream_aborted', reads: texts(1, 1, 3) }, { trace: TRACE }),
  reportOf({ status: 429, reads: [read(1, '')] }, { trace: TRACE }),
  reportOf({ status: null, wire: 'client_abort' }, { trace: TRACE, marks: { clientEndAtNs: 5_000 } }),
  reportOf(stalled, { trace: { ...TRACE, parentSpanId: 'no span id at all' } }),
  reportOf(usualStream(3), { trace: { ...TRACE, parentSpanId: '0'.repeat(16) } }),
];

describe('the bytes are those of the SDK', () => {
  it.each([
    {},
    { OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '20', OTEL_ATTRIBUTE_COUNT_LIMIT: '7' },
    { OTEL_ATTRIBUTE_COUNT_LIMIT: '7' },
    { OTEL_ATTRIBUTE_COUNT_LIMIT: '0' },
    { OTEL_ATTRIBUTE_COUNT_LIMIT: 'many' },
    { OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '5' },
    { OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '3', OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '5' },
    { OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '0' },
    { OTEL_SPAN_EVENT_COUNT_LIMIT: '3' },
    { OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT: '2' },
    { OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT: '1' },
    { OTEL_SPAN_LINK_COUNT_LIMIT: '0' },
    { OTEL_SPAN_LINK_COUNT_LIMIT: '1', OTEL_LINK_ATTRIBUTE_COUNT_LIMIT: '1' },
  ])('of every kind of exchange under %j', async (variables) => {
    const [worst, ...usual] = REPORTS;
    const linked = usual.map((report) => ({
      ...report,
      record: { ...report.record, ...(worst?.record.hop !== undefined && { hop: worst.record.hop }) },
    }));
    await expectSameBytes([...REPORTS, ...linked], variables as Record<string, string>);
  });

  const reads: fc.Arbitrary<ReadSpec[]> = fc
    .array(
      fc.record({
        stepUs: fc.integer({ min: 0, max: 400_000 }),
        chunks: fc.array(fc.constantFrom('text', 'text text', 'role', 'ping', 'reasoning', 'tool:3', 'usage'), {
          minLength: 1,
          maxLength: 3,
        }),
        flushAfterNs: fc.option(fc.integer({ min: 0, max: ms(40) })),
      }),
      { maxLength: 60 },
    )
    .map((steps) => {
      let atMs = 0;
      return steps.map(({ stepUs, chunks, flushAfterNs }) =>
        read((atMs += stepUs / 1000), chunks, { flushAfterNs, writeAfterNs: 1_234 }),
      );
    });
  const ids = fc.record({
    traceId: fc.stringMatching(/^[1-9a-f][0-9a-f]{31}$/),
    parentSpanId: fc.stringMatching(/^[1-9a-f][0-9a-f]{15}$/),
    sampled: fc.constant(true),
  });

  it('of any streams', async () => {
    const wire = fc.constantFrom('complete' as const, 'client_abort' as const, 'upstream_aborted' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ reads, wire, ids }), { minLength: 1, maxLength: 8 }), async (streams) => {
        const reports = streams.map(({ ids: own, ...spec }) => reportOf(spec, { trace: { ...TRACE, ...own } }));
        await expectSameBytes(reports, {});
      }),
      fuzz(15),
    );
  });
});

it('a span that would end before it starts ends where it starts', () => {
  const processor = new Collected();
  const { spanLimits: limits } = otelPlan({});
  const maker = createSpanMaker({ resource: RESOURCE, scope: SCOPE, limits, processors: [processor] });
  const options = { name: 'a', kind: 1, startTime: [5, 7] as [number, number], attributes: [], parent: undefined };
  maker.start(options, { traceId: TRACE.traceId, spanId: TRACE.serverSpanId }).end([5, 6]);
  expect(processor.spans[0]).toMatchObject({ endTime: [5, 7], duration: [0, 0], ended: true });
});
