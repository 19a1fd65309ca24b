// Goal: every shipped configuration is one that a real Collector takes; what comes in by it goes on whole; and tail
// sampling keeps what is worth it, together with spans that came long before, and little of the rest.
// Method: a Collector built from the shipped manifest, a sidecar that exports to it, and a catcher in Tempo's place.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import type { Script } from '../../src/client/reference-engine/script.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../src/client/stream-client.ts';
import { configFile } from '../support/config-file.ts';
import { exportSpans, makeSpans } from '../support/engine-spans.ts';
import { GrpcCatcher } from '../support/grpc-catcher.ts';
import { readTraceRequest, type WireSpan } from '../support/otlp-protobuf.ts';
import { ROOT } from '../support/program.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';
import { collectorProgram, startCollector, validate, type Collector } from './collector/collector.ts';
import { orMissing } from './judge/missing.ts';

/** The wait behind a root span, the export delay of a sidecar, and a machine that is shared. */
const KEPT_WAIT_MS = 60_000;
/** One in a hundred is kept for comparison. That all of so many are is as good as impossible. */
const FINE_COUNT = 5;

const VARIANTS = [
  'otel-collector.yaml',
  ...readdirSync(join(ROOT, 'deploy/collector'))
    .filter((name) => name.endsWith('.yaml') && name !== 'builder.yaml')
    .map((name) => `deploy/collector/${name}`),
];

function answer(...writes: readonly [atMs: number, text: string][]): Script['writes'] {
  const event = (text: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
  const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const last = writes.at(-1)?.[0] ?? 0;
  return [...writes.map(([atMs, text]) => ({ atMs, bytes: event(text) })), { atMs: last + 5, bytes: finish }];
}

const SCRIPTS: Readonly<Record<string, Script>> = {
  fine: { writes: answer([5, 'a'], [15, 'b'], [25, 'c']) },
  // Longer than a stall must be, and shorter than the gap that is kept for its length.
  stalled: { writes: answer([5, 'a'], [15, 'b'], [515, 'c']) },
  failed: { status: 500, headers: { 'content-type': 'application/json' }, writes: [{ atMs: 5, bytes: '{}' }] },
  cut: { writes: answer([5, 'a'], [15, 'b']).slice(0, -1), ending: 'cut' },
};

const program = await orMissing('Collector', collectorProgram);

describe.skipIf(program === undefined)('a real Collector', () => {
  test.each(VARIANTS)('takes %s', (variant) => {
    expect(validate(program!, join(ROOT, variant))).toEqual({ code: 0, said: '' });
  });

  test('refuses one with a key that does not exist', () => {
    const text = readFileSync(join(ROOT, 'otel-collector.yaml'), 'utf8');
    const broken = configFile('');
    writeFileSync(broken, text.replace('queue_size', 'queue_length'));
    const { code, said } = validate(program!, broken);
    expect([code, said]).toEqual([1, expect.stringContaining('queue_length')]);
  });
});

describe.skipIf(program === undefined)('traces', () => {
  let engine: ReferenceEngine;
  let tempo: GrpcCatcher;
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    engine = await startReferenceEngine({ models: ['m'], scripts: SCRIPTS });
    tempo = await GrpcCatcher.start();
  });
  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
    tempo.stop();
    await engine.close();
  });

  async function start(config: string): Promise<{ sidecar: Sidecar; collector: Collector }> {
    const collector = await startCollector({
      program: program!,
      config,
      env: { TEMPO_ENDPOINT: new URL(tempo.url).host },
      sets: { 'exporters::prometheus::endpoint': `127.0.0.1:${await freePort()}` },
    });
    closers.push(() => collector.stop());
    const promise = 'classes: [{ name: strict, objectives: [{ objective: ttft, max_ms: 1, target: 0.9 }] }]';
    const sidecar = await Sidecar.start({
      upstream: engine.url,
      args: ['--config', configFile(promise)],
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.otlpUrl, OTEL_BSP_SCHEDULE_DELAY: '200' },
    });
    closers.push(() => sidecar.stop());
    return { sidecar, collector };
  }

  /** The trace of one exchange that goes by a script. */
  async function ask(sidecar: Sidecar, script: string, headers: Readonly<Record<string, string>> = {}) {
    const { length } = sidecar.records();
    await sendRequest({
      url: `http://127.0.0.1:${sidecar.listenPort}/v1/chat/completions`,
      headers: { 'x-reference-script': script, ...headers },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: script }] }),
    });
    const [entry] = await sidecar.recordsAfter(length, 1);
    return entry!.record.trace!.traceId;
  }

  function spansOf(traceId: string): WireSpan[] {
    const bodies = tempo.messages.filter(({ signal }) => signal === 'traces').map(({ bytes }) => bytes);
    return bodies.flatMap((bytes) => readTraceRequest(bytes)).filter((span) => span.traceId === traceId);
  }

  function untilSpans(what: string, traceId: string, count: number): Promise<WireSpan[]> {
    const look = (): WireSpan[] | undefined => {
      const spans = spansOf(traceId);
      return spans.length >= count ? spans : undefined;
    };
    return poll(`${what} at Tempo`, look, KEPT_WAIT_MS, 200);
  }

  test('go on to Tempo whole, stamps of chunks and all', async () => {
    const { sidecar } = await start('otel-collector.yaml');
    const spans = await untilSpans('a fine exchange', await ask(sidecar, 'fine'), 3);
    expect(spans.map(({ name }) => name).toSorted()).toEqual(
      expect.arrayContaining(['POST /v1/chat/completions', 'rubato.chunks']),
    );
    const { arrayCounts } = spans.find(({ name }) => name === 'rubato.chunks')!;
    expect(new Set(Object.values(arrayCounts)).size).toBe(1);
    expect(arrayCounts['rubato.chunk.gap_us']).toBeGreaterThanOrEqual(4);
  });

  test('are kept by tail sampling where something is wrong, and seldom where nothing is', async () => {
    const { sidecar, collector } = await start('deploy/collector/tail-sampling.yaml');
    const fine: string[] = [];
    for (let round = 0; round < FINE_COUNT; round += 1) fine.push(await ask(sidecar, 'fine'));

    // A gateway whose check of a key was over long before the stream; its own span ends last and has no parent.
    const trace = 'feed'.padStart(32, 'a');
    const traceparent = `00-${trace}-b7ad6b7169203331-01`;
    const check = makeSpans([{ name: 'check of a key', traceparent }]);
    expect(await exportSpans('http/protobuf', collector.otlpUrl, check)).toBeUndefined();
    expect(await ask(sidecar, 'stalled', { traceparent })).toBe(trace);
    const root = makeSpans([{ name: 'gateway', traceparent }]).map(
      (span) => Object.create(span, { parentSpanContext: { value: undefined } }) as typeof span,
    );
    expect(await exportSpans('http/protobuf', collector.otlpUrl, root)).toBeUndefined();

    const kept = {
      stalled: await ask(sidecar, 'stalled'),
      failed: await ask(sidecar, 'failed'),
      'cut off': await ask(sidecar, 'cut'),
      'a broken promise': await ask(sidecar, 'fine', { 'x-traffic-class': 'strict' }),
    };
    for (const [what, traceId] of Object.entries(kept)) await untilSpans(what, traceId, 2);
    const names = (await untilSpans('the trace of a gateway', trace, 5)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['check of a key', 'gateway', 'rubato.chunks']));
    // They came first, so of them was decided before.
    expect(fine.filter((traceId) => spansOf(traceId).length > 0).length).toBeLessThan(FINE_COUNT);
  });
});
