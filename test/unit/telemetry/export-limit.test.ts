// Goal: an answer that never ends holds no place of the exporter, which has 30, for longer than the limit.
// Method: OpenTelemetry's own exporter against a collector that sends a byte now and then.
import type { ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitExports } from '../../../src/telemetry/export-limit.ts';
import { OtlpCatcher } from '../../support/otlp-catcher.ts';
import { poll, sleep } from '../../support/signal.ts';

const LIMIT_MS = 250;
const PLACES = 30;

let catcher: OtlpCatcher;
let lift: () => void;

beforeEach(async () => {
  catcher = await OtlpCatcher.start();
  lift = limitExports(LIMIT_MS);
});
afterEach(async () => {
  lift();
  await catcher.stop();
});

test('after more dripping answers than there are places, a collector that is well is sent to', async () => {
  const exporter = new OTLPTraceExporter({ url: `${catcher.url}/v1/traces`, timeoutMillis: 10_000 });
  const results: ExportResult[] = [];
  catcher.mood = 'drip';
  for (let count = 0; count < PLACES; count += 1) exporter.export([], (result) => results.push(result));
  await poll('all answers to be over', () => (results.length === PLACES ? true : undefined), 5_000);
  catcher.mood = 200;
  const last = await new Promise<ExportResult>((resolve) => exporter.export([], resolve));
  expect(last).toEqual({ code: 0 });
  await exporter.shutdown();
});

test('requests of others are not limited', async () => {
  catcher.mood = 'drip';
  let isGone = false;
  const other = request(catcher.url, { method: 'POST' }, (response) => response.resume());
  other.on('error', () => undefined).on('close', () => (isGone = true));
  other.end();
  await sleep(3 * LIMIT_MS);
  expect(isGone).toBe(false);
  other.destroy();
});
