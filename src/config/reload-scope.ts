// Which parts of the configuration may change while the process runs. Every part says so here, by its
// type, so that no key can be forgotten. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';
import type { KeyName } from './keys.ts';

/** `live`, or the keys behind a part that holds until the process is started anew. */
type Scope = 'live' | readonly KeyName[];

const SCOPES: Readonly<Record<keyof Config, Scope>> = {
  // Sockets that are open, and threads and files that others have their fingers on.
  listen: ['listen'],
  admin: ['admin'],
  edges: ['edge'],
  adminAllowHosts: ['admin-allow-host'],
  listenTls: ['tls-cert', 'tls-key'],
  http2: ['http2'],
  relayCount: ['relays'],
  otlpListen: ['otlp-listen'],
  record: ['record', 'record-max-bytes'],
  captureText: ['capture-text'],
  // Half of an exchange may be there already.
  peer: ['peer'],
  // Exchanges that wait for evidence have begun to wait by it.
  evidenceWaitMs: ['evidence-wait'],
  // Names of metrics, and a label of all of their series.
  genAiProvider: ['gen-ai-provider'],
  genAiClientMetrics: ['gen-ai-client-metrics'],

  routes: 'live',
  hostHeader: 'live',
  engineMetricsIntervalMs: 'live',
  gpuMetricsUrl: 'live',
  upstreamTls: 'live',
  timeouts: 'live',
  admission: 'live',
  turns: 'live',
  drainDelayMs: 'live',
  drainMs: 'live',
  propagate: 'live',
  chunks: 'live',
  chunksAs: 'live',
  keepSlowMs: 'live',
  classHeader: 'live',
  classes: 'live',
  models: 'live',
  promptBucketEdges: 'live',
  outputBucketEdges: 'live',
  traceUrl: 'live',
  dashboardUrl: 'live',
  logLevel: 'live',
};

export interface Reloaded {
  /** What holds from now on. */
  readonly config: Config;
  /** Keys that were changed and keep their old value. */
  readonly kept: readonly KeyName[];
}

/** What becomes of a running configuration when `next` was read. */
export function reloaded(current: Config, next: Config): Reloaded {
  const kept: KeyName[] = [];
  const parts = Object.entries(SCOPES).map(([part, scope]) => {
    const name = part as keyof Config;
    if (scope === 'live' || isDeepStrictEqual(current[name], next[name])) return [name, next[name]];
    kept.push(...scope);
    return [name, current[name]];
  });
  // Each part is of one of the two configurations, under its own name.
  return { config: Object.freeze(Object.fromEntries(parts)) as Config, kept };
}
