// Does the collector take what rubato would push?
import { tryCollector } from '../../telemetry/collector-trial.ts';
import { otelPlan, type OtlpProtocol } from '../../telemetry/otel-environment.ts';
import type { Check, Finding } from './check.ts';

const CHECK = 'collector';

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
      ...(traces.otlp === undefined ? [] : [ask('traces', traces.otlp)]),
      ...(metrics.otlp === undefined ? [] : [ask('metrics', metrics.otlp)]),
    ]);
  },
};

async function ask(signal: 'traces' | 'metrics', protocol: OtlpProtocol): Promise<Finding> {
  const refusal = await tryCollector(signal, protocol);
  if (refusal === undefined)
    return { check: CHECK, status: 'ok', says: `the collector takes ${signal} by ${protocol}` };
  return {
    check: CHECK,
    status: 'warn',
    says: `the collector does not take ${signal} by ${protocol}: ${refusal}`,
    cure: 'check OTEL_EXPORTER_OTLP_ENDPOINT, its protocol (4317 is usually grpc, 4318 http/protobuf) and its headers',
  };
}
