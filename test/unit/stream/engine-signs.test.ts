// Goal: an engine is told by what only it shows, with its version where it says so, and never by a shape
// that others have. Method: one message or head an engine, signs that compete, near misses.
import { describe, expect, it } from 'vitest';
import { engineInHead, signInMessage } from '../../../src/stream/engine-signs.ts';
import { EngineWords } from '../../../src/stream/engine-words.ts';
import type { JsonObject } from '../../../src/stream/json-value.ts';

const chat = { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'a' } }] };

describe('a message shows', () => {
  it.each<[string, JsonObject, string | undefined]>([
    ['vllm', { ...chat, system_fingerprint: 'vllm-0.32.0-1a2b3c4d' }, '0.32.0'],
    ['vllm', { ...chat, system_fingerprint: 'vllm-0.28.1.dev12+g1a2b3c-tp2-ep-nohash' }, '0.28.1.dev12+g1a2b3c'],
    ['vllm', { ...chat, metrics: { queue_time_ms: null } }, undefined],
    ['llama.cpp', { ...chat, system_fingerprint: 'b11434-sdist', timings: { prompt_ms: 1 } }, 'b11434'],
    ['vllm', { ...chat, metrics: { queue_time_ms: null, time_to_first_token_ms: 5 } }, undefined],
    ['sglang', { text: 'a', meta_info: { queue_time: 0.5 } }, undefined],
    ['vllm', { type: 'response.completed', response: { metrics: { queue_time_ms: 1 } } }, undefined],
    ['groq', { x_groq: {}, response: { created_at: 'a', done: true } }, undefined],
    ['llama.cpp', { content: 'a', timings: { prompt_ms: 1 } }, undefined],
    ['ollama', { ...chat, system_fingerprint: 'fp_ollama' }, undefined],
    ['ollama', { model: 'm', created_at: '2026-01-01T00:00:00Z', done: false }, undefined],
    ['tgi', { ...chat, system_fingerprint: '3.3.7-sha-db931fc' }, '3.3.7'],
    ['tgi', { ...chat, system_fingerprint: '3.3.7-dev0-native' }, '3.3.7-dev0'],
    ['tgi', { index: 1, token: { id: 5, text: 'a', special: false } }, undefined],
    ['sglang', { text: 'a', meta_info: { weight_version: 'default' } }, undefined],
    ['sglang', { text: 'a', meta_info: { id: 'x' } }, undefined],
    ['sglang', { choices: [{ index: 0, delta: {}, matched_stop: null }] }, undefined],
    ['sglang', { choices: [], sglext: {} }, undefined],
    ['tensorrt-llm', { choices: [{ index: 0, delta: {}, avg_decoded_tokens_per_iter: null }] }, undefined],
    ['triton', { model_name: 'm', model_version: '1', text_output: 'a' }, undefined],
    ['dynamo', { ...chat, nvext: { worker_id: {} } }, undefined],
    ['nim', { ...chat, stats: { type: 'NIM LLM Model Stats' }, nvext: {} }, undefined],
    ['groq', { ...chat, system_fingerprint: 'fp_93b5f9e564', x_groq: { id: 'req_1' } }, undefined],
    ['cerebras', { ...chat, time_info: {} }, undefined],
    ['fireworks', { ...chat, perf_metrics: {} }, undefined],
    ['azure-openai', { choices: [], prompt_filter_results: [] }, undefined],
    ['azure-openai', { choices: [], usage: { latency_checkpoint: {} } }, undefined],
    ['bedrock', { type: 'message_stop', 'amazon-bedrock-invocationMetrics': {} }, undefined],
    ['bedrock', { usage: {}, metrics: { latencyMs: 5 } }, undefined],
    ['deepseek', { ...chat, usage: { prompt_cache_hit_tokens: 0 } }, undefined],
    ['together', { choices: [{ index: 0, delta: { content: 'a', token_id: 5 } }] }, undefined],
    ['gemini', { candidates: [], modelVersion: 'gemini-3-flash' }, undefined],
    ['openrouter', { ...chat, id: 'gen-17', provider: 'Groq', x_groq: {}, system_fingerprint: 'b9500-a' }, undefined],
    ['openrouter', { ...chat, provider: 'Groq' }, undefined],
    ['groq', { ...chat, provider: 'x', x_groq: {} }, undefined],
  ])('%s in %j', (name, message, version) => {
    const shown = signInMessage(message)?.engine;
    expect(shown).toEqual({ name, by: 'body', ...(version === undefined ? {} : { version }) });
  });

  it.each<JsonObject>([
    chat,
    { ...chat, system_fingerprint: 'fp_44709d6fcb', service_tier: 'default', obfuscation: 'x' },
    { ...chat, system_fingerprint: null },
    { ...chat, system_fingerprint: 'my-own-build' },
    { ...chat, system_fingerprint: 'b12' },
    { ...chat, system_fingerprint: '1.2.3-rc1' },
    { ...chat, timings: 'soon', metrics: {}, stats: { type: 'other' }, usage: {}, provider: '', nvext: null },
    { ...chat, metrics: { time_to_first_token_ms: 5, tokens_per_second: 40 } },
    { type: 'message_start', message: { id: 'msg_01', model: 'claude' } },
    { done: true, created_at: 5 },
    { text_output: 'a' },
    { token: 'a', modelVersion: 'x', choices: [null] },
    { response: { response: { timings: {} } } },
  ])('nobody in %j', (message) => {
    expect(signInMessage(message)).toBeUndefined();
  });
});

describe('a head shows', () => {
  it.each([
    [['Server', 'llama.cpp'], 'llama.cpp'],
    [['x-groq-region', 'fra'], 'groq'],
    [['X-Generation-Id', 'gen-1'], 'openrouter'],
    [['x-amzn-requestid', 'a', 'X-Amzn-Bedrock-Content-Type', 'application/json'], 'bedrock'],
    [['openai-processing-ms', '5', 'apim-request-id', 'a'], 'azure-openai'],
    [['x-ms-region', 'East US'], 'azure-openai'],
    [['openai-processing-ms', '5', 'openai-version', '2020-10-01'], 'openai'],
    [['request-id', 'req_011CQ'], 'anthropic'],
    [['anthropic-ratelimit-tokens-limit', '1'], 'anthropic'],
    [['mistral-correlation-id', 'a'], 'mistral'],
    [['x-ds-trace-id', 'a'], 'deepseek'],
    [['x-endpoint-monthly-call-limit', '1000'], 'cohere'],
    [['x-compute-type', '1-nvidia-a10g'], 'tgi'],
    [['server-timing', 'gfet4t7; dur=51'], 'gemini'],
    [['Fireworks-Prompt-Tokens', '5'], 'fireworks'],
    [['nvcf-reqid', 'a'], 'nim'],
  ])('in %j the engine %s', (fields, name) => {
    expect(engineInHead(fields)).toEqual({ name, by: 'head' });
  });

  it.each([
    [['server', 'uvicorn', 'x-request-id', 'a', 'request-id', '5']],
    [['x-amzn-requestid', 'a', 'server-timing', 'db;dur=5']],
    [[]],
  ])('nobody in %j', (fields) => {
    expect(engineInHead(fields)).toBeUndefined();
  });
});

describe('an answer', () => {
  const told = (fields: string[], messages: JsonObject[], configured?: 'vllm'): EngineWords => {
    const words = new EngineWords(configured, fields);
    for (const message of messages) words.noteMessage(message);
    return words;
  };
  const imitated = { created_at: '2026-01-01', done: false };
  const own = { ...chat, x_groq: { usage: { queue_time: 0.5 } } };

  it('is judged by its body before its head, but by an imitated shape after it', () => {
    expect(told(['x-compute-type', 'cpu'], [own]).engine()).toEqual({ name: 'groq', by: 'body' });
    expect(told(['x-compute-type', 'cpu'], [imitated]).engine()).toEqual({ name: 'tgi', by: 'head' });
    expect(told([], [imitated]).engine()).toEqual({ name: 'ollama', by: 'body' });
    expect(told([], [chat]).engine()).toBeUndefined();
  });

  it('keeps a sure sign against later ones, and an imitated shape only until a surer one', () => {
    expect(told([], [imitated, own, { timings: {} }]).engine()).toEqual({ name: 'groq', by: 'body' });
    expect(told([], [imitated, { meta_info: {} }]).engine()).toEqual({ name: 'ollama', by: 'body' });
  });

  it('is of the configured engine, with the version that this engine shows', () => {
    const message = { ...chat, system_fingerprint: 'vllm-0.32.0-1a2b3c4d' };
    expect(told([], [message], 'vllm').engine()).toEqual({ name: 'vllm', by: 'configured', version: '0.32.0' });
    expect(told([], [own], 'vllm').engine()).toEqual({ name: 'vllm', by: 'configured' });
  });

  it('states the last number of each field, at most 64 of them, and nothing when nothing was said', () => {
    expect(told([], [chat]).statements()).toBeUndefined();
    const twice = told(['x-queue-time', '5'], [{ timings: { a: 1 } }, { timings: { a: 2 } }]);
    expect(twice.statements()).toEqual({ 'head.x-queue-time': 5, 'timings.a': 2 });
    const flood = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index]));
    const full = told([], [{ timings: flood }, { timings: { k0: 7, late: 1 } }]).statements() ?? {};
    expect(Object.keys(full)).toHaveLength(64);
    expect(full['timings.k0']).toBe(7);
  });
});
