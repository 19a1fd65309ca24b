// Spans as engines send them: made by the real OpenTelemetry SDK and sent by its real exporters, over
// each protocol that engines use.
import { ROOT_CONTEXT, SpanKind, trace, TraceFlags, type Attributes } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  TracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';

export const PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface SpanWish {
  readonly name?: string;
  /** `00-<trace>-<span>-01`: the parent. */
  readonly traceparent: string;
  readonly attributes?: Attributes;
}

/** What vLLM says of a request that waited 40 ms and was prefilled in 25 ms. */
export const VLLM_TIMES = {
  'gen_ai.latency.time_in_queue': 0.04,
  'gen_ai.latency.time_in_model_prefill': 0.025,
  'gen_ai.latency.time_to_first_token': 0.07,
} as const;

export function makeSpans(wishes: readonly SpanWish[]): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'engine' }),
    spanProcessors: [new SimpleSpanProcessor({ exporter: memory })],
  });
  const tracer = provider.getTracer('engine');
  for (const { name = 'llm_request', traceparent, attributes = {} } of wishes) {
    const [, traceId = '', spanId = ''] = traceparent.split('-');
    const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
    const parent = trace.setSpanContext(ROOT_CONTEXT, context);
    tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent).end();
  }
  return memory.getFinishedSpans();
}

/** Sends spans to an origin; resolves with undefined, or with what the receiver had against them. */
export async function exportSpans(
  protocol: Protocol,
  origin: string,
  spans: ReadableSpan[],
): Promise<Error | undefined> {
  const exporter = exporterFor(protocol, origin);
  try {
    return await new Promise((resolve) => {
      exporter.export(spans, ({ code, error }) => {
        resolve(code === ExportResultCode.SUCCESS ? undefined : (error ?? new Error('no reason given')));
      });
    });
  } finally {
    await exporter.shutdown();
  }
}

function exporterFor(protocol: Protocol, origin: string): SpanExporter {
  switch (protocol) {
    case 'http/protobuf':
      return new ProtoExporter({ url: `${origin}/v1/traces` });
    case 'http/json':
      return new JsonExporter({ url: `${origin}/v1/traces` });
    case 'grpc':
      return new GrpcExporter({ url: origin });
  }
}
