// Keys about what the engine tells of itself: which it is, its metrics, its spans.
import { ENGINE_METRICS_INTERVAL_LEAST_MS } from '../base/poll-limits.ts';
import { ENGINES } from '../record/engines.ts';
import { key } from './key-spec.ts';
import { readChoice, readHostPort, readMetricsPlace, readSeconds, readUrl } from './values.ts';

export const ENGINE_KEYS = {
  engine: key({
    placeholder: 'NAME',
    help: `The engine behind the upstream, where its answers do not show it: ${ENGINES.join(', ')}.`,
    read: readChoice(ENGINES),
  }),
  'engine-metrics': key({
    placeholder: 'auto|off|URL',
    fallback: 'auto',
    help: "Where the engine's own metrics are. auto looks at the upstream's /metrics once an answer has streamed well.",
    read: readMetricsPlace,
  }),
  'engine-metrics-interval': key({
    placeholder: 'SECONDS',
    unit: 's',
    fallback: '5',
    help: "Time between two looks at the engine's metrics.",
    read: readSeconds(ENGINE_METRICS_INTERVAL_LEAST_MS / 1_000),
  }),
  'engine-perf-metrics': key({
    placeholder: 'URL',
    help: "TensorRT-LLM's /perf_metrics, for the queue and prefill of each request. Reading it empties it for all other readers.",
    read: readUrl,
  }),
  'gpu-metrics': key({
    placeholder: 'URL',
    help: 'The /metrics of the DCGM exporter beside the engine, for the GPU figures.',
    read: readUrl,
  }),
  'otlp-listen': key({
    placeholder: 'HOST:PORT',
    help: 'Takes OTLP (HTTP and gRPC) from engines, from anybody who can reach it; reads queue and prefill off their spans, and passes all on to the OTLP endpoint.',
    read: readHostPort,
  }),
  'evidence-wait': key({
    placeholder: 'SECONDS',
    unit: 's',
    fallback: '2',
    help: 'How long the report of an ended exchange may wait for evidence from elsewhere, such as engine spans. 0 waits for none.',
    read: readSeconds(0),
  }),
};
