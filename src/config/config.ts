// The configuration as the rest of the process sees it: checked, complete, frozen. Whoever holds one
// need not check anything again. Knows nothing of flags, environment or files.
import type { LogLevel } from '../base/log.ts';
import type { EngineName } from '../record/engines.ts';
import type { FloorPlace } from '../record/floor-facts.ts';
import type { ClassSpec } from '../record/traffic-class.ts';

export interface HostPort {
  /** IP literal or name, IPv6 without brackets. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** The next thing toward the engine: an origin only, because the request target passes unchanged. */
export interface UpstreamAddress extends HostPort {
  readonly protocol: 'http:' | 'https:';
  /** Scheme, host and port as in a URL, without a slash at the end. */
  readonly origin: string;
}

/**
 * Where a request goes. The first route of the list that matches wins; a route with neither prefix
 * nor host matches every request.
 */
export interface RouteConfig {
  /** Value of the label `route`. */
  readonly name: string;
  /** Start of the path, ending at a slash, a question mark or the end of the path. */
  readonly prefix: string | undefined;
  /** Value of `Host` in lower case, without its port. */
  readonly host: string | undefined;
  readonly upstream: UpstreamAddress;
  readonly engine: EngineConfig;
  /** The model and accelerators there; absent where nothing is said of them. */
  readonly floor?: FloorPlace;
}

/** What is said of the engine behind a route. */
export interface EngineConfig {
  /** Which it is; undefined leaves it to its answers and metrics to show. */
  readonly name: EngineName | undefined;
  /** `auto` (at the upstream, where present), `off`, or the URL of its metrics. */
  readonly metrics: string;
  /** URL of TensorRT-LLM's list of finished requests, which is empty once it was read. */
  readonly perfMetricsUrl: string | undefined;
}

export const CHUNK_DETAILS = ['all', 'kept', 'off'] as const;
export type ChunkDetail = (typeof CHUNK_DETAILS)[number];

export const CHUNK_FORMS = ['arrays', 'events'] as const;
export type ChunkForm = (typeof CHUNK_FORMS)[number];

export const HOST_HEADERS = ['auto', 'preserve', 'upstream'] as const;
/** `auto`: the client's own for http upstreams, the upstream's for https ones. */
export type HostHeader = (typeof HOST_HEADERS)[number];

/** A further listener, before a hop: what comes here goes to the hop, and through it to the main listener. */
export interface EdgeConfig {
  /** Of the hop: its label `hop`, and `edge:NAME` as the route of exchanges here. */
  readonly name: string;
  readonly listen: HostPort;
  /** The hop. */
  readonly upstream: UpstreamAddress;
  /** Undefined is as everywhere else. */
  readonly hostHeader: HostHeader | undefined;
}

/** A rubato elsewhere, behind a hop that is our upstream. */
export interface PeerConfig {
  /** Of the hop between us and the peer. */
  readonly name: string;
  /** Its admin port. */
  readonly admin: UpstreamAddress;
}

export const PROPAGATIONS = ['auto', 'on', 'off'] as const;
/** `auto`: on only with an OTLP endpoint, a listener for the engine's OTLP, an edge or a peer. */
export type Propagation = (typeof PROPAGATIONS)[number];

/** Limits on upstream exchanges. Absent means no limit, which is the default of each. */
export interface TimeoutConfig {
  /** Connection asked for → ready. */
  readonly connectMs: number | undefined;
  /** Last request byte sent → response head received. */
  readonly headMs: number | undefined;
  /** Last response byte received → now. */
  readonly idleMs: number | undefined;
  /** Request head received → the end. */
  readonly totalMs: number | undefined;
  /** The client took a byte last → now, while bytes wait for it. */
  readonly clientStallMs: number | undefined;
  /** The upstream took a byte of the request last → now, while bytes wait for it. */
  readonly uploadStallMs: number | undefined;
}

/** How much room there is for clients, in the whole process. Absent means no limit. */
export interface AdmissionConfig {
  readonly maxStreamCount: number;
  readonly maxConnectionCount: number;
  /** `auto`: a share of the container's memory, if that is limited. */
  readonly maxRssBytes: number | 'auto' | undefined;
  /** Bytes a second of a request body of stated length. */
  readonly uploadRateMinBytes: number | undefined;
}

/** How a class stands in the admission queue. */
export interface ClassTurnsConfig {
  /** Of those that wait, a higher one goes first. */
  readonly priority: number;
  /** Requests of the class at one route's engine; undefined is no limit of its own. */
  readonly maxRunningCount: number | undefined;
  readonly maxWaitingCount: number;
  readonly maxWaitMs: number;
}

export interface TurnsConfig {
  /** Requests at one route's engine; undefined is no limit but those of the classes. */
  readonly maxRunningCount: number | undefined;
  /** By the name of the class, all of them. */
  readonly turnsOf: Readonly<Record<string, ClassTurnsConfig>>;
}

/** Files, because they are read again when they change. */
export interface ListenTlsConfig {
  readonly certPath: string;
  readonly keyPath: string;
}

export interface RecordConfig {
  readonly path: string;
  /** Size at which the file is rotated. */
  readonly maxBytes: number;
}

export interface Config {
  readonly listen: HostPort;
  readonly admin: HostPort;
  /** Names, beside IP literals and localhost, that `Host` may have on the admin port. Lower case. */
  readonly adminAllowHosts: readonly string[];
  /** In the order in which they are tried; `--upstream` is the last one and named `default`. */
  readonly routes: readonly RouteConfig[];
  /** Further listeners, each before a hop that leads to `listen`. */
  readonly edges: readonly EdgeConfig[];
  readonly peer: PeerConfig | undefined;
  readonly hostHeader: HostHeader;
  /** Time between two looks at an engine's metrics. */
  readonly engineMetricsIntervalMs: number;
  /** URL of the DCGM exporter beside the engine. */
  readonly gpuMetricsUrl: string | undefined;
  readonly upstreamTls: {
    /** PEM text of certificate authorities to trust. */
    readonly caPem: string | undefined;
    /** Certificates are not verified. */
    readonly insecure: boolean;
  };
  readonly timeouts: TimeoutConfig;
  readonly admission: AdmissionConfig;
  /** The admission queue; undefined holds nobody back. */
  readonly turns: TurnsConfig | undefined;
  /** TLS towards clients; absent means plain HTTP. */
  readonly listenTls: ListenTlsConfig | undefined;
  /** Clients may speak HTTP/2 as well. */
  readonly http2: boolean;
  readonly relayCount: number;
  /** SIGTERM → new connections are refused. */
  readonly drainDelayMs: number;
  readonly drainMs: number;
  readonly propagate: Propagation;
  /** Where engines send their OTLP; nowhere when absent. */
  readonly otlpListen: HostPort | undefined;
  /** How long an ended exchange waits for evidence from elsewhere at most. */
  readonly evidenceWaitMs: number;
  readonly record: RecordConfig | undefined;
  /** The record file also holds prompts and answers. */
  readonly captureText: boolean;
  readonly chunks: ChunkDetail;
  readonly chunksAs: ChunkForm;
  /** Time to first token from which an exchange counts as slow, so that its chunks are kept. */
  readonly keepSlowMs: number;
  /** Value of `gen_ai.provider.name`. */
  readonly genAiProvider: string;
  readonly genAiClientMetrics: boolean;
  /** Header, in lower case, whose value names the class. */
  readonly classHeader: string;
  /** In the order in which their rules are tried; `default` is always there, last and without rules. */
  readonly classes: readonly ClassSpec[];
  /** Model names that get a label of their own before any other. */
  readonly models: readonly string[];
  /** Upper edges, ascending, of all buckets but the last. */
  readonly promptBucketEdges: readonly number[];
  readonly outputBucketEdges: readonly number[];
  /** Where a trace is looked at, with `{traceId}` in it, and dashboards; the live page links there. */
  readonly traceUrl: string | undefined;
  readonly dashboardUrl: string | undefined;
  readonly logLevel: LogLevel;
}
