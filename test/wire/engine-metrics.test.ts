// Goal: an engine's own metrics are found, shown beside the classes, and become evidence only where they
// are of one exchange; a page that hangs or is none hurts nobody.
// Method: reference engines under their personas with everything but the pages switched off, and servers
// of raw pages; the sidecar as its users run it.
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PersonaName } from '../../src/client/reference-engine/personas.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { timesOf } from '../../src/client/reference-engine/times.ts';
import { sendRequest, type StreamAnswer } from '../../src/client/stream-client.ts';
import type { Evidence } from '../../src/record/stream-record.ts';
import { doubtsOfStream } from '../support/doubts.ts';
import { sumOf } from '../support/prometheus.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

/** The statement of the issue: what the engine did and what the record says differ by no more. */
const TOLERANCE_NS = 2e6;

const closers: (() => Promise<void>)[] = [];

async function engineAs(persona: PersonaName): Promise<ReferenceEngine> {
  const signals = { inBand: false, headers: false, spans: false };
  const engine = await startReferenceEngine({ persona, models: ['m'], signals });
  closers.push(() => engine.close());
  return engine;
}

async function sidecarAt(upstream: string, args: readonly string[] = ['--engine-metrics', 'auto']): Promise<Sidecar> {
  const fast = ['--engine-metrics-interval', '0.5'];
  const sidecar = await Sidecar.start({ upstream, args: [...args, ...fast] });
  closers.push(() => sidecar.stop());
  return sidecar;
}

interface Chat {
  readonly answer: StreamAnswer;
  readonly requestId: string;
}

async function chat(port: number, words = 40, tokens = 12): Promise<Chat> {
  const requestId = randomUUID();
  const answer = await sendRequest({
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    headers: { 'x-request-id': requestId },
    body: JSON.stringify({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: tokens,
      messages: [{ role: 'user', content: 'word '.repeat(words) }],
    }),
  });
  return { answer, requestId };
}

/** An exchange, and its record once there is one more than before. */
async function recorded(
  sidecar: Sidecar,
  words = 40,
  tokens = 12,
): Promise<RecordEntry & { readonly requestId: string }> {
  const { length } = sidecar.records();
  const { requestId } = await chat(sidecar.listenPort, words, tokens);
  const [entry] = await sidecar.recordsAfter(length, 1);
  if (entry === undefined) throw new Error('there is no record');
  return { ...entry, requestId };
}

function exactOf({ record }: RecordEntry, source: string): Evidence | undefined {
  return record.evidence.find((each) => each.source === source && each.basis === 'exact');
}

function expectTruth(evidence: Evidence, engine: ReferenceEngine, requestId: string): void {
  const truth = engine.truth(requestId);
  if (truth === undefined) throw new Error(`the engine does not know ${requestId}`);
  const { queueNs, prefillNs } = timesOf(truth);
  expect(Math.abs((evidence.prefillNs ?? 0) - prefillNs)).toBeLessThanOrEqual(TOLERANCE_NS);
  // The engine was idle, and books a wait of nothing as nothing.
  if (evidence.queueNs !== undefined) expect(Math.abs(evidence.queueNs - queueNs)).toBeLessThanOrEqual(TOLERANCE_NS);
}

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

describe('metrics at the upstream', () => {
  test('are found after the first good answer, and stand beside the classes as what they are', async () => {
    const engine = await engineAs('vllm');
    const sidecar = await sidecarAt(engine.url);
    expect(sumOf(await sidecar.metrics(), 'rubato_engine_up')).toBeUndefined();
    await recorded(sidecar);
    await poll('the engine', async () => sumOf(await sidecar.metrics(), 'rubato_engine_up', { route: 'default' }));
    await recorded(sidecar);
    const window = await poll('a window with a request', async () => {
      const { engines } = JSON.parse((await sidecar.admin('/api/summary')).text);
      return engines[0]?.window?.prefillMeanNs === undefined ? undefined : engines[0];
    });
    expect(window).toMatchObject({ route: 'default', engine: 'vllm', up: true, runningCount: 0, waitingCount: 0 });
    const samples = await sidecar.metrics();
    expect(sumOf(samples, 'rubato_engine_running')).toBe(0);
    expect(sumOf(samples, 'rubato_engine_metrics_age_seconds')).toBeLessThan(5);
    expect(sidecar.logs.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('name the engine where its answers do not', async () => {
    const engine = await startReferenceEngine({ persona: 'lmdeploy', models: ['m'], signals: { usage: false } });
    closers.push(() => engine.close());
    const sidecar = await sidecarAt(engine.url);
    await recorded(sidecar);
    await poll('the engine', async () => sumOf(await sidecar.metrics(), 'rubato_engine_up'));
    const { record } = await recorded(sidecar);
    expect(record.engine?.name).toBe('lmdeploy');
  });
});

describe.each<PersonaName>(['vllm', 'lmdeploy', 'tensorrt-llm'])('counters of %s', (persona) => {
  let engine: ReferenceEngine;
  let sidecar: Sidecar;

  let own: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of own.toReversed()) await close();
  });
  beforeAll(async () => {
    engine = await engineAs(persona);
    const path = persona === 'tensorrt-llm' ? '/prometheus/metrics' : '/metrics';
    sidecar = await sidecarAt(engine.url, ['--engine-metrics', `${engine.url}${path}`]);
    // They outlive each single test of this group.
    own = closers.splice(0);
    await poll('the engine', async () => sumOf(await sidecar.metrics(), 'rubato_engine_up'));
  });

  test('are exact for exchanges that come one after the other', async () => {
    for (let nth = 0; nth < 3; nth += 1) {
      const entry = await recorded(sidecar, 40 + nth * 200);
      const evidence = exactOf(entry, 'isolated-counters');
      expect(evidence, `exchange ${nth}`).toBeDefined();
      if (evidence !== undefined) expectTruth(evidence, engine, entry.requestId);
      expect([entry.figures.split?.basis, doubtsOfStream(entry.record)]).toEqual(['exact', []]);
    }
  });

  test('say nothing of an exchange while somebody else has the engine work too', async () => {
    const other = chat(engine.port, 40, 4);
    const entry = await recorded(sidecar, 40, 30);
    await other;
    expect(exactOf(entry, 'isolated-counters')).toBeUndefined();
  });

  test('say nothing of exchanges that overlap, and never keep a record waiting for long', async () => {
    const { length } = sidecar.records();
    await Promise.all(Array.from({ length: 4 }, () => chat(sidecar.listenPort)));
    const entries = await sidecar.recordsAfter(length, 4);
    for (const entry of entries) expect(exactOf(entry, 'isolated-counters')).toBeUndefined();
  });
});

describe("TensorRT-LLM's list of finished requests", () => {
  test('gives each of many exchanges at once its own times', async () => {
    const engine = await engineAs('tensorrt-llm');
    const args = ['--engine-metrics', 'off', '--engine-perf-metrics', `${engine.url}/perf_metrics`];
    const sidecar = await sidecarAt(engine.url, args);
    const chats = await Promise.all(Array.from({ length: 12 }, (_, nth) => chat(sidecar.listenPort, 20 + nth * 60)));
    const entries = await sidecar.recordsAfter(0, 12);
    const truths = new Map(chats.map(({ requestId }) => [engine.truth(requestId)?.promptTokens, requestId]));
    expect(truths.size).toBe(12);
    for (const entry of entries) {
      const evidence = exactOf(entry, 'perf-metrics');
      const requestId = truths.get(entry.record.tokens.prompt);
      expect([evidence?.basis, requestId], JSON.stringify(entry.record.evidence)).toEqual([
        'exact',
        expect.any(String),
      ]);
      if (evidence !== undefined && requestId !== undefined) expectTruth(evidence, engine, requestId);
      expect([entry.figures.split?.basis, doubtsOfStream(entry.record)]).toEqual(['exact', []]);
    }
    expect(entries.some(({ figures }) => (figures.split?.queueNs ?? 0) > 1e6)).toBe(true);
  });
});

/** A server of nothing but pages. */
async function pageServer(answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => answer(request.url ?? '', response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('pages that are no good', () => {
  test('one that hangs keeps neither exchanges nor the end waiting', async () => {
    let askedCount = 0;
    const url = await pageServer(() => (askedCount += 1));
    const engine = await engineAs('vllm');
    const sidecar = await sidecarAt(engine.url, ['--engine-metrics', `${url}/metrics`, '--gpu-metrics', `${url}/gpu`]);
    await poll('questions', () => (askedCount >= 2 ? true : undefined));
    for (let nth = 0; nth < 3; nth += 1) {
      const { record } = await recorded(sidecar);
      expect(record.end.outcome).toBe('ok');
    }
    await sleep(1_100);
    // One of each kind is under way, and no more are asked while it is.
    expect(askedCount).toBe(2);
    const before = performance.now();
    sidecar.signal('SIGTERM');
    await sidecar.untilExit();
    expect(sidecar.exit?.code).toBe(0);
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(sidecar.noise).toEqual([]);
  });

  test('one that floods, redirects or is no metrics is told of once and counted', async () => {
    const engine = await engineAs('vllm');
    const url = await pageServer((path, response) => {
      if (path === '/moved') response.writeHead(302, { location: '/metrics' }).end();
      else if (path === '/json') response.end('[]');
      else for (let nth = 0; nth < 10; nth += 1) response.write(`flood_total ${nth}\n`.repeat(100_000));
    });
    for (const [path, reason] of [
      ['/moved', 'redirect'],
      ['/json', 'no_metrics'],
      ['/flood', 'too_large'],
    ] as const) {
      const sidecar = await sidecarAt(engine.url, ['--engine-metrics', `${url}${path}`]);
      const count = await poll(`several faults of ${path}`, async () => {
        const known = sumOf(await sidecar.metrics(), 'rubato_engine_poll_faults_total', { reason });
        return (known ?? 0) >= 2 ? known : undefined;
      });
      expect(count).toBeGreaterThanOrEqual(2);
      expect(sidecar.logs.filter(({ level }) => level === 'warn').map(({ fault }) => fault)).toEqual([reason]);
      expect(sumOf(await sidecar.metrics(), 'rubato_engine_up')).toBe(0);
      const { record } = await recorded(sidecar);
      expect(record.end.outcome).toBe('ok');
    }
  });
});

test('GPUs are shown by their index', async () => {
  const url = await pageServer((_, response) => {
    response.end(
      'DCGM_FI_PROF_DRAM_ACTIVE{gpu="0",UUID="GPU-a"} 0.875\nDCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a"} 412.5\n',
    );
  });
  const engine = await engineAs('vllm');
  const sidecar = await sidecarAt(engine.url, ['--engine-metrics', 'off', '--gpu-metrics', `${url}/metrics`]);
  const busy = await poll('a GPU', async () =>
    sumOf(await sidecar.metrics(), 'rubato_gpu_dram_activity_ratio', { gpu: '0' }),
  );
  expect([busy, sumOf(await sidecar.metrics(), 'rubato_gpu_power_watts')]).toEqual([0.875, 412.5]);
  expect(sumOf(await sidecar.metrics(), 'rubato_engine_up')).toBeUndefined();
});
