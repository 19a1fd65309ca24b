// Goal: completions streams are read as their own dialect, and dialects are chosen by path and shape.
// Method: exact events and names of dialects.
import { describe, expect, it } from 'vitest';
import { DONE, data, delta, readAll } from './read-all.ts';

const at = (path: string) => ({ hints: { method: 'POST', path } });
const text = (content: string, more: object = {}) =>
  data({ object: 'text_completion', choices: [{ index: 0, text: content, finish_reason: null, ...more }] });

describe('completions', () => {
  it('counts text as a fragment and empty text as none', () => {
    const told = readAll([text('a'), text('', { token_ids: [1] }), text('', { finish_reason: 'stop' }), DONE]);
    expect(told.events).toEqual([
      { kind: 'content', generated: ['text'] },
      { kind: 'other' },
      { kind: 'finish' },
      { kind: 'done' },
    ]);
    expect(told.facts).toMatchObject({ dialect: 'openai-completions', terminal: true, finishReasons: ['stop'] });
  });

  it('counts tokens by ids and by logprobs', () => {
    expect(readAll([text('a', { token_ids: [1, 2] })]).tokens).toEqual({ output: 2, basis: 'token_ids' });
    const logprobs = { tokens: ['a', 'b', 'c'], token_logprobs: [-1, -1, -1] };
    expect(readAll([text('abc', { logprobs })]).tokens).toEqual({ output: 3, basis: 'logprobs' });
  });

  it('is terminal by finish as well, with a doubt', () => {
    const told = readAll([text('a', { finish_reason: 'length' })], at('/v1/completions'));
    expect(told.facts.terminal).toBe(true);
    expect(told.doubts).toEqual(['no_done']);
  });
});

describe('choice of a dialect', () => {
  it.each([
    ['/v1/chat/completions', 'openai-chat'],
    ['/openai/deployments/d/chat/completions', 'openai-chat'],
    ['/chat/completions/', 'openai-chat'],
    ['/v1/completions', 'openai-completions'],
    ['/v1/engines/e/completions', 'openai-completions'],
    ['/openai/v1/completions', 'openai-completions'],
    ['/completions', 'llamacpp-completion'],
    ['/completion', 'llamacpp-completion'],
    ['/infill', 'llamacpp-completion'],
    ['/api/chat', 'ollama'],
    ['/api/generate', 'ollama'],
    ['/generate_stream', 'tgi-generate'],
    ['/generate', 'sglang-generate'],
    ['/vertex_generate', 'sglang-generate'],
    ['/inference/v1/generate', 'vllm-generate'],
    ['/v2/models/m/generate_stream', 'triton-generate'],
    ['/v2/models/m/versions/2/generate', 'triton-generate'],
    ['/v2/models/m/infer', 'opaque'],
    ['/', 'opaque'],
    ['/v1/embeddings', 'opaque'],
  ])('expects by the path %s %s', (path, dialect) => {
    expect(readAll([], at(path)).facts.dialect).toBe(dialect);
  });

  it.each([
    ['a chat chunk', delta({ content: 'a' }), 'openai-chat'],
    ['an empty chat chunk', data({ object: 'chat.completion.chunk', choices: [] }), 'openai-chat'],
    ['a text choice', data({ choices: [{ text: '' }] }), 'openai-completions'],
    ['text beside a delta', data({ choices: [{ text: 'a', delta: { content: 'a' } }] }), 'openai-chat'],
    ['an event of llama.cpp itself', data({ content: 'a', stop: false }), 'llamacpp-completion'],
    ['a line of Ollama', data({ response: '', done: false }), 'ollama'],
    ['progress of a pull', data({ status: 'pulling manifest' }), 'opaque'],
    ['a token of TGI', data({ token: { id: 1, text: 'a' }, generated_text: null }), 'tgi-generate'],
    ['an event with meta_info', data({ text: '', meta_info: {} }), 'sglang-generate'],
    ['an output of Triton', data({ model_name: 'm', text_output: '' }), 'triton-generate'],
    ['a tensor of Triton', data({ model_name: 'm', outputs: [] }), 'opaque'],
    ['anything else', data({ content: 'a', stop: 'no' }), 'opaque'],
  ])('takes %s for what it is, on any path', (_, body, dialect) => {
    expect(readAll([body], at('/custom')).facts.dialect).toBe(dialect);
  });

  it('believes the answer more than the path, once', () => {
    const told = readAll([text('a'), delta({ content: 'b' })]);
    expect(told.facts.dialect).toBe('openai-completions');
    expect(told.events.map((event) => event.kind)).toEqual(['content', 'other']);
  });

  it('promises nothing outside every dialect: no parse error, terminal by an end mark only', () => {
    const told = readAll(['data: not json\n\n', data({ content: 'a' }), DONE], at('/custom'));
    expect(told.events.map((event) => event.kind)).toEqual(['other', 'other', 'done']);
    expect(told.doubts).toEqual([]);
    expect(told.facts).toMatchObject({ dialect: 'opaque', terminal: true });
    expect(readAll([data({ content: 'a' })], at('/custom')).facts.terminal).toBe(false);
  });
});
