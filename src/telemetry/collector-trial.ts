// Asks a collector whether it takes a signal, by the exporter of real exports and with nothing in it: so
// endpoint, protocol, headers and certificates are the true ones.
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import type { OtlpProtocol } from './otel-environment.ts';
import { metricExporterFor, spanExporterFor } from './otel-exporters.ts';

const ANSWER_MAX_MS = 12_000;
const REASON_MAX_CHARS = 200;

/** Undefined when the collector takes it, else why it does not, in one line. */
export async function tryCollector(signal: 'traces' | 'metrics', protocol: OtlpProtocol): Promise<string | undefined> {
  const sent = signal === 'traces' ? sendNoSpans(protocol) : sendNoMetrics(protocol);
  const result = await Promise.race([sent, late()]);
  return result.code === ExportResultCode.SUCCESS ? undefined : firstLine(result.error);
}

async function sendNoSpans(protocol: OtlpProtocol): Promise<ExportResult> {
  const exporter = await spanExporterFor(protocol);
  return await exported((done) => exporter.export([], done), exporter);
}

async function sendNoMetrics(protocol: OtlpProtocol): Promise<ExportResult> {
  const exporter = await metricExporterFor(protocol);
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
  return (error?.message ?? 'no reason given').split('\n', 1)[0]?.slice(0, REASON_MAX_CHARS) ?? '';
}
