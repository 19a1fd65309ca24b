// Goal: what is a token on a Responses stream and what is not, in every shape that engines send.
// Method: one event a case, exact kind and channels; paths, ends and odd values on whole streams.
import { describe, expect, it } from 'vitest';
import { dialectForPath } from '../../../src/stream/dialects.ts';
import { data, kinds, readAll, type Setting } from './read-all.ts';

const responses: Setting = { hints: { method: 'POST', path: '/v1/responses' } };
const event = (fields: object) => readAll([data(fields)], responses).events[0];
const response = (fields: object) => ({ response: { id: 'r', ...fields } });

describe('a Responses event', () => {
  it.each([
    ['output_text', 'content', ['text']],
    ['refusal', 'refusal', ['refusal']],
    ['reasoning_text', 'reasoning', ['reasoning']],
    ['reasoning_summary_text', 'reasoning', ['reasoning']],
    ['reasoning_summary', 'reasoning', ['reasoning']],
    ['audio', 'media', ['audio']],
    ['audio.transcript', 'media', ['audio']],
    ['output_audio_transcript', 'media', ['audio']],
    ['function_call_arguments', 'tool', ['tool']],
    ['custom_tool_call_input', 'tool', ['tool']],
    ['mcp_call_arguments', 'tool', ['tool']],
    ['code_interpreter_call_code', 'tool', ['tool']],
    ['shell_call_command', 'tool', ['tool']],
    ['apply_patch_call_operation_diff', 'tool', ['tool']],
    // A delta that is not known yet is more likely the answer than anything else.
    ['content_part', 'content', ['text']],
  ])('carries a fragment as response.%s.delta', (name, kind, generated) => {
    expect(event({ type: `response.${name}.delta`, delta: 'x' })).toEqual({ kind, generated });
    expect(event({ type: `response.${name}.delta`, delta: '' })).toEqual({ kind: 'other' });
    expect(event({ type: `response.${name}.delta`, delta: null })).toEqual({ kind: 'other' });
    expect(event({ type: `response.${name}.delta`, delta: { text: 'x' } })).toEqual({ kind: 'other' });
    const whole = { type: `response.${name}.done`, text: 'x' };
    const told = readAll([data({ type: `response.${name}.delta`, delta: 'x' }), data(whole)], responses);
    expect(told.events[1]).toEqual({ kind: 'lifecycle' });
    // What never came in deltas comes with its end.
    expect(event(whole)).toEqual({ kind, generated });
    expect(event({ ...whole, text: '' })).toEqual({ kind: 'lifecycle' });
  });

  it.each([
    ['a function call with its name', { type: 'function_call', name: 'f', arguments: '' }, 'tool'],
    ['a custom tool call with its name', { type: 'custom_tool_call', name: 'f' }, 'tool'],
    ['a function call that came whole', { type: 'function_call', name: '', arguments: '{}' }, 'tool'],
    ['a function call without a name', { type: 'function_call', name: '', arguments: '' }, 'lifecycle'],
    ['a message', { type: 'message', name: 'x', content: [] }, 'lifecycle'],
    ["a tool's result", { type: 'function_call_output', name: 'f', output: 'x' }, 'lifecycle'],
    ['a list of tools', { type: 'mcp_list_tools', name: 'x' }, 'lifecycle'],
    ['nothing', null, 'lifecycle'],
  ])('that opens %s is of its kind', (_, item, kind) => {
    expect(event({ type: 'response.output_item.added', item })?.kind).toBe(kind);
  });

  it('with an image in part carries one, with its progress it does not', () => {
    const partial = { type: 'response.image_generation_call.partial_image', partial_image_b64: 'AAAA' };
    expect(event(partial)).toEqual({ kind: 'media', generated: ['image'] });
    expect(event({ ...partial, partial_image_b64: '' })?.kind).toBe('lifecycle');
    expect(event({ type: 'response.image_generation_call.generating' })?.kind).toBe('lifecycle');
  });

  it('may be named by its framing alone, and others are left alone', () => {
    const told = readAll(
      ['event: response.output_text.delta\ndata: {"delta":"a"}\n\n', data({ type: 'new_thing' })],
      responses,
    );
    expect(kinds(told)).toEqual(['content', 'other']);
    expect(kinds(readAll([data({ hello: 1 })], responses))).toEqual(['other']);
  });
});

describe('a Responses stream', () => {
  it.each([
    ['response.completed', { status: 'completed' }, 'done', 'completed', undefined],
    ['response.incomplete', { status: 'incomplete' }, 'done', 'incomplete', undefined],
    ['response.cancelled', { status: 'cancelled' }, 'done', 'cancelled', undefined],
    ['response.failed', { status: 'failed', error: { code: 'c' } }, 'error', 'failed', 'c'],
    ['response.failed', { status: 'failed', error: null }, 'error', 'failed', 'unknown'],
    ['response.done', { status: 'failed', error: { code: 'c' } }, 'error', 'failed', 'c'],
  ])('ends with %s and %j', (type, fields, kind, reason, errorType) => {
    const told = readAll([data({ type, ...response(fields) })], responses);
    expect(kinds(told)).toEqual([kind]);
    expect(told.facts).toMatchObject({ terminal: true, endMark: true, finishReasons: [reason] });
    expect(told.facts.errorType).toBe(errorType);
  });

  it('ends without its response as well, and is not ended by anything else', () => {
    expect(readAll([data({ type: 'response.completed' })], responses).facts.terminal).toBe(true);
    expect(readAll([data({ type: 'response.failed' })], responses).facts.errorType).toBe('unknown');
    const open = readAll([data({ type: 'response.in_progress', ...response({ status: 'queued' }) })], responses);
    expect(open.facts).toMatchObject({ terminal: false, finishReasons: [] });
  });

  it('takes the zeros of Ollama for what they are, and those of others at their word', () => {
    const usage = { input_tokens: 4, output_tokens: 2, input_tokens_details: { cached_tokens: 0 } };
    const tokens = (id: string) =>
      readAll([data({ type: 'response.completed', response: { id, usage } })], responses).tokens;
    expect(tokens('resp_31337')).toEqual({ prompt: 4, output: 2, basis: 'usage' });
    expect(tokens('resp_68f1c0ffee')).toEqual({ prompt: 4, output: 2, cached: 0, basis: 'usage' });
  });

  it('is not stopped by an id that cannot be made a text', () => {
    const usage = { input_tokens: 4, output_tokens: 2 };
    const told = readAll([data({ type: 'response.completed', response: { id: { toString: 1 }, usage } })], responses);
    expect(told.facts).toMatchObject({ terminal: true, dialect: 'openai-responses' });
    expect(told.tokens.output).toBe(2);
  });

  it('tells a bounded number of parts apart', () => {
    const body = Array.from({ length: 70 }, (_, part) => data({ type: `response.p${part}.delta`, delta: 'x' })).join(
      '',
    );
    const told = readAll([body + data({ type: 'response.new.done', text: 'x' })], responses);
    expect(told.events.at(-1)).toEqual({ kind: 'lifecycle' });
  });

  it('takes zeros for a blank form', () => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    expect(readAll([data({ type: 'response.created', ...response({ usage }) })], responses).tokens).toEqual({});
  });

  it('counts logprobs only while every delta lists them', () => {
    const text = (delta: string, logprobs: unknown[]) => data({ type: 'response.output_text.delta', delta, logprobs });
    expect(readAll([text('a', [{}]), text('b', [{}, {}])], responses).tokens).toEqual({ output: 3, basis: 'logprobs' });
    expect(readAll([text('a', [{}]), text('b', [])], responses).tokens).toEqual({});
  });
});

describe('the path of a response', () => {
  it.each([
    ['/v1/responses', true],
    ['/openai/responses/', true],
    ['/v1/responses/resp_1', true],
    ['/v1/responses/resp_1/input_items', false],
    ['/v1/responses/input_tokens', false],
    ['/v1/responses/compact', true],
    ['/v1/chat/completions', false],
  ])('%s is one: %s', (path, isOne) => {
    expect(dialectForPath(path)?.name === 'openai-responses').toBe(isOne);
  });
});
