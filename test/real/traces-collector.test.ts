// Goal: by way of the Collector, with the configuration that is shipped, a trace arrives as whole as without it.
// Method: Envoy, rubato and an engine's span as in traces.test.ts, sent to a real Collector that runs
// otel-collector.yaml, with Jaeger where Tempo would be; long streams together are more than one message of gRPC.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import { SPAN_CHUNKS_MAX_COUNT } from '../../src/base/limits.ts';
import { type Collector, collectorProgram, startCollector } from './collector/collector.ts';
import { startJaeger, type Jaeger } from './jaeger/jaeger.ts';
import { orMissing } from './judge/missing.ts';
import { chunks, tokens } from './traces/answers.ts';
import { expectChunks, expectOneTrace, SPANS_COUNT } from './traces/checks.ts';
import { ask, startPath, type TracedPath } from './traces/path.ts';
import { traceOf } from './traces/query.ts';

const NOT_HAD = 'the Collector, Jaeger or Envoy cannot be had here';
/** As protobuf some 250 KiB each: together more than the Collector puts into one message. */
const LONG_STREAMS_COUNT = 20;

let jaeger: Jaeger | undefined;
let collector: Collector | undefined;
let path: TracedPath | undefined;

beforeAll(async () => {
  jaeger = await orMissing('Jaeger', startJaeger);
  const program = await orMissing('Collector', collectorProgram);
  if (jaeger === undefined || program === undefined) return;
  collector = await startCollector({
    program,
    config: 'otel-collector.yaml',
    env: { TEMPO_ENDPOINT: `127.0.0.1:${jaeger.otlpGrpcPort}` },
    sets: { 'exporters::prometheus::endpoint': `127.0.0.1:${await freePort()}` },
  });
  path = await startPath(Number(new URL(collector.otlpUrl).port), ['short']);
});

afterAll(async () => {
  await path?.stop();
  await collector?.stop();
  await jaeger?.stop();
});

test('one exchange is one trace', async ({ skip }) => {
  if (jaeger === undefined || path?.gateway === undefined) return skip(NOT_HAD);
  const asked = await ask(path, 'short', tokens(20));
  const spans = await traceOf(jaeger.url, asked.traceId, { spanCount: SPANS_COUNT });
  expectOneTrace(spans, asked);
  expectChunks(spans, asked.entry.record, asked.entry.record.chunks.bytes.length);
});

test('twenty streams of more chunks than are listed, at once, arrive with all that are', async ({ skip }) => {
  if (jaeger === undefined || path?.gateway === undefined || collector === undefined) return skip(NOT_HAD);
  const way = path;
  const names = Array.from({ length: LONG_STREAMS_COUNT }, (_, index) => `long-${index}`);
  const all = await Promise.all(names.map((name) => ask(way, name, chunks(SPAN_CHUNKS_MAX_COUNT + 500))));
  for (const { traceId, entry } of all) {
    const spans = await traceOf(jaeger.url, traceId, { spanCount: SPANS_COUNT });
    expectChunks(spans, entry.record, SPAN_CHUNKS_MAX_COUNT);
  }
  expect(collector.log()).not.toMatch(/dropp|refus|too large|exhausted/i);
});
