// A span that an engine made of a request, as far as evidence needs it: plain data, whatever protocol
// it came by. Bounded by who decodes it.

export interface EngineSpan {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits each; the parent is absent on a root. */
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** Wall clock of the engine's host, ns since 1970. Only differences of one host's moments mean anything. */
  readonly startEpochNs: bigint;
  readonly endEpochNs: bigint;
  /** Attributes with a plain value. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** `service.name` of the resource. */
  readonly serviceName?: string;
}
