// Spans as engines make them of a request: plain data, to be exported by whoever was given them. The
// reference engine exports nothing itself, so it needs no telemetry library.
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { epochMsOf, type ClockAnchor } from '../../base/clock.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface EngineSpan {
  /** Hex digits, 32 and 16. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'server' | 'internal';
  /** Wall time of the engine, ms with fraction. */
  readonly startEpochMs: number;
  readonly endEpochMs: number;
  readonly attributes: SpanAttributes;
  /** Name of the instrumentation. */
  readonly scope: string;
  /** Attributes of the resource, `service.name` among them. */
  readonly resource: SpanAttributes;
}

/** What a request's `traceparent` asks for. */
interface TraceParent {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function readTraceParent(headers: IncomingHttpHeaders): TraceParent {
  const match = TRACEPARENT.exec(headers['traceparent']?.toString() ?? '');
  // Without a parent an engine begins a trace of its own, and by default it samples all of these.
  if (match === null) return { traceId: randomBytes(16).toString('hex'), sampled: true };
  const [, traceId = '', parentSpanId = '', flags = ''] = match;
  return { traceId, parentSpanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** A span before it has its place in a trace: moments are of the monotonic clock. */
export interface SpanSketch {
  readonly name: string;
  readonly kind?: EngineSpan['kind'];
  readonly fromNs: number;
  readonly toNs: number;
  readonly attributes?: SpanAttributes;
  readonly children?: readonly SpanSketch[];
}

/** Where a request's spans belong, and how its moments become wall time. */
export interface SpanPlace {
  readonly requestHeaders: IncomingHttpHeaders;
  readonly anchor: ClockAnchor;
}

/**
 * Gives a tree of spans its ids below the caller's span. A caller that does not sample gets none, as
 * every OpenTelemetry SDK does by default.
 */
export function plantSpans(
  place: SpanPlace,
  root: SpanSketch,
  names: Pick<EngineSpan, 'scope' | 'resource'>,
): EngineSpan[] {
  const parent = readTraceParent(place.requestHeaders);
  if (!parent.sampled) return [];
  const spans: EngineSpan[] = [];
  const plant = (sketch: SpanSketch, parentSpanId: string | undefined): void => {
    const spanId = randomBytes(8).toString('hex');
    spans.push({
      traceId: parent.traceId,
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name: sketch.name,
      kind: sketch.kind ?? 'internal',
      startEpochMs: epochMsOf(place.anchor, sketch.fromNs),
      endEpochMs: epochMsOf(place.anchor, sketch.toNs),
      attributes: sketch.attributes ?? {},
      ...names,
    });
    for (const child of sketch.children ?? []) plant(child, spanId);
  };
  plant(root, parent.parentSpanId);
  return spans;
}
