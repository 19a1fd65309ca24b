// Goal: every dialect tells each piece of text once and on its channel, also where an API says it twice, as an
// object, or in parts. Method: messages by hand, one form each; the texts that come out.
import { describe, expect, test } from 'vitest';
import { Fragments } from '../../../src/stream/fragments.ts';
import { data, delta, DONE, readAll, type Setting, type Told } from './read-all.ts';

const textsOf = (body: string, setting?: Setting): Told['texts'] => readAll([body], setting).texts;
const at = (path: string): Setting => ({ hints: { method: 'POST', path } });
const whole = (path: string, message: object): Told['texts'] =>
  textsOf(JSON.stringify(message), {
    head: { status: 200, mediaType: 'application/json' },
    hints: { method: 'POST', path },
  });

describe('what is said twice is told once', () => {
  test('the whole message after its deltas, which is no event with output either', () => {
    const message = { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ab' } }] };
    const told = readAll([delta({ content: 'a' }), delta({ content: 'b' }), data(message), DONE]);
    expect(told.texts).toEqual({ 'text 0': 'ab' });
    expect(told.events.map(({ kind }) => kind)).toEqual(['content', 'content', 'finish', 'done']);
  });

  test('a message of a choice of which no delta came is all there is', () => {
    const message = { choices: [{ index: 1, message: { content: 'cd' } }] };
    expect(textsOf(delta({ content: 'ab' }) + data(message))).toEqual({ 'text 0': 'ab', 'text 1': 'cd' });
  });

  test.each([
    [{ reasoning_content: 'a', reasoning: 'a' }],
    [{ reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'a' }] }],
    [
      {
        reasoning_details: [
          { type: 'reasoning.summary', summary: 'a' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      },
    ],
  ])('reasoning as %j', (fields) => {
    expect(textsOf(delta(fields))).toEqual({ 'reasoning 0': 'a' });
  });

  test('arguments that stand in a Responses item from the start and once more at its end', () => {
    const item = { type: 'function_call', name: 'f', arguments: '{"a":1}' };
    const body =
      data({ type: 'response.output_item.added', item }) +
      data({ type: 'response.function_call_arguments.done', arguments: '{"a":1}' }) +
      data({ type: 'response.output_item.done', item });
    expect(textsOf(body, at('/v1/responses'))).toEqual({ 'tool 0': '{"a":1}' });
  });
});

describe('arguments', () => {
  test.each<[string, object]>([
    ['/api/chat', { done: true, message: { tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] } }],
    ['/v1/messages', { type: 'message', content: [{ type: 'tool_use', name: 'f', input: { a: 1 } }] }],
    [
      '/v1beta/models/m:generateContent',
      { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] } }] },
    ],
    [
      '/model/m/converse',
      { stopReason: 'tool_use', output: { message: { content: [{ toolUse: { name: 'f', input: { a: 1 } } }] } } },
    ],
    [
      '/v1/chat/completions',
      { choices: [{ message: { tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] } }] },
    ],
    ['/v1/responses', { object: 'response', output: [{ type: 'function_call', name: 'f', arguments: '{"a":1}' }] }],
    [
      '/v2/chat',
      { finish_reason: 'TOOL_CALL', message: { tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] } },
    ],
  ])('are the same text from %s, and the name is none of it', (path, message) => {
    expect(whole(path, message)).toEqual({ 'tool 0': '{"a":1}' });
  });

  test('are told as a channel where nobody asks for text', () => {
    const fragments = new Fragments(undefined);
    fragments.callArguments(0, { a: 1 });
    expect([fragments.text('text', -1, 'a'), fragments.lost, fragments.take()]).toEqual([true, false, 0b1001]);
  });

  test('that are nested deeper than there is stack are lost, and nothing else is', () => {
    let nested: object = {};
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    const told: string[] = [];
    const fragments = new Fragments((_channel, _choice, text) => told.push(text));
    fragments.callArguments(0, { nested });
    fragments.text('text', 0, 'a');
    expect([told, fragments.lost, fragments.take()]).toEqual([['a'], true, 0b1001]);
  });
});

describe('an answer in one piece', () => {
  test.each<[string, object, Told['texts']]>([
    [
      '/v1/responses',
      {
        object: 'response',
        output: [
          { type: 'reasoning', summary: [{ text: 'Hm' }] },
          {
            type: 'message',
            content: [
              { type: 'output_text', text: 'a' },
              { type: 'refusal', refusal: 'no' },
            ],
          },
        ],
      },
      { 'reasoning 0': 'Hm', 'text 0': 'a', 'refusal 0': 'no' },
    ],
    [
      '/v1/messages',
      {
        type: 'message',
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'a' },
        ],
      },
      { 'reasoning 0': 'Hm', 'text 0': 'a' },
    ],
    [
      '/model/m/converse',
      {
        stopReason: 'end_turn',
        output: { message: { content: [{ reasoningContent: { reasoningText: { text: 'Hm' } } }, { text: 'a' }] } },
      },
      { 'reasoning 0': 'Hm', 'text 0': 'a' },
    ],
    [
      '/model/m/invoke',
      { inputTextTokenCount: 3, results: [{ outputText: 'a', completionReason: 'FINISH' }] },
      { 'text 0': 'a' },
    ],
    [
      '/v2/chat',
      { finish_reason: 'COMPLETE', message: { tool_plan: 'Hm', content: [{ type: 'text', text: 'a' }] } },
      { 'reasoning 0': 'Hm', 'text 0': 'a' },
    ],
    ['/generate', { generated_text: 'a' }, { 'text 0': 'a' }],
  ])('of %s has its text as a stream has', (path, message, texts) => {
    expect(whole(path, message)).toEqual(texts);
  });
});

test('sound, pictures, token ids and what is encrypted have no text, a transcript has', () => {
  expect(textsOf(delta({ audio: { data: 'UklG', transcript: 'hi' } }) + delta({ images: [{}] }))).toEqual({
    'audio 0': 'hi',
  });
  const redacted = { type: 'content_block_start', content_block: { type: 'redacted_thinking', data: 'x' } };
  expect(textsOf(data(redacted), at('/v1/messages'))).toEqual({});
  const ids = { request_id: 'g', choices: [{ index: 0, token_ids: [5] }] };
  expect(textsOf(data(ids), at('/inference/v1/generate'))).toEqual({});
});

test('text of choices that cannot be told apart is lost, not mixed', () => {
  const told: string[] = [];
  const fragments = new Fragments((_channel, _choice, text) => told.push(text));
  fragments.text('text', -1, 'a');
  expect([told, fragments.lost, fragments.take(), fragments.take()]).toEqual([[], true, 1, 0]);
});
