// The way of an exchange in these tests: a client, Envoy that begins the trace, rubato, and an engine that sends a
// span of its own to rubato, which passes it on. Where the spans end is told it; what they should be is not.
import { expect } from 'vitest';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { type EngineExporter, exportEngineSpans } from '../../support/engine-exporter.ts';
import { PLAN_FIELD, RawEngine } from '../../support/raw-engine.ts';
import { CHAT_TARGET, DONE } from '../../support/script.ts';
import { Sidecar, type RecordEntry } from '../../support/sidecar.ts';
import type { EngineProcess } from '../engine/engine-process.ts';
import { orMissing } from '../judge/missing.ts';
import { type Answer, spanOf } from './answers.ts';
import { startGateway } from './gateway.ts';

export interface Asked {
  readonly traceId: string;
  readonly entry: RecordEntry;
}

export interface TracedPath {
  readonly sidecar: Sidecar;
  readonly engine: RawEngine;
  /** Absent where Envoy cannot be had. */
  readonly gateway: EngineProcess | undefined;
  stop(): Promise<void>;
}

/** OTLP over HTTP, for rubato and for the gateway. */
export async function startPath(otlpPort: number, models: readonly string[]): Promise<TracedPath> {
  const engine = await RawEngine.start();
  const sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    // A model has a label of its own from its first success on, or by configuration.
    args: ['--otlp-listen', '127.0.0.1:0', '--models', models.join(',')],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${otlpPort}`, OTEL_BSP_SCHEDULE_DELAY: '200' },
  });
  const ports = { upstreamPort: sidecar.listenPort, otlpPort };
  const gateway = await orMissing('gateway that traces (Envoy)', () => startGateway(ports));
  const stop = async (): Promise<void> => {
    await gateway?.stop();
    await sidecar.stop();
    await engine.stop();
  };
  return { sidecar, engine, gateway, stop };
}

/** Asks by way of the gateway; which trace it was, the engine was told. */
export async function ask({ sidecar, engine, gateway }: TracedPath, model: string, answer: Answer): Promise<Asked> {
  const exporter = exportEngineSpans('http/protobuf', sidecar.otlpUrl);
  const plan = engine.plan(async (exchange) => {
    await answer(exchange);
    exporter.onSpans([spanOf(exchange)]);
  });
  const response = await fetch((gateway?.url ?? '') + CHAT_TARGET, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [PLAN_FIELD]: plan.id },
    body: JSON.stringify({ model, stream: true }),
  });
  expect([response.status, (await response.text()).endsWith(DONE)]).toEqual([200, true]);
  const [traceparent = ''] = (await plan.exchange).request.values('traceparent');
  const entry = await sidecar.record(model, ({ request }: StreamRecord) => request.model === model);
  await stopExporter(exporter);
  return { traceId: traceparent.split('-')[1] ?? '', entry };
}

async function stopExporter(exporter: EngineExporter): Promise<void> {
  await exporter.stop();
  expect(exporter.failures).toEqual([]);
}
