// Goal: what is a token on an Anthropic stream and what is not, and what its usage adds up to.
// Method: one event a case, exact kind and channels; usage objects with parts missing and null.
import { describe, expect, it } from 'vitest';
import { dialectForPath } from '../../../src/stream/dialects.ts';
import { data, kinds, readAll, type Setting } from './read-all.ts';

const messages: Setting = { hints: { method: 'POST', path: '/v1/messages' } };
const event = (fields: object) => readAll([data(fields)], messages).events[0];
const block = (content_block: unknown) => event({ type: 'content_block_start', index: 0, content_block });
const delta = (fields: unknown) => event({ type: 'content_block_delta', index: 0, delta: fields });
const finish = (usage: unknown) => data({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
const start = (usage: unknown) => data({ type: 'message_start', message: { id: 'm', usage } });

describe('an Anthropic event', () => {
  it.each([
    ['text', { type: 'text_delta', text: 'a' }, 'content', ['text']],
    ['thinking', { type: 'thinking_delta', thinking: 'a' }, 'reasoning', ['reasoning']],
    ['input of a tool', { type: 'input_json_delta', partial_json: '{' }, 'tool', ['tool']],
    ['a summary of the conversation', { type: 'compaction_delta', content: 's' }, 'reasoning', ['reasoning']],
    ['empty text', { type: 'text_delta', text: '' }, 'other', undefined],
    ['a signature', { type: 'signature_delta', signature: 'x' }, 'other', undefined],
    ['a citation', { type: 'citations_delta', citation: { cited_text: 'x' } }, 'other', undefined],
    ['content of another type', { type: 'new_delta', content: 'x' }, 'other', undefined],
    ['nothing', null, 'other', undefined],
  ])('with %s is of its kind', (_, fields, kind, generated) => {
    expect(delta(fields)).toEqual(generated === undefined ? { kind } : { kind, generated });
  });

  it.each([
    ['an empty text', { type: 'text', text: '' }, 'lifecycle'],
    ['a text that came whole', { type: 'text', text: 'a' }, 'content'],
    ['a tool', { type: 'tool_use', name: 'f', input: {} }, 'tool'],
    ['a tool that runs on the server', { type: 'server_tool_use', name: 'web_search' }, 'tool'],
    ['a tool of an MCP server', { type: 'mcp_tool_use', name: 'f' }, 'tool'],
    ['a result', { type: 'web_search_tool_result', name: 'f', content: [] }, 'lifecycle'],
    ['encrypted thinking', { type: 'redacted_thinking', data: 'Em' }, 'reasoning'],
    ['nothing', undefined, 'lifecycle'],
  ])('that opens %s is of its kind', (_, content, kind) => {
    expect(block(content)?.kind).toBe(kind);
  });

  it('may be named by its framing alone', () => {
    const body =
      'event: content_block_delta\ndata: {"index":0,"delta":{"text":"a"}}\n\nevent: message_stop\ndata: {}\n\n';
    const told = readAll([body], { hints: { method: 'POST', path: '/elsewhere' } });
    expect(kinds(told)).toEqual(['content', 'done']);
    expect(told.facts).toMatchObject({ dialect: 'anthropic-messages', terminal: true });
  });
});

describe('the usage of an Anthropic answer', () => {
  it('has the whole prompt, also when a gateway repeats at the end what of it was not cached', () => {
    const tokensOf = (first: object, last: object) => readAll([start(first), finish(last)], messages).tokens;
    const cached = { input_tokens: 10, cache_read_input_tokens: 2_000 };
    const told = { prompt: 2_010, cached: 2_000, output: 5, basis: 'usage' };
    expect(tokensOf(cached, { input_tokens: 10, output_tokens: 5 })).toEqual(told);
    // Whoever repeats all parts may have more of each: a search on the server adds to the prompt.
    expect(tokensOf(cached, { ...cached, input_tokens: 90, output_tokens: 5 })).toEqual({ ...told, prompt: 2_090 });
    expect(tokensOf({ input_tokens: 4 }, { input_tokens: 7, output_tokens: 5 })).toEqual({
      prompt: 7,
      output: 5,
      basis: 'usage',
    });
  });

  it.each([
    ['the parts of a prompt', { input_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 4 }, 7, 4],
    ['a prompt all of which was cached', { input_tokens: 0, cache_read_input_tokens: 9 }, 9, 9],
    ['nulls for what is not known', { input_tokens: 3, cache_creation_input_tokens: null }, 3, undefined],
    ['only what was cached', { input_tokens: null, cache_read_input_tokens: 5 }, undefined, 5],
    ['zeros', { input_tokens: 0, output_tokens: 0 }, undefined, undefined],
    ['nothing', null, undefined, undefined],
  ])('with %s gives the prompt', (_, usage, prompt, cached) => {
    const expected = { ...(prompt === undefined ? {} : { prompt }), ...(cached === undefined ? {} : { cached }) };
    expect(readAll([start(usage)], messages).tokens).toEqual(expected);
  });

  it('has its output from the end alone, and keeps the prompt of the start', () => {
    expect(readAll([start({ input_tokens: 4, output_tokens: 8 })], messages).tokens).toEqual({ prompt: 4 });
    const told = readAll([start({ input_tokens: 4, output_tokens: 8 }), finish({ output_tokens: 30 })], messages);
    expect(told.tokens).toEqual({ prompt: 4, output: 30, basis: 'usage' });
    expect(readAll([finish(undefined)], messages).events).toEqual([{ kind: 'finish' }]);
    expect(kinds(readAll([data({ type: 'message_delta', delta: {}, usage: { output_tokens: 3 } })], messages))).toEqual(
      ['usage'],
    );
  });
});

describe('the path of a message', () => {
  it.each([
    ['/v1/messages', true],
    ['/anthropic/v1/messages/', true],
    ['/messages', true],
    ['/v1/projects/p/locations/l/publishers/anthropic/models/claude:streamRawPredict', true],
    ['/v1/projects/p/locations/l/publishers/mistralai/models/m:streamRawPredict', false],
    ['/v1/threads/t/messages', false],
    ['/v1/messages/count_tokens', false],
  ])('%s is one: %s', (path, isOne) => {
    expect(dialectForPath(path)?.name === 'anthropic-messages').toBe(isOne);
  });
});
