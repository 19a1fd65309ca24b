// Goal: every place in which an engine states its times is read, and nothing else is. Method: one message
// an engine, as published or captured, and messages that only look alike.
import { describe, expect, it } from 'vitest';
import { decimalOf, noteStatements } from '../../../src/stream/statements.ts';
import type { JsonObject } from '../../../src/stream/json-value.ts';

function statedIn(message: JsonObject): Record<string, number> {
  const stated: Record<string, number> = {};
  noteStatements(message, (path, value) => (stated[path] = value));
  return stated;
}

describe('statements of a message', () => {
  it.each<[string, JsonObject, Record<string, number>]>([
    [
      'vLLM, null where it does not know',
      { choices: [], metrics: { queue_time_ms: 12.5, time_to_first_token_ms: 85, mean_itl_ms: null } },
      { 'metrics.queue_time_ms': 12.5, 'metrics.time_to_first_token_ms': 85 },
    ],
    [
      'llama.cpp',
      {
        timings: { cache_n: 0, prompt_ms: 365.709, predicted_ms: 33.6 },
        prompt_progress: { processed: 8, time_ms: 4 },
      },
      {
        'timings.cache_n': 0,
        'timings.prompt_ms': 365.709,
        'timings.predicted_ms': 33.6,
        'prompt_progress.processed': 8,
        'prompt_progress.time_ms': 4,
      },
    ],
    [
      'Ollama',
      {
        done: true,
        total_duration: 9,
        load_duration: 1,
        prompt_eval_count: 7,
        prompt_eval_duration: 2,
        eval_duration: 5,
      },
      { total_duration: 9, load_duration: 1, prompt_eval_duration: 2, eval_duration: 5 },
    ],
    [
      'SGLang, histograms left out',
      { meta_info: { id: 'x', queue_time: 0.25, num_retractions: 0, spec_accept_histogram: [1, 2] } },
      { 'meta_info.queue_time': 0.25, 'meta_info.num_retractions': 0 },
    ],
    ['SGLang with one request in a list', { meta_info: [{ queue_time: 0.5 }] }, { 'meta_info.queue_time': 0.5 }],
    ['SGLang with two requests in a list', { meta_info: [{ queue_time: 0.5 }, { queue_time: 0.7 }] }, {}],
    [
      'SGLang on OpenAI routes',
      { choices: [], sglext: { spec_tokens_details: { spec_verify_ct: 3 } } },
      { 'sglext.spec_tokens_details.spec_verify_ct': 3 },
    ],
    [
      'Groq in a stream',
      { x_groq: { id: 'req_1', usage: { queue_time: 0.02, prompt_time: 0.008 } } },
      { 'x_groq.usage.queue_time': 0.02, 'x_groq.usage.prompt_time': 0.008 },
    ],
    [
      'Groq in one piece, counts left out',
      { usage: { queue_time: 0.02, prompt_time: 0.01, completion_time: 0.3, total_time: 0.31, prompt_tokens: 4 } },
      { 'usage.queue_time': 0.02, 'usage.prompt_time': 0.01, 'usage.completion_time': 0.3, 'usage.total_time': 0.31 },
    ],
    ['Cerebras', { time_info: { queue_time: 0.0018 } }, { 'time_info.queue_time': 0.0018 }],
    [
      'Fireworks, numbers as texts',
      { perf_metrics: { 'prefill-duration': '0.250', 'prompt-tokens': 12, 'backend-host': 'h1', deployment: '12 ms' } },
      { 'perf_metrics.prefill-duration': 0.25, 'perf_metrics.prompt-tokens': 12 },
    ],
    [
      'Azure',
      { usage: { latency_checkpoint: { pre_inference_ms: 85, engine_ttft_ms: 25 } } },
      { 'usage.latency_checkpoint.pre_inference_ms': 85, 'usage.latency_checkpoint.engine_ttft_ms': 25 },
    ],
    [
      'Azure under its tier',
      { usage: { service_tier_details: { latency_checkpoint: { engine_ttft_ms: 25 } } } },
      { 'usage.service_tier_details.latency_checkpoint.engine_ttft_ms': 25 },
    ],
    [
      'Dynamo',
      { nvext: { timing: { ttft_ms: 4.5 }, worker_id: { prefill_worker_id: 3 } } },
      { 'nvext.timing.ttft_ms': 4.5 },
    ],
    [
      'NIM',
      { stats: { type: 'NIM LLM Model Stats', time_in_queue_in_ms: 10, response_tokens: { tokens_per_second: 80 } } },
      { 'stats.time_in_queue_in_ms': 10, 'stats.response_tokens.tokens_per_second': 80 },
    ],
    [
      'LocalAI and TabbyAPI',
      { usage: { timing_prompt_processing: 3, timing_token_generation: 4, prompt_tokens_per_sec: 5 } },
      { 'usage.timing_prompt_processing': 3, 'usage.timing_token_generation': 4, 'usage.prompt_tokens_per_sec': 5 },
    ],
    ['Bedrock Converse', { metrics: { latencyMs: 843 }, usage: {} }, { 'metrics.latencyMs': 843 }],
    [
      'Bedrock InvokeModel',
      { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { firstByteLatency: 329 } },
      { 'amazon-bedrock-invocationMetrics.firstByteLatency': 329 },
    ],
    [
      'TensorRT-LLM in either place',
      { choices: [{ avg_decoded_tokens_per_iter: 2.5 }], usage: { avg_decoded_tokens_per_iter: 2.5 } },
      { 'choices.avg_decoded_tokens_per_iter': 2.5, 'usage.avg_decoded_tokens_per_iter': 2.5 },
    ],
    [
      'what the Responses API wraps',
      { type: 'response.completed', response: { timings: { prompt_ms: 3 }, usage: { total_tokens: 1 } } },
      { 'response.timings.prompt_ms': 3 },
    ],
  ])('are those of %s', (_, message, expected) => {
    expect(statedIn(message)).toEqual(expected);
  });

  it.each<[string, JsonObject]>([
    ['a usual delta', { id: 'c', choices: [{ index: 0, delta: { content: 'a' } }], usage: null }],
    ['numbers that JSON cannot hold', { timings: { prompt_ms: Number.POSITIVE_INFINITY, predicted_ms: Number.NaN } }],
    ['other types', { timings: 'soon', metrics: [1, 2], usage: 7, x_groq: null, choices: [null], nvext: true }],
    ['texts where only Fireworks writes texts', { timings: { prompt_ms: '3' } }],
    ['a response in a response', { response: { response: { timings: { prompt_ms: 3 } } } }],
  ])('are none in %s', (_, message) => {
    expect(statedIn(message)).toEqual({});
  });

  it('stay bounded in number and length whatever is sent', () => {
    const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${'k'.repeat(200)}${i}`, i]));
    const stated = statedIn({ timings: flood, metrics: flood });
    expect(Object.keys(stated).length).toBeLessThanOrEqual(512);
    expect(Math.max(...Object.keys(stated).map((path) => path.length))).toBe(64);
  });
});

describe('plain decimals', () => {
  it.each([
    ['0.250', 0.25],
    [' 12 ', 12],
    ['-1', -1],
    ['', undefined],
    ['12ms', undefined],
    ['1e5', undefined],
    ['.5', undefined],
    ['0x10', undefined],
    ['1'.repeat(21), undefined],
    ['NaN', undefined],
  ])('%j is %s', (text, expected) => {
    expect(decimalOf(text)).toBe(expected);
  });
});
