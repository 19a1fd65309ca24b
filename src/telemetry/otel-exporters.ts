// The exporters by protocol. Explicit classes: the SDK's own choice would also start what nobody
// configured. Each reads its endpoint, headers, certificates and compression from the environment.
// Loaded only when something is pushed, as they bring gRPC and half a second of start-up along.
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { nowMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createFailureLog } from './failure-log.ts';
import type { OtlpProtocol } from './otel-environment.ts';

export async function spanExporterFor(protocol: OtlpProtocol): Promise<SpanExporter> {
  switch (protocol) {
    case 'http/protobuf':
      return (await import('./otlp-span-exporters.ts')).createHttpSpanExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
    case 'grpc':
      return await (await import('./otlp-span-exporters.ts')).createGrpcSpanExporter();
  }
}

export async function metricExporterFor(protocol: OtlpProtocol): Promise<PushMetricExporter> {
  switch (protocol) {
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter();
    case 'grpc':
      return new (await import('@opentelemetry/exporter-metrics-otlp-grpc')).OTLPMetricExporter();
  }
}

/** Exports begun, and what became of those that are over. */
export interface ExportTally {
  readonly takenCount: number;
  readonly exportedCount: number;
  readonly failedCount: number;
}

/**
 * An exporter that counts what failed. Points are cumulative, so a failed export loses no data, only
 * a moment; but somebody should know that the collector does not answer.
 */
export function countExports(
  exporter: PushMetricExporter,
  log: Log,
): { readonly exporter: PushMetricExporter; readonly tally: () => ExportTally } {
  const failures = createFailureLog(log, 'Export of metrics');
  let takenCount = 0;
  let exportedCount = 0;
  let failedCount = 0;
  const note = (result: ExportResult): void => {
    if (result.code === ExportResultCode.SUCCESS) {
      exportedCount += 1;
      failures.succeeded();
      return;
    }
    failedCount += 1;
    failures.failed(result.error ?? 'no reason given', 1, nowMs());
  };
  return {
    tally: () => ({ takenCount, exportedCount, failedCount }),
    exporter: {
      export(metrics, resultCallback) {
        takenCount += 1;
        exporter.export(metrics, (result) => {
          note(result);
          resultCallback(result);
        });
      },
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
  };
}
