// The three signals of OTLP, by the names that its paths and services have. Plain data.

export const SIGNALS = ['traces', 'metrics', 'logs'] as const;
export type Signal = (typeof SIGNALS)[number];

/** Path of the Export method of each gRPC service, as opentelemetry-proto 1.x names them. */
export const GRPC_PATHS: Readonly<Record<Signal, string>> = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
};

export const PROTOBUF_TYPE = 'application/x-protobuf';
export const JSON_TYPE = 'application/json';
export type PayloadType = typeof PROTOBUF_TYPE | typeof JSON_TYPE;

/** What somebody sent, as it goes on to the collector. */
export interface Payload {
  readonly signal: Signal;
  readonly type: PayloadType;
  /** Content coding that `bytes` still have. */
  readonly encoding: 'gzip' | undefined;
  readonly bytes: Buffer;
}

/** Where one signal goes on to. */
export interface CollectorTarget {
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

export type CollectorTargets = Readonly<Record<Signal, CollectorTarget | undefined>>;
