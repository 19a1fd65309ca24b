// Everything that tells the world: the metric store with its feeds, spans, the record file, the
// recent exchanges. Puts them together from the configuration; decides nothing else.
import { epochMs, nowNs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { Sink } from '../judge/report.ts';
import { createDeliveryFeed } from '../telemetry/delivery-feed.ts';
import { createDemandFeed } from '../telemetry/demand-feed.ts';
import type { ExportCounts } from '../telemetry/export-metrics.ts';
import { createGenAiFeed } from '../telemetry/gen-ai-feed.ts';
import { innerOnly } from '../telemetry/inner-only.ts';
import { createHopFeed } from '../telemetry/hop-feed.ts';
import { createMetricFeed } from '../telemetry/metric-feed.ts';
import { OWN_METRICS } from '../telemetry/metric-table.ts';
import { otelPlan, pushesTraces, type Environment, type OtelPlan } from '../telemetry/otel-environment.ts';
import type { MetricsText } from '../telemetry/admin-answers.ts';
import { CONTENT_TYPES, metricPieces, negotiateFormat } from '../telemetry/prometheus.ts';
import { RecordFile } from '../telemetry/record-file.ts';
import { createResource, resourceLabels, startOtel, type Otel } from '../telemetry/sdk.ts';
import { createSloFeed } from '../telemetry/slo-feed.ts';
import { createSpanSink } from '../telemetry/spans.ts';
import type { KnownLabels } from '../telemetry/start-series.ts';
import { createMetricStore, type MetricStore } from '../telemetry/store.ts';
import { createDiagnosisWindow, type DiagnosisWindow } from '../telemetry/diagnosis-window.ts';
import { createSummary, type SummarySink } from '../telemetry/summary.ts';
import { allRoutes } from './edge-routes.ts';
import { RecentReports } from './recent-reports.ts';
import { packageVersion } from './version.ts';

export interface Outlets {
  readonly sinks: readonly Sink[];
  readonly store: MetricStore;
  readonly otel: Otel;
  readonly recordFile: RecordFile | undefined;
  readonly recent: RecentReports;
  readonly summary: SummarySink;
  readonly diagnosis: DiagnosisWindow;
  /** The relay takes part in traces, because somebody sees our spans or it was asked for. */
  takesPartInTraces(config: Config): boolean;
  /** Tells by this configuration from now on, as far as it may change. */
  reconfigure(config: Config): void;
  metricsText(accept: string | undefined): MetricsText;
  /** What became of all that was to leave the process. */
  exports(): readonly ExportCounts[];
  close(): Promise<void>;
}

export async function createOutlets(config: Config, env: Environment, log: Log): Promise<Outlets> {
  const version = packageVersion();
  const plan = otelPlan(env);
  const resource = createResource(version);
  const genAi = createGenAiFeed({
    provider: config.genAiProvider,
    clientMetrics: config.genAiClientMetrics ? (plan.latestGenAiNames ? 'v0.1' : 'v1.41') : 'off',
  });
  const store = createMetricStore({
    specs: [...OWN_METRICS, ...genAi.specs],
    known: knownLabels(config),
    startEpochMs: epochMs(),
    exponential: plan.exponential,
  });
  const otel = await startOtel({ plan, resource, store, log, version });
  const recordFile =
    config.record === undefined ? undefined : new RecordFile({ ...config.record, ownerOnly: config.captureText, log });
  const spans = switchedSink('spans', spanSink(config, otel));
  const recent = new RecentReports();
  const diagnosis = createDiagnosisWindow({ nowNs, epochMs });
  const summary = createSummary();
  const objectives = createSloFeed(store, config.classes);
  const demand = createDemandFeed(store, config.classes);
  const labels = resourceLabels(resource);
  return {
    sinks: [
      createMetricFeed(store),
      createDeliveryFeed(store),
      createHopFeed(store),
      objectives,
      demand,
      innerOnly(genAi.sink(store)),
      spans.sink,
      ...(recordFile === undefined ? [] : [recordFile]),
      recent,
      innerOnly(summary),
      innerOnly(diagnosis),
    ],
    store,
    otel,
    recordFile,
    recent,
    summary,
    diagnosis,
    takesPartInTraces: (now) => takesPartInTraces(now, plan),
    reconfigure(now) {
      store.know(knownLabels(now));
      objectives.know(now.classes);
      demand.know(now.classes);
      spans.change(spanSink(now, otel));
    },
    metricsText(accept) {
      const format = negotiateFormat(accept);
      return { pieces: metricPieces(store.collect(), labels, format), contentType: CONTENT_TYPES[format] };
    },
    exports: () => exportCounts(otel, recordFile, log),
    async close() {
      await Promise.all([otel.shutdown(), recordFile?.close()]);
    },
  };
}

function exportCounts(otel: Otel, recordFile: RecordFile | undefined, log: Log): ExportCounts[] {
  const spans = otel.spanStats();
  const pushes = otel.metricTally();
  const records = recordFile?.stats();
  return [
    {
      signal: 'traces',
      droppedCount: spans?.droppedCount ?? 0,
      ...(spans && {
        rest: {
          takenCount: spans.endedCount,
          exportedCount: spans.exportedCount,
          queuedCount: spans.queuedCount + spans.inFlightCount,
        },
      }),
    },
    {
      signal: 'metrics',
      droppedCount: pushes?.failedCount ?? 0,
      ...(pushes && {
        rest: { ...pushes, queuedCount: pushes.takenCount - pushes.exportedCount - pushes.failedCount },
      }),
    },
    {
      signal: 'records',
      droppedCount: records?.droppedCount ?? 0,
      ...(records && { rest: { ...records, exportedCount: records.writtenCount } }),
    },
    { signal: 'logs', droppedCount: log.droppedCount() },
  ];
}

/**
 * Whether the engine gets a `traceparent` of ours: when somebody sees our spans, or when the engine's come
 * to us, or when the same exchange may be seen on both sides of a hop. In the last two cases there may be nobody
 * for ours; then the ids are made all the same, for the join.
 */
export function takesPartInTraces(
  config: Pick<Config, 'propagate' | 'otlpListen' | 'edges' | 'peer'>,
  plan: OtelPlan,
): boolean {
  if (config.propagate !== 'auto') return config.propagate === 'on';
  const { otlpListen, edges, peer } = config;
  return pushesTraces(plan) || otlpListen !== undefined || edges.length > 0 || peer !== undefined;
}

function knownLabels(config: Config): KnownLabels {
  const { classes, edges, peer } = config;
  return {
    class: classes.map(({ name }) => name),
    route: allRoutes(config).map(({ name }) => name),
    hop: [...edges, ...(peer === undefined ? [] : [peer])].map(({ name }) => name),
  };
}

/** A place among the sinks whose holder may change. */
function switchedSink(name: string, first: Sink | undefined): { sink: Sink; change(next: Sink | undefined): void } {
  let now = first;
  return {
    sink: { name, onReport: (report, exemplar) => now?.onReport?.(report, exemplar) },
    change(next) {
      now = next;
    },
  };
}

function spanSink(config: Config, { tracing }: Otel): Sink | undefined {
  if (tracing === undefined) return undefined;
  const upstreams = new Map(
    allRoutes(config).map(({ name, upstream }) => [name, { address: upstream.host, port: upstream.port }]),
  );
  const { chunks, chunksAs, genAiProvider: provider } = config;
  return createSpanSink({ ...tracing, chunks, chunksAs, slowTtftNs: config.keepSlowMs * 1e6, provider, upstreams });
}
