// Names of labels, attributes and metrics as the outside sees them, and the one translation from
// OTLP names to Prometheus names. Names of other people's unstable conventions are copied here, so
// that an update of a package cannot rename what dashboards ask for.
import type { MetricSpec } from '../base/metric-spec.ts';

/** Unit words of Prometheus by UCUM unit, as far as our metrics use them. */
const UNIT_WORDS: Readonly<Record<string, string>> = {
  s: 'seconds',
  ms: 'milliseconds',
  By: 'bytes',
  W: 'watts',
  '%': 'percent',
};

/**
 * The name under which Prometheus knows a metric: dots become `_`, then come the unit's word and, for
 * a counter, `total`, each only if the name has not got it yet. Same rules as the translation
 * `UnderscoreEscapingWithSuffixes` (prometheus/otlptranslator, read 2026-11) that the Collector,
 * Prometheus and Mimir apply to OTLP, so a metric has one name whichever way it came.
 * A histogram's samples carry `_bucket`, `_sum` and `_count` behind it.
 */
export function prometheusName(spec: Pick<MetricSpec, 'name' | 'unit' | 'type'>): string {
  let words = spec.name.split(/[^a-zA-Z0-9:]+/).filter((word) => word !== '');
  const unit = unitWord(spec.unit);
  if (unit !== undefined && !words.includes(unit)) words.push(unit);
  if (spec.type === 'counter') words = [...words.filter((word) => word !== 'total'), 'total'];
  if (spec.type === 'gauge' && spec.unit === '1') words = [...words.filter((word) => word !== 'ratio'), 'ratio'];
  return words.join('_');
}

/** The unit's word in a Prometheus name; none for `1` and for annotations such as `{token}`. */
export function unitWord(unit: string): string | undefined {
  return unit === '1' || unit.includes('{') ? undefined : (UNIT_WORDS[unit] ?? unit.replaceAll(/[^a-zA-Z0-9]+/g, '_'));
}

/** A label's or attribute's name in Prometheus. */
export function prometheusLabel(name: string): string {
  const escaped = name.replaceAll(/[^a-zA-Z0-9_]+/g, '_');
  return /^\d/.test(escaped) ? `key_${escaped}` : escaped;
}

/**
 * Attributes of the GenAI conventions we set. All are in development: copied from
 * open-telemetry/semantic-conventions-genai v0.1.0, where the ones below did not change since
 * semantic-conventions v1.41.0.
 */
export const GEN_AI = {
  operationName: 'gen_ai.operation.name',
  providerName: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestChoiceCount: 'gen_ai.request.choice.count',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  responseFinishReasons: 'gen_ai.response.finish_reasons',
  responseTimeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  usageInputTokens: 'gen_ai.usage.input_tokens',
  usageOutputTokens: 'gen_ai.usage.output_tokens',
  usageCacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  usageReasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
} as const;

/** Stable attributes of the HTTP and general conventions, semantic-conventions v1.41.0. */
export const HTTP = {
  method: 'http.request.method',
  methodOriginal: 'http.request.method_original',
  route: 'http.route',
  status: 'http.response.status_code',
  path: 'url.path',
  scheme: 'url.scheme',
  protocolVersion: 'network.protocol.version',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
} as const;

/** Methods the conventions know; any other is `_OTHER`, so that a client cannot invent span names. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '),
);

export function knownMethod(method: string): string {
  return KNOWN_METHODS.has(method) ? method : '_OTHER';
}

/**
 * Paths of the APIs we meet, by what the engine does there in the words of the GenAI conventions.
 * A path in this table is a route (it may stand in a span's name); any other is client text.
 */
const OPERATIONS: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'chat',
  '/chat/completions': 'chat',
  '/v1/responses': 'chat',
  '/v1/messages': 'chat',
  '/api/chat': 'chat',
  '/v1/completions': 'text_completion',
  '/api/generate': 'text_completion',
  '/generate': 'text_completion',
  '/generate_stream': 'text_completion',
  '/completion': 'text_completion',
  '/v1/embeddings': 'embeddings',
  '/api/embed': 'embeddings',
};

const OPERATION_PATHS = Object.keys(OPERATIONS).sort((a, b) => b.length - a.length);

/** What a path asks for; known paths count wherever a gateway's prefix put them. */
export function routeOf(path: string): { readonly route: string; readonly operation: string } | undefined {
  const route = OPERATION_PATHS.find((known) => path === known || path.endsWith(known));
  return route === undefined ? undefined : { route, operation: OPERATIONS[route] ?? 'chat' };
}
