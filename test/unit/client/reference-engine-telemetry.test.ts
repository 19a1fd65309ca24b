// What an engine tells beside its answers: spans, the page of metrics, the list of finished requests. Method:
// the second of two requests to an engine with one slot has waited; what is told of it is held against the
// truth log. Spans go through OpenTelemetry's exporters into a collector of ours, in each form of OTLP.
import { afterEach, describe, expect, test } from 'vitest';
import type { EngineSpan } from '../../../src/client/reference-engine/engine-span.ts';
import { rustDuration } from '../../../src/client/reference-engine/personas/tgi.ts';
import { momentsOf } from '../../../src/client/reference-engine/times.ts';
import { sendRequest } from '../../../src/client/stream-client.ts';
import { exportEngineSpans } from '../../support/engine-exporter.ts';
import { OtlpCatcher, plainAttributes } from '../../support/otlp-catcher.ts';
import { readTraceRequest } from '../../support/otlp-protobuf.ts';
import { parsePrometheus, type Sample } from '../../support/prometheus.ts';
import { engine, start, textOf, truthOf, until } from './engine-harness.ts';
import { eventsOf, FIRST_TOKENS, PARTS, play, send } from './persona-harness.ts';

const TRACE_ID = '0123456789abcdef0123456789abcdef';
const PARENT_ID = '00f067aa0ba902b7';

let catcher: OtlpCatcher | undefined;
afterEach(async () => {
  await catcher?.stop();
  catcher = undefined;
});

async function get(path: string): Promise<string> {
  return textOf(await sendRequest({ url: `${engine!.url}${path}`, method: 'GET' }));
}

async function samplesAt(path: string): Promise<Sample[]> {
  return parsePrometheus(await get(path));
}

function valueOf(samples: readonly Sample[], name: string): number | undefined {
  return samples.find((sample) => sample.name === name)?.value;
}

describe('spans', () => {
  test('vLLM: one below the caller, with queue and prefill in seconds and the id of the answer', async () => {
    const spans: EngineSpan[] = [];
    const { times, text } = await play('vllm', 'chat', { onSpans: (made) => spans.push(...made) });
    const own = spans.find(({ attributes }) => attributes['gen_ai.request.id'] === 'chatcmpl-b')!;
    expect(own).toMatchObject({ name: 'llm_request', kind: 'server' });
    expect(eventsOf(text)[0]!['id']).toBe('chatcmpl-b');
    expect(own.attributes).toMatchObject({
      'gen_ai.latency.time_in_queue': times.queueNs / 1e9,
      'gen_ai.latency.time_in_model_prefill': times.prefillNs / 1e9,
      'gen_ai.latency.time_to_first_token': (times.frontNs + times.queueNs + times.prefillNs) / 1e9,
    });
  });

  test('SGLang: stages that are right below a root whose prefill contains the queue', async () => {
    const spans: EngineSpan[] = [];
    const { times } = await play('sglang', 'chat', { onSpans: (made) => spans.push(...made) });
    const root = spans.find(({ attributes }) => attributes['rid'] === 'b')!;
    expect(root.attributes['gen_ai.latency.time_in_model_prefill']).toBe((times.queueNs + times.prefillNs) / 1e9);
    expect(root.attributes).not.toHaveProperty('gen_ai.latency.time_in_queue');
    const ids = new Set([root.spanId]);
    for (const span of spans) if (ids.has(span.parentSpanId ?? '')) ids.add(span.spanId);
    const lengthMs = (name: string): number => {
      const stage = spans.find((span) => span.name === name && ids.has(span.spanId))!;
      return stage.endEpochMs - stage.startEpochMs;
    };
    expect(lengthMs('prefill_waiting')).toBeCloseTo(times.queueNs / 1e6, 2);
    expect(lengthMs('prefill_forward')).toBeCloseTo(times.prefillNs / 1e6, 2);
  });

  test('TGI: lengths as texts; TensorRT-LLM: −1 for what was not measured, and no prefill', async () => {
    const spans: EngineSpan[] = [];
    const onSpans = (made: readonly EngineSpan[]): number => spans.push(...made);
    const tgi = await play('tgi', 'generate', { onSpans });
    expect(spans[1]).toMatchObject({
      name: 'generate_stream',
      attributes: { queue_time: rustDuration(tgi.times.queueNs), seed: 'None' },
    });
    await engine!.close();
    spans.length = 0;
    const { times, text } = await play('tensorrt-llm', 'chat', { onSpans });
    expect(spans[1]!.attributes).toMatchObject({
      'gen_ai.latency.time_in_queue': times.queueNs / 1e9,
      'gen_ai.latency.kv_cache_transfer_time': -1,
      'gen_ai.request.id': '2',
    });
    expect(eventsOf(text)[0]!['id']).toBe('chatcmpl-2');
  });

  test('are not made for a caller that does not sample, nor when switched off', async () => {
    const spans: EngineSpan[] = [];
    const onSpans = (made: readonly EngineSpan[]): number => spans.push(...made);
    await start({ persona: 'vllm', onSpans });
    const body = JSON.stringify({ model: 'm', messages: [{ content: 'x' }], max_tokens: 1 });
    const url = `${engine!.url}/v1/chat/completions`;
    await sendRequest({ url, body, headers: { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` } });
    expect(spans).toEqual([]);
    await sendRequest({ url, body, headers: { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` } });
    expect(spans).toMatchObject([{ traceId: TRACE_ID, parentSpanId: PARENT_ID }]);
    await engine!.close();
    await play('vllm', 'chat', { onSpans, signals: { spans: false } });
    expect(spans).toHaveLength(1);
  });

  test('leave as OTLP over HTTP, in JSON and in protobuf', async () => {
    catcher = await OtlpCatcher.start();
    catcher.keepsBodies = true;
    for (const form of ['http/json', 'http/protobuf'] as const) {
      const exporter = exportEngineSpans(form, catcher.url);
      const { times } = await play('vllm', 'chat', { onSpans: exporter.onSpans });
      await exporter.stop();
      expect(exporter.failures).toEqual([]);
      await engine!.close();
      if (form === 'http/protobuf') continue;
      const told = catcher.spans.map(({ attributes }) => plainAttributes(attributes));
      expect(told.map((attributes) => attributes['gen_ai.latency.time_in_queue'])).toContain(times.queueNs / 1e9);
    }
    const binary = catcher.bodies.filter(({ contentType }) => contentType === 'application/x-protobuf');
    expect(binary.flatMap(({ bytes }) => readTraceRequest(bytes)).map(({ name }) => name)).toEqual([
      'llm_request',
      'llm_request',
    ]);
  });

  test('Rust writes the largest unit of which there is one', () => {
    expect([12, 1_500, 12_300_000, 2_500_000_000].map((ns) => rustDuration(ns))).toEqual([
      '12ns',
      '1.5µs',
      '12.3ms',
      '2.5s',
    ]);
  });
});

describe('the page of metrics', () => {
  test.each([
    ['vllm', 'chat', '/metrics', 'vllm:request_queue_time_seconds', 'vllm:request_prefill_time_seconds'],
    ['sglang', 'chat', '/metrics', 'sglang:queue_time_seconds', 'sglang:per_stage_req_latency_seconds'],
    ['lmdeploy', 'chat', '/metrics', 'lmdeploy:request_queue_time_seconds', 'lmdeploy:request_prefill_time_seconds'],
    [
      'tensorrt-llm',
      'chat',
      '/prometheus/metrics',
      'trtllm_request_queue_time_seconds',
      'trtllm_request_prefill_time_seconds',
    ],
    ['tgi', 'chat', '/metrics', 'tgi_request_queue_duration', undefined],
  ] as const)('%s: sums over all requests', async (persona, route, path, queue, prefill) => {
    await play(persona, route);
    const moments = [momentsOf(truthOf('first')), momentsOf(truthOf('b'))];
    const samples = await samplesAt(path);
    const queueNs = moments.reduce((sum, one) => sum + one.prefillAtNs - one.submittedAtNs, 0);
    expect(valueOf(samples, `${queue}_count`)).toBe(2);
    expect(valueOf(samples, `${queue}_sum`)).toBeCloseTo(queueNs / 1e9, 8);
    if (prefill === undefined) return;
    const prefillNs = moments.reduce((sum, one) => sum + one.firstTokenAtNs - one.prefillAtNs, 0);
    expect(valueOf(samples, `${prefill}_sum`)).toBeCloseTo(prefillNs / 1e9, 8);
  });

  test('counts buckets upward, and an observation once', async () => {
    await play('vllm', 'chat');
    const buckets = (await samplesAt('/metrics')).filter(
      ({ name }) => name === 'vllm:inter_token_latency_seconds_bucket',
    );
    const counts = buckets.map(({ value }) => value);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(FIRST_TOKENS - 1 + PARTS.maxTokens - 1);
  });

  test.each([
    ['llamacpp', '/metrics', 'llamacpp:requests_deferred', 'llamacpp:requests_processing'],
    ['vllm-rust', '/metrics', 'vllm:num_requests_waiting', 'vllm:num_requests_running'],
    ['sglang', '/metrics', 'sglang:num_queue_reqs', 'sglang:num_running_reqs'],
    ['tgi', '/metrics', 'tgi_queue_size', 'tgi_batch_current_size'],
  ] as const)('%s: who waits and who runs, right now', async (persona, path, waiting, running) => {
    await start({
      persona,
      model: { maxRunning: 1, stepTokens: 64, stepBaseNs: 2e7, decodeNs: 0, contextNs: 0, prefillNs: 0 },
    });
    const both = [send(persona, 'chat', 'a'), send(persona, 'chat', 'b')];
    await until(() => engine!.stats().waitingCount === 1);
    const samples = await samplesAt(path);
    expect([valueOf(samples, waiting), valueOf(samples, running)]).toEqual([1, 1]);
    await Promise.all(both);
  });

  test('is not there when switched off, nor where an engine has none', async () => {
    await start({ persona: 'vllm', signals: { metrics: false } });
    expect(await get('/metrics')).toContain('There is no such path');
    await engine!.close();
    await start({ persona: 'ollama' });
    expect(await get('/metrics')).toContain('There is no such path');
  });
});

describe("TensorRT-LLM's list of finished requests", () => {
  test('has the moments of each, and is empty once it was read', async () => {
    const { truth } = await play('tensorrt-llm', 'chat');
    const entries = JSON.parse(await get('/perf_metrics')) as { request_id: number; perf_metrics: object }[];
    expect(entries.map(({ request_id: id }) => id)).toEqual([1, 2]);
    const { arrivedAtNs, submittedAtNs, prefillAtNs, firstTokenAtNs, lastTokenAtNs } = momentsOf(truth);
    expect(entries[1]!.perf_metrics).toMatchObject({
      timing_metrics: {
        server_arrival_time: arrivedAtNs / 1e9,
        arrival_time: submittedAtNs / 1e9,
        first_scheduled_time: prefillAtNs / 1e9,
        first_token_time: firstTokenAtNs / 1e9,
        last_token_time: lastTokenAtNs / 1e9,
      },
    });
    expect(JSON.parse(await get('/perf_metrics'))).toEqual([]);
  });

  test('is not there when switched off', async () => {
    await start({ persona: 'tensorrt-llm', signals: { perfMetrics: false } });
    expect(await get('/perf_metrics')).toContain('There is no such path');
  });
});

describe('the prefix cache', () => {
  test('spares what prompts have in common, and usage says how much', async () => {
    const prefixCache = { blockTokens: 10, maxBlocks: 100 };
    const model = {
      maxRunning: 1,
      stepTokens: 512,
      stepBaseNs: 1e6,
      decodeNs: 0,
      contextNs: 0,
      prefillNs: 1e5,
      prefixCache,
    };
    await start({ persona: 'vllm', model });
    // 100 tokens: the second time all blocks are known, and only the last token is computed.
    await send('vllm', 'chat', 'a');
    const again = eventsOf(textOf(await send('vllm', 'chat', 'b')));
    expect(again.at(-1)!['usage'].prompt_tokens_details).toEqual({ cached_tokens: 99 });
    const lengthOf = (id: string): number => truthOf(id).tokenAtNs[0]! - truthOf(id).prefillAtNs!;
    expect([lengthOf('a'), lengthOf('b')]).toEqual([11e6, 1.1e6]);
    expect(truthOf('b').cachedTokens).toBe(99);
  });
});

describe('noise', () => {
  test('makes steps differ by up to its ratio, the same with the same seed', async () => {
    const model = {
      maxRunning: 1,
      stepTokens: 512,
      stepBaseNs: 1e6,
      decodeNs: 0,
      contextNs: 0,
      prefillNs: 0,
      noiseRatio: 0.1,
    };
    const runs: number[][] = [];
    for (let run = 0; run < 2; run += 1) {
      await start({ model, seed: 3 });
      const body = JSON.stringify({ model: 'm', messages: [{ content: 'x' }], max_tokens: 20, stream: true });
      await sendRequest({ url: `${engine!.url}/v1/chat/completions`, body, headers: { 'x-request-id': 'a' } });
      const { tokenAtNs } = truthOf('a');
      runs.push(tokenAtNs.slice(1).map((atNs, index) => atNs - tokenAtNs[index]!));
      await engine!.close();
    }
    expect(runs[0]).toEqual(runs[1]);
    expect(new Set(runs[0]).size).toBeGreaterThan(10);
    for (const lengthNs of runs[0]!) {
      expect(lengthNs).toBeGreaterThanOrEqual(900_000);
      expect(lengthNs).toBeLessThanOrEqual(1_100_000);
    }
  });
});
