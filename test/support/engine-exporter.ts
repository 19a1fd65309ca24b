// Exports the spans of a reference engine as engines do: with OpenTelemetry's own exporters, over OTLP in
// each of its three forms, once a request is over.
import { SpanKind, SpanStatusCode, TraceFlags, type HrTime } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { EngineSpan } from '../../src/client/reference-engine/engine-span.ts';

export const OTLP_FORMS = ['http/protobuf', 'http/json', 'grpc'] as const;
export type OtlpForm = (typeof OTLP_FORMS)[number];

export interface EngineExporter {
  /** For the engine's option `onSpans`. */
  readonly onSpans: (spans: readonly EngineSpan[]) => void;
  /** What the receiver did not take. */
  readonly failures: string[];
  stop(): Promise<void>;
}

/** `url` is that of the receiver, without a path. */
export function exportEngineSpans(form: OtlpForm, url: string): EngineExporter {
  const exporter = exporterOf(form, url);
  const failures: string[] = [];
  return {
    onSpans: (spans) =>
      exporter.export(spans.map(readable), ({ error }) => {
        if (error !== undefined) failures.push(error.message);
      }),
    failures,
    stop: () => exporter.shutdown(),
  };
}

function exporterOf(form: OtlpForm, url: string): SpanExporter {
  if (form === 'grpc') return new GrpcExporter({ url });
  const options = { url: `${url}/v1/traces` };
  return form === 'http/json' ? new JsonExporter(options) : new ProtobufExporter(options);
}

function readable(span: EngineSpan): ReadableSpan {
  const { traceId, spanId, parentSpanId } = span;
  const traceFlags = TraceFlags.SAMPLED;
  return {
    name: span.name,
    kind: span.kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL,
    spanContext: () => ({ traceId, spanId, traceFlags }),
    ...(parentSpanId === undefined ? {} : { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags } }),
    startTime: hrTime(span.startEpochMs),
    endTime: hrTime(span.endEpochMs),
    duration: hrTime(span.endEpochMs - span.startEpochMs),
    status: { code: SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: [],
    events: [],
    ended: true,
    resource: resourceFromAttributes(span.resource),
    instrumentationScope: { name: span.scope },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTime(lengthMs: number): HrTime {
  const seconds = Math.floor(lengthMs / 1_000);
  return [seconds, Math.round((lengthMs - seconds * 1_000) * 1e6)];
}
