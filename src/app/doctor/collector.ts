// Does the collector take what rubato would push? Each signal is asked by its own exporter, with nothing
// in it, so endpoint, protocol, headers and certificates are those of real exports.
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { otelPlan, type OtlpProtocol } from '../../telemetry/otel-environment.ts';
import { metricExporterFor, spanExporterFor } from '../../telemetry/otel-exporters.ts';
import type { Check, Finding } from './check.ts';

const CHECK = 'collector';
const ANSWER_MAX_MS = 12_000;

export const collectorCheck: Check = {
  name: CHECK,
  async run({ env }) {
    const { traces, metrics } = otelPlan(env);
    if (traces.otlp === undefined && metrics.otlp === undefined) {
      return [
        {
          check: CHECK,
          status: 'note',
          says: 'no OTLP endpoint is set, so nothing is pushed; figures are on the admin port',
          cure: 'for traces and pushed metrics set OTEL_EXPORTER_OTLP_ENDPOINT',
        },
      ];
    }
    return await Promise.all([
      ...(traces.otlp === undefined ? [] : [ask('traces', traces.otlp, askSpans)]),
      ...(metrics.otlp === undefined ? [] : [ask('metrics', metrics.otlp, askMetrics)]),
    ]);
  },
};

async function ask(
  signal: string,
  protocol: OtlpProtocol,
  send: (protocol: OtlpProtocol) => Promise<ExportResult>,
): Promise<Finding> {
  const result = await Promise.race([send(protocol), late()]);
  if (result.code === ExportResultCode.SUCCESS) {
    return { check: CHECK, status: 'ok', says: `the collector takes ${signal} by ${protocol}` };
  }
  return {
    check: CHECK,
    status: 'warn',
    says: `the collector does not take ${signal} by ${protocol}: ${firstLine(result.error)}`,
    cure: 'check OTEL_EXPORTER_OTLP_ENDPOINT, its protocol (4317 is usually grpc, 4318 http/protobuf) and its headers',
  };
}

async function askSpans(protocol: OtlpProtocol): Promise<ExportResult> {
  const exporter: SpanExporter = await spanExporterFor(protocol);
  return await exported((done) => exporter.export([], done), exporter);
}

async function askMetrics(protocol: OtlpProtocol): Promise<ExportResult> {
  const exporter: PushMetricExporter = await metricExporterFor(protocol);
  return await exported((done) => exporter.export({ resource: emptyResource(), scopeMetrics: [] }, done), exporter);
}

async function exported(
  start: (done: (result: ExportResult) => void) => void,
  exporter: { shutdown(): Promise<void> },
): Promise<ExportResult> {
  const result = await new Promise<ExportResult>((resolve) => {
    start(resolve);
  });
  await exporter.shutdown();
  return result;
}

function late(): Promise<ExportResult> {
  return new Promise((resolve) => {
    const error = new Error(`no answer within ${ANSWER_MAX_MS / 1000} s`);
    setTimeout(() => resolve({ code: ExportResultCode.FAILED, error }), ANSWER_MAX_MS).unref();
  });
}

/** Some errors bring the whole answer along. */
function firstLine(error: Error | undefined): string {
  return (error?.message ?? 'no reason given').split('\n', 1)[0]?.slice(0, 200) ?? '';
}
