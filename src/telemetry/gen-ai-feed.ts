// The metrics of the GenAI conventions, so that dashboards made for them light up. They are fed once
// an exchange, from the same figures as ours. Names and buckets are those of the conventions, which
// are in development; the client ones were renamed, so the reader chooses a version.
import type { LabelName, MetricSpec } from '../base/metric-spec.ts';
import { errorTypeOf } from './exchange-facts.ts';
import type { ExemplarRef, Report, Sink } from '../judge/report.ts';
import { GEN_AI, HTTP, routeOf } from './names.ts';
import type { Labels, MetricStore } from './store.ts';

/** `v1.41` = semantic-conventions v1.41.0; `v0.1` = semantic-conventions-genai v0.1.0. */
export const CLIENT_METRIC_NAMES = ['off', 'v1.41', 'v0.1'] as const;
export type ClientMetricNames = (typeof CLIENT_METRIC_NAMES)[number];

export interface GenAiOptions {
  /** `gen_ai.provider.name`; the conventions have no value for self-hosted engines, so it is a setting. */
  readonly provider: string;
  readonly clientMetrics: ClientMetricNames;
}

const OPERATION_BOUNDS_S = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TTFT_BOUNDS_S = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const TPOT_BOUNDS_S = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, power) => 4 ** power);

const LABELS: readonly LabelName[] = [GEN_AI.operationName, GEN_AI.providerName, GEN_AI.requestModel];
const LABELS_WITH_ERROR: readonly LabelName[] = [...LABELS, HTTP.errorType];
const LABELS_WITH_TOKEN_TYPE: readonly LabelName[] = [...LABELS, 'gen_ai.token.type'];

function lengths(name: string, help: string, bounds: readonly number[], labels: readonly LabelName[]): MetricSpec {
  return { name, type: 'histogram', unit: 's', help, labels, classed: false, bounds };
}

const SERVER = {
  ttft: lengths(
    'gen_ai.server.time_to_first_token',
    'Request head received to first token accepted by the kernel for the client, of successful exchanges.',
    TTFT_BOUNDS_S,
    LABELS,
  ),
  tpot: lengths(
    'gen_ai.server.time_per_output_token',
    'First to last token received, divided by the output tokens after the first.',
    TPOT_BOUNDS_S,
    LABELS,
  ),
  duration: lengths(
    'gen_ai.server.request.duration',
    'Request head received to the end on the side of the client.',
    OPERATION_BOUNDS_S,
    LABELS_WITH_ERROR,
  ),
} as const;

interface ClientSpecs {
  readonly duration: MetricSpec;
  readonly firstChunk: MetricSpec;
  /** Token metrics by the kind of token; one histogram for all of them in the older names. */
  readonly tokens: Readonly<Record<'input' | 'output', MetricSpec>>;
}

const CLIENT_FIRST_CHUNK = 'Request head received to the read with the first event.';

function clientSpecs(names: 'v1.41' | 'v0.1'): ClientSpecs {
  const prefix = names === 'v1.41' ? 'gen_ai.client.operation' : 'gen_ai.client.inference';
  const counter = (kind: string): MetricSpec => ({
    name: `gen_ai.client.inference.usage.${kind}_tokens`,
    type: 'counter',
    unit: '{token}',
    help: `Tokens of ${kind} as the engine stated them.`,
    labels: LABELS,
    classed: false,
  });
  const usage: MetricSpec = {
    name: 'gen_ai.client.token.usage',
    type: 'histogram',
    unit: '{token}',
    help: 'Tokens of one exchange as the engine stated them.',
    labels: LABELS_WITH_TOKEN_TYPE,
    classed: false,
    bounds: TOKEN_BOUNDS,
  };
  return {
    duration: lengths(`${prefix}.duration`, SERVER.duration.help, OPERATION_BOUNDS_S, LABELS_WITH_ERROR),
    firstChunk: lengths(`${prefix}.time_to_first_chunk`, CLIENT_FIRST_CHUNK, OPERATION_BOUNDS_S, LABELS),
    tokens:
      names === 'v1.41' ? { input: usage, output: usage } : { input: counter('input'), output: counter('output') },
  };
}

export interface GenAiFeed {
  readonly specs: readonly MetricSpec[];
  /** The sink; to be made once the store knows the specs. */
  sink(store: MetricStore): Sink;
}

export function createGenAiFeed(options: GenAiOptions): GenAiFeed {
  const client = options.clientMetrics === 'off' ? undefined : clientSpecs(options.clientMetrics);
  const clientList = client === undefined ? [] : [client.duration, client.firstChunk, ...Object.values(client.tokens)];
  return {
    specs: [...Object.values(SERVER), ...new Set(clientList)],
    sink: (store) => ({
      name: 'gen_ai_metrics',
      onReport(report, exemplar) {
        const labels = labelsOf(report, options.provider);
        if (labels === undefined) return;
        feedServer(store, report, labels, exemplar);
        if (client !== undefined) feedClient(store, client, report, { labels, exemplar });
      },
    }),
  };
}

/** Labels of an exchange that is inference; other paths are none of these conventions' business. */
function labelsOf(report: Report, provider: string): Labels | undefined {
  const known = routeOf(report.record.request.path);
  if (known === undefined) return undefined;
  return {
    [GEN_AI.operationName]: known.operation,
    [GEN_AI.providerName]: provider,
    [GEN_AI.requestModel]: report.labels.model,
  };
}

function withError(labels: Labels, report: Report): Labels {
  const errorType = errorTypeOf(report.record);
  return errorType === undefined ? labels : { ...labels, [HTTP.errorType]: errorType };
}

function feedServer(store: MetricStore, report: Report, labels: Labels, exemplar: ExemplarRef | undefined): void {
  const { figures, record } = report;
  store.histogram(SERVER.duration, withError(labels, report)).record(figures.durationNs, exemplar);
  // The conventions want these two of successful responses only; our own are there for the others.
  if (record.end.outcome !== 'ok') return;
  if (figures.ttftNs !== undefined) store.histogram(SERVER.ttft, labels).record(figures.ttftNs, exemplar);
  if (figures.tpotNs !== undefined) store.histogram(SERVER.tpot, labels).record(figures.tpotNs, exemplar);
}

function feedClient(
  store: MetricStore,
  client: ClientSpecs,
  report: Report,
  to: { readonly labels: Labels; readonly exemplar: ExemplarRef | undefined },
): void {
  const { figures, record } = report;
  store.histogram(client.duration, withError(to.labels, report)).record(figures.durationNs, to.exemplar);
  if (record.answer.streamed && figures.firstEventNs !== undefined) {
    store.histogram(client.firstChunk, to.labels).record(figures.firstEventNs, to.exemplar);
  }
  for (const [type, count] of [
    ['input', record.tokens.prompt],
    ['output', record.tokens.output],
  ] as const) {
    if (count === undefined) continue;
    const spec = client.tokens[type];
    if (spec.type === 'counter') store.counter(spec, to.labels).add(count);
    else store.histogram(spec, { ...to.labels, 'gen_ai.token.type': type }).record(count, to.exemplar);
  }
}
