// Exporters of spans in protobuf, put together as the SDK's own ones are, with another serialiser: configuration from
// the environment, transport, retries and the reading of answers are the SDK's.
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { ProtobufTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { createSpanBytes } from './otlp-spans.ts';

const SIGNAL = 'TRACES';
const HTTP_PATH = 'v1/traces';
const GRPC_NAME = 'TraceExportService';
const GRPC_PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

export function createHttpSpanExporter(): SpanExporter {
  const headers = { 'Content-Type': 'application/x-protobuf' };
  const options = convertLegacyHttpOptions({}, SIGNAL, HTTP_PATH, headers);
  const type = 'otlp_http_span_exporter';
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, createSerialiser(), type, TraceExporterMetricsHelper, undefined),
  );
}

export async function createGrpcSpanExporter(): Promise<SpanExporter> {
  const { convertLegacyOtlpGrpcOptions, createOtlpGrpcExportDelegate } =
    await import('@opentelemetry/otlp-grpc-exporter-base');
  const options = convertLegacyOtlpGrpcOptions({}, SIGNAL);
  return new OTLPExporterBase(
    createOtlpGrpcExportDelegate(
      options,
      createSerialiser(),
      'otlp_grpc_span_exporter',
      TraceExporterMetricsHelper,
      undefined,
      GRPC_NAME,
      GRPC_PATH,
    ),
  );
}

/** The SDK's, but for what it makes of spans. */
function createSerialiser(): typeof ProtobufTraceSerializer {
  const bytesOf = createSpanBytes();
  return {
    serializeRequest: (spans: ReadableSpan[]) => bytesOf(spans),
    deserializeResponse: (answer) => ProtobufTraceSerializer.deserializeResponse(answer),
  };
}
