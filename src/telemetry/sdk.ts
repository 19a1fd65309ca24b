// The OpenTelemetry SDK, told everything it would otherwise choose: detectors, exporters, processors of
// spans; no tracer, no propagators, no context manager, no instrumentation, no logs. It runs only
// when something is pushed; the relay never sees it.
import { logs, metrics, type ContextManager } from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
} from '@opentelemetry/resources';
import { ConsoleMetricExporter, PeriodicExportingMetricReader, type MetricReader } from '@opentelemetry/sdk-metrics';
import { ConsoleSpanExporter, SimpleSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace';
import { FLUSH_MAX_MS, METRICS_BATCH_MAX_COUNT } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { limitExports } from './export-limit.ts';
import { pushesTraces, type OtelPlan } from './otel-environment.ts';
import { countExports, metricExporterFor, spanExporterFor, type ExportTally } from './otel-exporters.ts';
import { createMetricProducer, SCOPE_NAME } from './otlp-metrics.ts';
import type { ResourceLabels } from './prometheus.ts';
import { createSpanMaker, type SpanMaker } from './span-maker.ts';
import { BoundedSpanProcessor, withinMs, type BatchStats } from './span-processor.ts';
import type { MetricStore } from './store.ts';

export interface OtelOptions {
  readonly plan: OtelPlan;
  readonly resource: Resource;
  readonly store: MetricStore;
  readonly log: Log;
  readonly version: string;
}

export interface Otel {
  /** Makes the spans; absent when none are pushed. */
  readonly tracing: { readonly maker: SpanMaker } | undefined;
  /** Of the spans sent by OTLP. */
  spanStats(): BatchStats | undefined;
  /** Of metrics sent by OTLP: exports, each with all points. */
  metricTally(): ExportTally | undefined;
  /** A last flush of both signals, within two seconds. */
  shutdown(): Promise<void>;
}

/**
 * What every route says about this process. No process detector: it would tell the command line,
 * and there may be a key on it. The environment wins over our own name and the random instance id.
 */
export function createResource(version: string): Resource {
  const own = resourceFromAttributes({ 'service.name': 'rubato', 'service.version': version });
  const detected = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] });
  return defaultResource().merge(own).merge(detected);
}

/** The same as labels of `target_info`. */
export function resourceLabels(resource: Resource): ResourceLabels {
  return Object.fromEntries(Object.entries(resource.attributes).map(([name, value]) => [name, String(value)]));
}

const NOT_PUSHING: Otel = {
  tracing: undefined,
  spanStats: () => undefined,
  metricTally: () => undefined,
  shutdown: () => Promise.resolve(),
};

export async function startOtel(options: OtelOptions): Promise<Otel> {
  const { plan, log } = options;
  const readers = await metricReaders(options);
  const spans = await spanProcessors(plan, log);
  if (readers.list.length === 0 && spans.list.length === 0) return NOT_PUSHING;
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const liftLimit = limitExports(plan.answerTimeoutMs);
  const sdk = new NodeSDK({
    resource: options.resource,
    autoDetectResources: false,
    resourceDetectors: [],
    instrumentations: [],
    textMapPropagator: null,
    // Only null keeps the SDK from following every await of the process; its type does not know that.
    contextManager: null as unknown as ContextManager,
    logRecordProcessors: [],
    metricReaders: [...readers.list],
    views: [],
    // Our spans reach their processors without a tracer of the SDK: see span-maker.ts.
    spanProcessors: [],
  });
  sdk.start();
  const scope = { name: SCOPE_NAME, version: options.version };
  const maker = createSpanMaker({ resource: options.resource, scope, limits: plan.spanLimits, processors: spans.list });
  return {
    tracing: pushesTraces(plan) ? { maker } : undefined,
    spanStats: () => spans.otlp?.stats(),
    metricTally: readers.tally,
    async shutdown() {
      const flushed = [sdk.shutdown(), ...spans.list.map((processor) => processor.shutdown())];
      await withinMs(Promise.all(flushed), FLUSH_MAX_MS);
      liftLimit();
      // The API keeps its providers for the process; a second sidecar in it would talk to a dead one.
      metrics.disable();
      logs.disable();
    },
  };
}

interface Spans {
  readonly list: readonly SpanProcessor[];
  readonly otlp: BoundedSpanProcessor | undefined;
}

async function spanProcessors(plan: OtelPlan, log: Log): Promise<Spans> {
  const list: SpanProcessor[] = [];
  let otlp: BoundedSpanProcessor | undefined;
  if (plan.traces.otlp !== undefined) {
    otlp = new BoundedSpanProcessor({
      exporter: await spanExporterFor(plan.traces.otlp),
      log,
      ...(plan.spanDelayMs !== undefined && { delayMs: plan.spanDelayMs }),
      ...(plan.spanExportTimeoutMs !== undefined && { exportTimeoutMs: plan.spanExportTimeoutMs }),
      ...(plan.spanQueueMaxCount !== undefined && { queueMaxCount: plan.spanQueueMaxCount }),
      ...(plan.spanBatchMaxCount !== undefined && { batchMaxCount: plan.spanBatchMaxCount }),
    });
    list.push(otlp);
  }
  if (plan.traces.console) list.push(new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() }));
  return { list, otlp };
}

interface Readers {
  readonly list: readonly MetricReader[];
  readonly tally: () => ExportTally | undefined;
}

async function metricReaders({ plan, store, log }: OtelOptions): Promise<Readers> {
  const list: MetricReader[] = [];
  let counted: ReturnType<typeof countExports> | undefined;
  const common = {
    exportIntervalMillis: plan.metricIntervalMs,
    exportTimeoutMillis: plan.metricTimeoutMs,
    maxExportBatchSize: METRICS_BATCH_MAX_COUNT,
    metricProducers: [createMetricProducer(store, { exponential: plan.exponential })],
  };
  if (plan.metrics.otlp !== undefined) {
    counted = countExports(await metricExporterFor(plan.metrics.otlp), log);
    list.push(new PeriodicExportingMetricReader({ ...common, exporter: counted.exporter }));
  }
  if (plan.metrics.console) {
    list.push(new PeriodicExportingMetricReader({ ...common, exporter: new ConsoleMetricExporter() }));
  }
  return { list, tally: () => counted?.tally() };
}
