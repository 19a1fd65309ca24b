// Goal: an engine that showed itself once is known in later answers of the same route and model.
import { expect, it } from 'vitest';
import { ENGINE_MEMORY_MAX_COUNT } from '../../../src/base/limits.ts';
import { EngineMemory } from '../../../src/observe/engine-memory.ts';

const VLLM = { name: 'vllm', by: 'body', version: '0.28.0' } as const;

it('says what this answer showed', () => {
  expect(new EngineMemory(() => 'sglang').recall('r', 'm', VLLM)).toEqual(VLLM);
});

it('remembers it for the same route and model only', () => {
  const memory = new EngineMemory(() => undefined);
  memory.recall('r', 'm', VLLM);
  expect(memory.recall('r', 'm', undefined)).toEqual({ name: 'vllm', by: 'earlier', version: '0.28.0' });
  expect(memory.recall('r', 'other', undefined)).toBeUndefined();
  expect(memory.recall('other', 'm', undefined)).toBeUndefined();
});

it('forgets an engine when another showed itself', () => {
  const memory = new EngineMemory(() => undefined);
  memory.recall('r', 'm', VLLM);
  memory.recall('r', 'm', { name: 'sglang', by: 'body' });
  expect(memory.recall('r', 'm', undefined)).toEqual({ name: 'sglang', by: 'earlier' });
});

it('keeps the version over answers that tell only the name', () => {
  const memory = new EngineMemory(() => undefined);
  memory.recall('r', 'm', VLLM);
  const named = { name: 'vllm', by: 'head', version: '0.28.0' } as const;
  expect(memory.recall('r', 'm', { name: 'vllm', by: 'head' })).toEqual(named);
  expect(memory.recall('r', 'm', { name: 'vllm', by: 'head' })).toEqual(named);
  expect(memory.recall('r', 'm', { name: 'sglang', by: 'head' })).toEqual({ name: 'sglang', by: 'head' });
});

it('takes the metrics for it last', () => {
  const memory = new EngineMemory((route) => (route === 'r' ? 'lmdeploy' : undefined));
  expect(memory.recall('r', 'm', undefined)).toEqual({ name: 'lmdeploy', by: 'metrics' });
  memory.recall('r', 'm', VLLM);
  expect(memory.recall('r', 'm', undefined)?.by).toBe('earlier');
});

it('keeps a bounded number', () => {
  const memory = new EngineMemory(() => undefined);
  for (let index = 0; index <= ENGINE_MEMORY_MAX_COUNT; index += 1) memory.recall('r', `m${index}`, VLLM);
  expect(memory.recall('r', 'm0', undefined)).toBeUndefined();
  expect(memory.recall('r', 'm1', undefined)?.name).toBe('vllm');
});

it('forgets a route that leads elsewhere, and no other', () => {
  const memory = new EngineMemory(() => undefined);
  for (const route of ['r', 'r2']) for (const model of ['m', undefined]) memory.recall(route, model, VLLM);
  memory.forget('r');
  expect([memory.recall('r', 'm', undefined), memory.recall('r', undefined, undefined)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(memory.recall('r2', 'm', undefined)?.name).toBe('vllm');
});
