// Where OTLP that others sent us goes on to, by the same OTEL_… variables that our own exporters read:
// endpoint, protocol, headers, timeout and certificates of each signal. Pure but for the files, which it
// reads through the function it is given. OTEL_…_COMPRESSION is left out: what passes is not repacked.
import { isSignalOff, protocolOf, read, type Environment, type PassedSignal } from './otel-environment.ts';

export interface CollectorAddress {
  readonly protocol: 'http' | 'grpc';
  /** HTTP: the whole URL of the signal. gRPC: the origin. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly tls: {
    /** PEM texts. */
    readonly ca: string | undefined;
    readonly cert: string | undefined;
    readonly key: string | undefined;
  };
}

export interface CollectorAddresses {
  readonly traces: CollectorAddress | undefined;
  readonly metrics: CollectorAddress | undefined;
  readonly logs: CollectorAddress | undefined;
}

/** What the specification has a client wait for a collector. */
const TIMEOUT_MS = 10_000;

/** The environment must have passed `checkOtelEnvironment`. `readFile` gives undefined for a file it cannot read. */
export function collectorAddresses(
  env: Environment,
  readFile: (path: string) => string | undefined,
): CollectorAddresses {
  const addressOf = (signal: PassedSignal): CollectorAddress | undefined => {
    const url = isSignalOff(env, signal) ? undefined : urlOf(env, signal);
    if (url === undefined) return undefined;
    const value = (name: string): string | undefined => valueOf(env, signal, name);
    const file = (name: string): string | undefined => {
      const path = value(name);
      return path === undefined ? undefined : readFile(path);
    };
    return {
      protocol: protocolOf(env, signal) === 'grpc' ? 'grpc' : 'http',
      url,
      headers: { ...pairs(read(env, 'OTEL_EXPORTER_OTLP_HEADERS')), ...pairs(read(env, own(signal, 'HEADERS'))) },
      timeoutMs: Number(value('TIMEOUT') ?? TIMEOUT_MS),
      tls: { ca: file('CERTIFICATE'), cert: file('CLIENT_CERTIFICATE'), key: file('CLIENT_KEY') },
    };
  };
  return { traces: addressOf('TRACES'), metrics: addressOf('METRICS'), logs: addressOf('LOGS') };
}

/** A signal's own endpoint is taken as it is; to the general one the signal's path is added. */
function urlOf(env: Environment, signal: PassedSignal): string | undefined {
  const stated = read(env, own(signal, 'ENDPOINT'));
  const general = read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const endpoint = stated ?? general;
  if (endpoint === undefined || protocolOf(env, signal) === 'grpc') return endpoint && new URL(endpoint).origin;
  if (stated !== undefined) return new URL(stated).href;
  return new URL(`v1/${signal.toLowerCase()}`, endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
}

function valueOf(env: Environment, signal: PassedSignal, name: string): string | undefined {
  return read(env, own(signal, name)) ?? read(env, `OTEL_EXPORTER_OTLP_${name}`);
}

function own(signal: PassedSignal, name: string): string {
  return `OTEL_EXPORTER_OTLP_${signal}_${name}`;
}

/** `key=value,key2=value2`, percent-encoded as in W3C Baggage. A pair that is none is passed over. */
function pairs(text: string | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of (text ?? '').split(',')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (name !== '') found[name] = decoded(pair.slice(at + 1).trim());
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A lone percent sign, taken as it stands.
  }
}
