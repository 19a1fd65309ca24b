// Goal: what is a token on a chat stream and what is not, in every shape that engines send.
// Method: one chunk a case, exact kind and channels; whole streams for finish, usage and counts.
import { describe, expect, it } from 'vitest';
import { DONE, data, delta, kinds, readAll } from './read-all.ts';

const chunk = (fields: object) => readAll([data(fields)]).events[0];
const ofDelta = (fields: unknown) => readAll([delta(fields)]).events[0];

describe('a chat chunk', () => {
  it.each([
    ['text', { content: 'a' }, 'content', ['text']],
    ['text with a repeated role', { role: 'assistant', content: 'a' }, 'content', ['text']],
    ['reasoning', { reasoning: 'r', content: null }, 'reasoning', ['reasoning']],
    ['reasoning under its older name', { reasoning_content: 'r', content: '' }, 'reasoning', ['reasoning']],
    ['text and reasoning', { reasoning: 'r', content: 'a' }, 'content', ['text', 'reasoning']],
    ['a tool name', { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] }, 'tool', ['tool']],
    ['tool arguments', { tool_calls: [{ index: 0, function: { arguments: '{' } }] }, 'tool', ['tool']],
    ['tool arguments as an object', { tool_calls: [{ function: { arguments: {} } }] }, 'tool', ['tool']],
    ['a single tool call', { tool_calls: { index: 0, function: { arguments: '{' } } }, 'tool', ['tool']],
    ['input of a custom tool', { tool_calls: [{ custom: { input: 'x' } }] }, 'tool', ['tool']],
    ['a legacy function call', { function_call: { name: 'f' } }, 'tool', ['tool']],
    ['a refusal', { refusal: 'I cannot' }, 'refusal', ['refusal']],
    ['audio data', { audio: { id: 'a', data: 'AAAA' } }, 'media', ['audio']],
    ['an audio transcript', { audio: { transcript: 'hello' } }, 'media', ['audio']],
    ['images', { images: [{ type: 'image_url', image_url: { url: 'data:' } }] }, 'media', ['image']],
    ['text parts', { content: [{ type: 'text', text: 'a' }] }, 'content', ['text']],
    ['bare text parts', { content: ['a'] }, 'content', ['text']],
    ['a thinking part', { content: [{ type: 'thinking', thinking: [{ text: 'r' }] }] }, 'reasoning', ['reasoning']],
    ['a thinking text', { content: [{ type: 'thinking', thinking: 'r' }] }, 'reasoning', ['reasoning']],
    ['a refusal part', { content: [{ type: 'refusal', refusal: 'no' }] }, 'refusal', ['refusal']],
    ['an image part', { content: [{ image_url: { url: 'u' } }] }, 'media', ['image']],
    ['an image part as text', { content: [{ image_url: 'u' }] }, 'media', ['image']],
  ])('carries a fragment when it has %s', (_, fields, kind, generated) => {
    expect(ofDelta(fields)).toEqual({ kind, generated });
  });

  it.each([
    ['a role with empty content', { role: 'assistant', content: '' }, 'role'],
    ['a role with null content', { role: 'assistant', content: null, reasoning_content: null }, 'role'],
    ['empty content', { content: '' }, 'other'],
    ['nothing', {}, 'other'],
    ['a tool id only', { tool_calls: [{ index: 0, id: 'c', function: { name: '', arguments: '' } }] }, 'other'],
    ['an empty function call', { function_call: {} }, 'other'],
    ['empty parts', { content: [{ type: 'text', text: '' }, 1, {}, '', { thinking: [{ text: '' }, 3] }] }, 'other'],
    ['an audio id only', { audio: { id: 'a', expires_at: 1 } }, 'other'],
    ['no images', { images: [] }, 'other'],
    [
      'fields of wrong types',
      { content: 7, reasoning: [], tool_calls: 'x', refusal: {}, audio: 1, images: 2 },
      'other',
    ],
  ])('carries none when it has %s', (_, fields, kind) => {
    expect(ofDelta(fields)).toEqual({ kind });
  });

  it.each([
    ['filter results without choices', { id: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] }, 'other'],
    ['a choice without delta', { choices: [{ index: 0, finish_reason: null, content_filter_offsets: {} }] }, 'other'],
    ['choices of wrong types', { choices: [1, null, 'x', []] }, 'other'],
    ['choices that are no list', { choices: { 0: {} } }, 'other'],
    ['usage without choices', { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }, 'usage'],
    ['some other JSON', { hello: 1 }, 'other'],
    ['a whole message in one event', { choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] }, 'content'],
    ['a finish', { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }, 'finish'],
    ['a ping', { type: 'ping' }, 'ping'],
  ])('with %s is of its kind', (_, fields, kind) => {
    expect(chunk(fields)?.kind).toBe(kind);
  });
});

describe('a chat stream', () => {
  it('is terminal when every choice seen is finished, and doubts the missing mark', () => {
    const open = readAll([delta({ content: 'a' }, null, 0), delta({ content: 'b' }, 'stop', 1)]);
    expect(open.facts).toMatchObject({ terminal: false, choiceCount: 2, finishReasons: ['stop'] });
    expect(open.doubts).toEqual([]);
    const finished = readAll([delta({ content: 'a' }, 'stop', 0), delta({ content: 'b' }, 'length', 1)]);
    expect(finished.facts).toMatchObject({ terminal: true, endMark: false, finishReasons: ['stop', 'length'] });
    expect(finished.doubts).toEqual(['no_done']);
  });

  it('is terminal with its end mark alone, also with white space around it', () => {
    expect(readAll(['data: [DONE] \n\n']).facts).toMatchObject({ terminal: true, endMark: true, choiceCount: 0 });
    expect(readAll([delta({ content: 'a' }), DONE]).doubts).toEqual([]);
    expect(readAll([]).facts).toMatchObject({ dialect: 'openai-chat', terminal: false });
  });

  it('does not take an empty finish reason for a finish', () => {
    const told = readAll([delta({ content: 'a' }, ''), delta({ content: 'b' }, '')]);
    expect(told.facts).toMatchObject({ terminal: false, finishReasons: [] });
  });

  it('tells at most 128 choices apart', () => {
    const told = readAll(Array.from({ length: 200 }, (_, index) => delta({ content: 'a' }, 'stop', index)));
    expect(told.facts).toMatchObject({ choiceCount: 129, terminal: true });
  });

  it('keeps the first names that say something, bounded', () => {
    const told = readAll([
      data({ id: '', model: '', choices: [] }),
      data({ id: 'x'.repeat(500), model: 'm', choices: [{ delta: { content: 'a' }, finish_reason: 'f'.repeat(99) }] }),
      data({ id: 'later', model: 'later', choices: [] }),
    ]);
    expect(told.facts.model).toBe('m');
    expect(told.facts.responseId).toBe('x'.repeat(128));
    expect(told.facts.finishReasons).toEqual(['f'.repeat(32)]);
  });

  it('follows continuous usage, summed over choices, and the total at the end', () => {
    const usage = (index: number, count: number) =>
      data({ choices: [{ index, delta: { content: 'a' } }], usage: { prompt_tokens: 9, completion_tokens: count } });
    const told = readAll([
      usage(0, 2),
      usage(1, 3),
      usage(0, 4),
      data({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 8 } }),
      DONE,
    ]);
    expect(told.events.map((event) => event.tokensSoFar)).toEqual([2, 5, 7, 8, undefined]);
    expect(told.tokens).toEqual({ prompt: 9, output: 8, basis: 'usage' });
  });

  it('reads the details of usage in each place', () => {
    const usages = [
      { prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 2 } },
      { prompt_cache_hit_tokens: 4, reasoning_tokens: 2 },
    ];
    for (const details of usages) {
      const told = readAll([data({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, ...details } })]);
      expect(told.tokens).toEqual({ prompt: 10, cached: 4, output: 5, reasoning: 2, basis: 'usage' });
    }
    const groq = readAll([data({ choices: [], x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } } })]);
    expect(groq.tokens).toEqual({ prompt: 1, output: 2, basis: 'usage' });
  });

  it('counts by llama.cpp timings when there is no usage', () => {
    const timings = { cache_n: 20, prompt_n: 5, predicted_n: 7, prompt_ms: 1.5 };
    const told = readAll([data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], timings }), DONE]);
    expect(told.events[0]).toEqual({ kind: 'finish', tokensSoFar: 7 });
    expect(told.tokens).toEqual({ prompt: 25, cached: 20, output: 7, basis: 'usage' });
    expect(readAll([data({ choices: [], timings: { predicted_n: 3 } })]).tokens).toEqual({ output: 3, basis: 'usage' });
    expect(readAll([data({ choices: [], timings: { predicted_n: 3, prompt_n: 2 } })]).tokens.prompt).toBe(2);
    expect(readAll([data({ choices: [], timings: { prompt_n: 3 } })]).tokens).toEqual({});
  });

  it('takes nothing from usage that states nothing, and never a 0 for unknown', () => {
    for (const usage of [null, {}, { prompt_tokens: 0, completion_tokens: 0 }, { completion_tokens: -1 }, [], 'x']) {
      const told = readAll([data({ choices: [{ index: 0, delta: { content: 'a' } }], usage })]);
      expect(told.tokens).toEqual({});
      expect(told.events[0]).toEqual({ kind: 'content', generated: ['text'] });
    }
    const partial = readAll([
      data({ choices: [{ index: 0, delta: { role: 'assistant' } }], usage: { prompt_tokens: 3 } }),
    ]);
    expect(partial.events).toEqual([{ kind: 'role' }]);
    expect(partial.tokens).toEqual({ prompt: 3 });
  });

  it('counts by token ids, of chunks without text as well', () => {
    const ids = (fields: object, choice: object) => data({ choices: [{ index: 0, delta: fields, ...choice }] });
    const told = readAll([
      ids({ role: 'assistant', content: '' }, {}),
      ids({ content: '' }, { token_ids: [1, 2] }),
      ids({ content: 'a' }, { token_ids: [3] }),
      ids({ content: 'b' }, { output_ids: [4] }),
      ids({ content: 'c' }, { tokens: [5] }),
      ids({ content: 'd', tokens: [6] }, {}),
      ids({ content: 'e', token_id: 7 }, {}),
      DONE,
    ]);
    expect(told.events.map((event) => event.tokensSoFar)).toEqual([undefined, 2, 3, 4, 5, 6, 7, undefined]);
    expect(told.events[1]).toEqual({ kind: 'other', tokensSoFar: 2 });
    expect(told.tokens).toEqual({ output: 7, basis: 'token_ids' });
  });

  it('counts by logprobs where there are no ids', () => {
    const logprobs = (value: object | null) =>
      data({ choices: [{ index: 0, delta: { content: 'a' }, logprobs: value }] });
    const told = readAll([logprobs({ content: [{}, {}] }), logprobs({ content: null, refusal: [{}] }), DONE]);
    expect(told.events.map((event) => event.tokensSoFar)).toEqual([2, 3, undefined]);
    expect(told.tokens).toEqual({ output: 3, basis: 'logprobs' });
    expect(readAll([logprobs({ content: [{}] }), logprobs(null)]).tokens).toEqual({});
    expect(kinds(readAll([logprobs({})]))).toEqual(['content']);
  });

  it('prefers usage to ids and ids to logprobs', () => {
    const both = { index: 0, delta: { content: 'a' }, token_ids: [1], logprobs: { content: [{}, {}] } };
    expect(readAll([data({ choices: [both] })]).tokens).toEqual({ output: 1, basis: 'token_ids' });
    const usage = { prompt_tokens: 1, completion_tokens: 9 };
    expect(readAll([data({ choices: [both], usage })]).tokens).toEqual({ prompt: 1, output: 9, basis: 'usage' });
  });

  it('drops counts by sum after a loss', () => {
    const ids = data({ choices: [{ index: 0, delta: { content: 'a' }, token_ids: [1] }] });
    const told = readAll([ids, `data: ${'x'.repeat(1024 * 1024)}\n\n`, ids]);
    expect(told.events.map((event) => event.tokensSoFar)).toEqual([1, undefined]);
    expect(told.tokens).toEqual({});
  });
});
