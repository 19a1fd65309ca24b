// Everything that listens, put together: the table of sinks, the store they share, and the two ways
// out of it. Knows no configuration keys and no observer; app/ brings them together.
import { epochMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Sink } from '../judge/report.ts';
import { METRICS } from '../measure/table.ts';
import { createGenAiFeed } from './gen-ai-feed.ts';
import { createMetricFeed } from './metric-feed.ts';
import { otelPlan, pushesTraces, type Environment } from './otel-environment.ts';
import { CONTENT_TYPES, negotiateFormat, renderMetrics } from './prometheus.ts';
import { RecordFile } from './record-file.ts';
import { createResource, resourceLabels, startOtel, type Otel } from './sdk.ts';
import { observeSelf, SELF_METRICS, type SelfSources } from './self-metrics.ts';
import type { UpstreamAddress } from './span-attributes.ts';
import { createSpanSink } from './spans.ts';
import { createMetricStore, type MetricStore } from './store.ts';
import { createSummary, type Summary } from './summary.ts';

export interface TelemetryOptions {
  /** Must have passed `checkOtelEnvironment`. */
  readonly env: Environment;
  readonly version: string;
  readonly log: Log;
  /** Names of the configured classes, `default` included. */
  readonly classes: readonly string[];
  readonly routes: readonly { readonly name: string; readonly upstream: UpstreamAddress }[];
  readonly chunks: 'all' | 'kept' | 'off';
  readonly chunksAs: 'arrays' | 'events';
  readonly genAiClientMetrics: boolean;
  readonly record: { readonly path: string; readonly maxBytes: number } | undefined;
}

export interface Telemetry {
  /** In the order in which they are told of things. */
  readonly sinks: readonly Sink[];
  /** Spans leave the process, so `traceparent` may be ours. */
  readonly pushesTraces: boolean;
  /** Has the metrics about rubato itself read from here; once, when the observer and the relays exist. */
  watch(sources: WatchedSources): void;
  metricsText(accept: string | undefined): { readonly body: string; readonly contentType: string };
  summary(): Summary;
  /** The last flush of every sink, side by side, each within two seconds. */
  shutdown(): Promise<void>;
}

/** What telemetry cannot know by itself. */
export type WatchedSources = Omit<SelfSources, 'exportDropped'>;

/** The conventions have no value for self-hosted engines; this one names the flavour of the API. */
const PROVIDER = 'openai';

export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const plan = otelPlan(options.env);
  const clientMetrics = plan.latestGenAiNames ? 'v0.1' : 'v1.41';
  const genAi = createGenAiFeed({
    provider: PROVIDER,
    clientMetrics: options.genAiClientMetrics ? clientMetrics : 'off',
  });
  const store = createMetricStore({
    specs: [...METRICS, ...genAi.specs, ...SELF_METRICS],
    known: { class: options.classes, route: options.routes.map((route) => route.name) },
    startEpochMs: epochMs(),
    exponential: plan.exponential,
  });
  const resource = createResource(options.version);
  const otel = await startOtel({ plan, resource, store, log: options.log, version: options.version });
  const summary = createSummary();
  const recordFile = options.record === undefined ? undefined : new RecordFile({ ...options.record, log: options.log });
  const targetInfo = resourceLabels(resource);
  return {
    sinks: sinkTable({ options, store, otel, others: [genAi.sink(store), summary], recordFile }),
    pushesTraces: pushesTraces(plan),
    watch(sources) {
      const exportDropped = () => dropped(otel, recordFile, options.log);
      observeSelf(store, { ...sources, exportDropped }, options.classes);
    },
    metricsText(accept) {
      const format = negotiateFormat(accept);
      return { body: renderMetrics(store.collect(), targetInfo, format), contentType: CONTENT_TYPES[format] };
    },
    summary: () => summary.read(),
    async shutdown() {
      await Promise.all([otel.shutdown(), recordFile?.close()]);
    },
  };
}

interface Made {
  readonly options: TelemetryOptions;
  readonly store: MetricStore;
  readonly otel: Otel;
  readonly others: readonly Sink[];
  readonly recordFile: RecordFile | undefined;
}

/** Every sink. A new one is one new file and one line here. */
function sinkTable({ options, store, otel, others, recordFile }: Made): readonly Sink[] {
  const upstreams = new Map(options.routes.map(({ name, upstream }) => [name, upstream]));
  const { chunks, chunksAs } = options;
  return [
    createMetricFeed(store),
    ...others,
    ...(otel.tracing === undefined
      ? []
      : [createSpanSink({ ...otel.tracing, chunks, chunksAs, provider: PROVIDER, upstreams })]),
    ...(recordFile === undefined ? [] : [recordFile]),
  ];
}

/** What did not reach its collector or file, by signal; all of them are there at 0 from the start. */
function dropped(otel: Otel, recordFile: RecordFile | undefined, log: Log): ReturnType<SelfSources['exportDropped']> {
  return [
    { signal: 'spans', count: otel.spanStats()?.droppedCount ?? 0 },
    { signal: 'metrics', count: otel.failedMetricExportCount() },
    { signal: 'records', count: recordFile?.stats().droppedCount ?? 0 },
    { signal: 'log', count: log.droppedCount() },
  ];
}
