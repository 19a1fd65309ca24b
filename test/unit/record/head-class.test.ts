// Goal: what a head's arrival may be taken for, by engine, route and build. Method: the table's own cases
// and both sides of each border.
import { describe, expect, it } from 'vitest';
import { headClassOf, isSurelyEarly } from '../../../src/record/head-class.ts';
import type { EngineFacts, EngineName } from '../../../src/record/engines.ts';

const engine = (name: EngineName, version?: string): EngineFacts => ({
  name,
  by: 'body',
  ...(version === undefined ? {} : { version }),
});

describe('head class', () => {
  it.each([
    ['vllm', 'openai-chat', 'early'],
    ['vllm', 'anthropic-messages', 'early'],
    ['vllm', 'vllm-generate', 'early'],
    ['sglang', 'openai-chat', 'first_token'],
    ['sglang', 'openai-completions', 'first_token'],
    ['sglang', 'sglang-generate', 'early'],
    ['sglang', 'ollama', 'early'],
    ['sglang', 'openai-responses', undefined],
    ['tgi', 'tgi-generate', 'early'],
    ['ollama', 'ollama', 'first_token'],
    ['ollama', 'openai-chat', 'first_token'],
    ['tensorrt-llm', 'openai-chat', 'early'],
    ['triton', 'triton-generate', 'first_token'],
    ['triton', 'openai-chat', 'early'],
    ['dynamo', 'openai-chat', 'early'],
    ['lmdeploy', 'sglang-generate', 'early'],
    ['kserve', 'openai-chat', 'early'],
    ['fireworks', 'openai-chat', 'first_token'],
    ['deepseek', 'openai-chat', 'early'],
    ['openrouter', 'openai-chat', 'early'],
    ['openai', 'openai-chat', undefined],
    ['nim', 'openai-chat', undefined],
  ] as const)('of %s on %s is %s', (name, dialect, expected) => {
    expect(headClassOf(engine(name), dialect)).toBe(expected);
  });

  it.each([
    ['b10573', 'slot_start'],
    ['b9428', 'slot_start'],
    ['b9427', 'first_token'],
    ['b6850', 'first_token'],
    ['b6849', undefined],
    ['b6601', undefined],
    ['b6600', 'early'],
    ['b4000-1a2b3c4', 'early'],
    ['10573', undefined],
    ['b', undefined],
    ['b99999999999999999999', undefined],
    [undefined, undefined],
  ])('of llama.cpp %s is %s', (version, expected) => {
    expect(headClassOf(engine('llama.cpp', version), 'llamacpp-completion')).toBe(expected);
    expect(headClassOf(engine('llama.cpp', version), 'openai-chat')).toBe(expected);
  });

  it('of nobody is unknown', () => {
    expect(headClassOf(undefined, 'openai-chat')).toBeUndefined();
    expect(headClassOf(engine('sglang'), 'constructor')).toBeUndefined();
  });
});

describe('whether an engine is sure to send its head early', () => {
  it.each([
    [engine('vllm'), 'openai-chat', true],
    [engine('tensorrt-llm'), 'openai-chat', true],
    [engine('sglang'), 'sglang-generate', true],
    [engine('sglang'), 'openai-chat', false],
    // Its own stream's shape is offered by others.
    [engine('tgi'), 'tgi-generate', false],
    [engine('tgi', '3.3.4'), 'openai-chat', true],
    [{ name: 'tgi', by: 'metrics' } as const, 'openai-chat', true],
    [engine('dynamo'), 'openai-chat', false],
    [engine('openrouter'), 'openai-chat', false],
    [undefined, 'openai-chat', false],
  ])('%o on %s: %s', (facts, dialect, expected) => {
    expect(isSurelyEarly(facts, dialect)).toBe(expected);
  });
});
