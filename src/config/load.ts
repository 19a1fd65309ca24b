// Flags, environment and YAML file → one checked, frozen configuration, or every fault at once.
// Reads files only through the function it is given, so that tests need none.
import { X509Certificate } from 'node:crypto';
import type { Config } from './config.ts';
import { checkTogether, nearMisses, NO_UPSTREAM, type Surroundings } from './cross-checks.ts';
import { checkEdges, edgeFaults } from './edges.ts';
import { floorDefaults } from './floor-place.ts';
import { flagName, type KeyName, type KeyValues } from './keys.ts';
import { type ConfigFile, type Environment, find, loadFile, readValues, type Sources, tryRead } from './sources.ts';
import { checkClasses, checkRoutes } from './structured.ts';
import { pairFault } from './tls-pair.ts';
import { checkTurns } from './turns.ts';

export interface LoadInput extends Sources, Surroundings {
  /** Checks of settings that are not ours, such as `OTEL_…`. Each gives the faults it finds. */
  readonly checks: readonly ((env: Environment) => readonly string[])[];
}

export type Loaded =
  | { readonly config: Config; readonly warnings: readonly string[] }
  | { readonly faults: readonly string[] };

export function loadConfig(input: LoadInput): Loaded {
  const faults: string[] = [];
  const file = loadFile(input, faults);
  const values = readValues(input, file, faults);
  const floor = floorDefaults(file.entries.get('floor')?.raw, values);
  const routes = checkRoutes(file.entries.get('routes')?.raw, {
    upstream: values.upstream,
    engine: {
      name: values.engine,
      metrics: required(values, 'engine-metrics'),
      perfMetricsUrl: values['engine-perf-metrics'],
    },
    floor: floor.value,
  });
  const classes = checkClasses(file.entries.get('classes')?.raw, {
    stallMs: required(values, 'stall-ms'),
    promptBucketEdges: required(values, 'prompt-buckets'),
  });
  const turns = checkTurns(file.entries.get('admission')?.raw, classes.value);
  const listed = checkEdges(file.entries.get('edges')?.raw);
  const edges = [...required(values, 'edge'), ...listed.value];
  for (const sentence of [...floor.faults, ...routes.faults, ...classes.faults, ...turns.faults, ...listed.faults])
    faults.push(`${file.path ?? ''}: ${sentence}`);
  faults.push(...floor.value.faults);
  if (isUpstreamMissing(input, file)) faults.push(NO_UPSTREAM);
  else if (find(input, file, 'upstream') === undefined) faults.push(...strayEngineUrls(values));
  faults.push(...checkTogether(values, edges, input), ...edgeFaults(edges, values.peer));
  const caPem = loadCertificates(input, values['upstream-ca'], faults);
  checkTls(input, values, faults);
  for (const check of input.checks) faults.push(...check(input.env));

  if (faults.length > 0) return { faults };
  const structured = { routes: routes.value, classes: classes.value, turns: turns.value, edges };
  const config = assemble(values, { ...structured, caPem });
  return { config: deepFreeze(config), warnings: [...nearMisses(input.env), ...spokenOf(config)] };
}

/** What nobody should have switched on without knowing. */
function spokenOf({ captureText, record }: Config): string[] {
  if (!captureText || record === undefined) return [];
  return [`Prompts and answers are written to ${record.path} (${flagName('capture-text')}).`];
}

/** Nobody tried to name one. A malformed one, or a file that could not be read, is its own fault. */
function isUpstreamMissing(input: LoadInput, file: ConfigFile): boolean {
  const routes = file.entries.get('routes')?.raw ?? [];
  const hasRoutes = !Array.isArray(routes) || routes.length > 0;
  return file.isRead && !hasRoutes && find(input, file, 'upstream') === undefined;
}

/** One engine's URLs beside several routes would be taken for the wrong one. */
function strayEngineUrls(values: KeyValues): string[] {
  const metrics = values['engine-metrics'];
  const stray: KeyName[] = metrics === undefined || metrics === 'auto' || metrics === 'off' ? [] : ['engine-metrics'];
  if (values['engine-perf-metrics'] !== undefined) stray.push('engine-perf-metrics');
  return stray.map(
    (name) =>
      `${flagName(name)}: a URL belongs to the engine of ${flagName('upstream')}, and there is none. ` +
      `Give each route its own ${name.replaceAll('-', '_')}.`,
  );
}

function loadCertificates(input: LoadInput, path: string | undefined, faults: string[]): string | undefined {
  if (path === undefined) return undefined;
  const text = tryRead(input, path, flagName('upstream-ca'), faults);
  if (text === undefined) return undefined;
  try {
    // Reads the first certificate of the file, which tells a PEM file from anything else.
    void new X509Certificate(text);
    return text;
  } catch {
    faults.push(`${flagName('upstream-ca')}: ${path} holds no PEM certificate ("-----BEGIN CERTIFICATE-----").`);
    return undefined;
  }
}

/** Looked at now so that a bad pair stops the start; whoever serves with it reads it anew. */
function checkTls(input: LoadInput, { 'tls-cert': certPath, 'tls-key': keyPath }: KeyValues, faults: string[]): void {
  const [cert, key] = [flagName('tls-cert'), flagName('tls-key')];
  if (certPath === undefined && keyPath === undefined) return;
  if (certPath === undefined || keyPath === undefined) {
    faults.push(`${cert} and ${key} need each other: TLS takes a certificate and its key.`);
    return;
  }
  const certPem = tryRead(input, certPath, cert, faults);
  const keyPem = tryRead(input, keyPath, key, faults);
  if (certPem === undefined || keyPem === undefined) return;
  const fault = pairFault(certPem, keyPem);
  if (fault !== undefined) faults.push(`${cert} ${certPath}, ${key} ${keyPath}: ${fault}.`);
}

/** A value that its default guarantees. */
function required<Name extends KeyName>(values: KeyValues, name: Name): NonNullable<KeyValues[Name]> {
  const value = values[name];
  if (value === undefined || value === null) throw new Error(`The key ${name} has neither value nor default.`);
  return value;
}

type Structured = Pick<Config, 'routes' | 'classes' | 'turns' | 'edges'>;

function assemble(values: KeyValues, rest: Structured & { caPem: string | undefined }): Config {
  const path = values.record;
  return {
    listen: required(values, 'listen'),
    admin: required(values, 'admin'),
    adminAllowHosts: required(values, 'admin-allow-host').map((name) => name.toLowerCase()),
    routes: rest.routes,
    edges: rest.edges,
    peer: values.peer,
    engineMetricsIntervalMs: required(values, 'engine-metrics-interval'),
    gpuMetricsUrl: values['gpu-metrics'],
    hostHeader: required(values, 'host-header'),
    upstreamTls: { caPem: rest.caPem, insecure: required(values, 'upstream-insecure') },
    timeouts: {
      connectMs: values['timeout-connect'],
      headMs: values['timeout-head'],
      idleMs: values['timeout-idle'],
      totalMs: values['timeout-total'],
      clientStallMs: values['client-stall'],
      uploadStallMs: values['upload-stall'],
    },
    admission: {
      maxStreamCount: required(values, 'max-streams'),
      maxConnectionCount: required(values, 'max-connections'),
      maxRssBytes: unlessOff(required(values, 'max-rss')),
      uploadRateMinBytes: unlessOff(required(values, 'upload-rate-min')),
    },
    listenTls: listenTls(values),
    http2: required(values, 'http2'),
    relayCount: required(values, 'relays'),
    drainDelayMs: required(values, 'drain-delay'),
    drainMs: required(values, 'drain'),
    propagate: required(values, 'propagate'),
    otlpListen: values['otlp-listen'],
    evidenceWaitMs: required(values, 'evidence-wait'),
    record: path === undefined ? undefined : { path, maxBytes: required(values, 'record-max-bytes') },
    captureText: required(values, 'capture-text'),
    chunks: required(values, 'chunks'),
    chunksAs: required(values, 'chunks-as'),
    keepSlowMs: required(values, 'keep-slow-ms'),
    genAiProvider: required(values, 'gen-ai-provider'),
    genAiClientMetrics: required(values, 'gen-ai-client-metrics'),
    classHeader: required(values, 'class-header'),
    classes: rest.classes,
    turns: rest.turns,
    models: required(values, 'models'),
    promptBucketEdges: required(values, 'prompt-buckets'),
    outputBucketEdges: required(values, 'output-buckets'),
    traceUrl: values['trace-url'],
    dashboardUrl: values['dashboard-url'],
    logLevel: required(values, 'log-level'),
  };
}

function unlessOff<Value>(value: Value): Exclude<Value, 'off'> | undefined {
  return value === 'off' ? undefined : (value as Exclude<Value, 'off'>);
}

function listenTls({ 'tls-cert': certPath, 'tls-key': keyPath }: KeyValues): Config['listenTls'] {
  return certPath === undefined || keyPath === undefined ? undefined : { certPath, keyPath };
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
