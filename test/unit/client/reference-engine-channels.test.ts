// Reasoning and tool calls in each dialect that has words of its own for them, and what a dialect's route makes of
// a body that is none of its own. Method: one request to an engine of that persona; its events are taken
// apart by hand.
import { describe, expect, test } from 'vitest';
import {
  readBedrockConverse,
  readGemini,
  readResponses,
} from '../../../src/client/reference-engine/foreign-requests.ts';
import type { PersonaName } from '../../../src/client/reference-engine/personas.ts';
import { sendRequest } from '../../../src/client/stream-client.ts';
import { engine, start, textOf } from './engine-harness.ts';
import { eventsOf, type Json } from './persona-harness.ts';

const MESSAGES = [{ role: 'user', content: 'abcd' }];
const TOKENS = 8;

async function events(persona: PersonaName, path: string, body: object): Promise<Json[]> {
  return eventsOf(await said(persona, path, body));
}

async function said(persona: PersonaName, path: string, body: object): Promise<string> {
  await start({ persona });
  const answer = await sendRequest({ url: `${engine!.url}${path}`, body: JSON.stringify({ model: 'm', ...body }) });
  expect(answer).toMatchObject({ end: 'complete', status: 200 });
  return textOf(answer);
}

/** Values that are there, in their order. */
function present<Value>(list: readonly (Value | undefined | null)[]): Value[] {
  return list.filter((value) => value !== undefined && value !== null);
}

describe('reasoning comes before the text', () => {
  test('Anthropic: a block of thinking, then one of text', async () => {
    const body = { messages: MESSAGES, stream: true, max_tokens: TOKENS, thinking: { type: 'enabled' } };
    const list = await events('anthropic', '/v1/messages', body);
    const kinds = present(list.map(({ delta }) => delta?.type as string | undefined));
    expect(kinds).toEqual([...Array<string>(4).fill('thinking_delta'), ...Array<string>(4).fill('text_delta')]);
    const starts = list.filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ index, content_block: block }) => [index, block.type])).toEqual([
      [0, 'thinking'],
      [1, 'text'],
    ]);
    expect(list.filter(({ type }) => type === 'content_block_stop')).toHaveLength(2);
  });

  test('Responses: an item of reasoning, then a message', async () => {
    const body = { input: 'abcd', stream: true, max_output_tokens: TOKENS, reasoning: { effort: 'medium' } };
    const list = await events('responses', '/v1/responses', body);
    const count = (type: string): number => list.filter((event) => event['type'] === type).length;
    expect(count('response.reasoning_text.delta')).toBe(4);
    expect(count('response.output_text.delta')).toBe(4);
    const { usage, output } = list.at(-1)!['response'];
    expect(usage.output_tokens_details).toEqual({ reasoning_tokens: 4 });
    expect(output.map(({ type }: Json) => type)).toEqual(['reasoning', 'message']);
  });

  test('Gemini: parts that are thoughts, counted apart', async () => {
    const generationConfig = { maxOutputTokens: TOKENS, thinkingConfig: { includeThoughts: true } };
    const body = { contents: [{ parts: [{ text: 'abcd' }] }], generationConfig };
    const list = await events('gemini', '/v1beta/models/m:streamGenerateContent?alt=sse', body);
    const parts = list.flatMap(({ candidates }) => candidates[0].content.parts as Json[]);
    expect(parts.map(({ thought }) => thought === true)).toEqual([true, true, true, true, false, false, false, false]);
    expect(list.at(-1)!['usageMetadata']).toMatchObject({ thoughtsTokenCount: 4, candidatesTokenCount: 4 });
  });

  test('Ollama: thinking beside empty text', async () => {
    const body = { messages: MESSAGES, think: true, options: { num_predict: TOKENS } };
    const list = await events('ollama', '/api/chat', body);
    expect(present(list.map(({ message }) => message.thinking))).toHaveLength(4);
    expect(list.filter(({ message }) => message.content !== '')).toHaveLength(4);
  });
});

describe('a tool call', () => {
  const chat = { type: 'function', function: { name: 'look_up' } };

  test('Anthropic: its name as the block opens, its input in pieces that are JSON together', async () => {
    const body = { messages: MESSAGES, stream: true, tool_choice: { type: 'tool', name: 'look_up' } };
    const list = await events('anthropic', '/v1/messages', body);
    const block = list.find(({ type }) => type === 'content_block_start')!['content_block'];
    expect(block).toMatchObject({ type: 'tool_use', name: 'look_up' });
    const pieces = present(list.map(({ delta }) => delta?.partial_json as string | undefined));
    expect(Object.keys(JSON.parse(pieces.join('')) as object)).toEqual(['text']);
    expect(list.at(-2)!['delta'].stop_reason).toBe('tool_use');
  });

  test('Responses: an item with the name, and its arguments', async () => {
    const tool = { type: 'function', name: 'look_up' };
    const list = await events('responses', '/v1/responses', { input: 'abcd', stream: true, tool_choice: tool });
    const item = list.find(({ type }) => type === 'response.output_item.added')!['item'];
    expect(item).toMatchObject({ type: 'function_call', name: 'look_up' });
    const pieces = list
      .filter(({ type }) => type === 'response.function_call_arguments.delta')
      .map(({ delta }) => delta);
    expect(list.find(({ type }) => type === 'response.function_call_arguments.done')!['arguments']).toBe(
      pieces.join(''),
    );
    expect(list.at(-1)!['type']).toBe('response.completed');
  });

  test('Cohere: start, deltas and end', async () => {
    const list = await events('cohere', '/v2/chat', { messages: MESSAGES, stream: true, tool_choice: chat });
    const types = new Set(list.map(({ type }) => type as string));
    expect([...types]).toEqual(['message-start', 'tool-call-start', 'tool-call-delta', 'tool-call-end', 'message-end']);
    const opened = list.find(({ type }) => type === 'tool-call-start')!;
    expect(opened['delta'].message.tool_calls.function.name).toBe('look_up');
  });

  test('SGLang, with the other fields of a delta null', async () => {
    const list = await events('sglang', '/v1/chat/completions', {
      messages: MESSAGES,
      stream: true,
      tool_choice: chat,
    });
    const [first] = present(list.map(({ choices }) => choices[0].delta.tool_calls as Json[] | undefined));
    expect(first![0]!['function'].name).toBe('look_up');
    expect(list[1]!['choices'][0].delta.reasoning_content).toBeNull();
  });
});

describe('a whole answer', () => {
  test('has what the stream has, by dialect', async () => {
    const messages = await said('anthropic', '/v1/messages', { messages: MESSAGES, max_tokens: 2 });
    expect(JSON.parse(messages)).toMatchObject({ content: [{ type: 'text' }], usage: { output_tokens: 2 } });
    await engine!.close();
    const converse = { messages: [{ content: [{ text: 'abcd' }] }], inferenceConfig: { maxTokens: 2 } };
    expect(JSON.parse(await said('bedrock', '/model/m/converse', converse))).toMatchObject({
      output: { message: { content: [{ text: expect.stringMatching(/^ \w+ \w+$/) }] } },
      stopReason: 'max_tokens',
      usage: { outputTokens: 2 },
    });
    await engine!.close();
    const body = { contents: [{ parts: [{ text: 'abcd' }] }], generationConfig: { maxOutputTokens: 2 } };
    const gemini = JSON.parse(await said('gemini', '/v1beta/models/m:generateContent', body)) as Json;
    expect(gemini['candidates'][0]).toMatchObject({ finishReason: 'MAX_TOKENS', content: { role: 'model' } });
  });
});

describe('a body of another dialect', () => {
  test('is refused with what is missing in it', async () => {
    await start({ persona: 'anthropic' });
    const url = `${engine!.url}/v1/messages`;
    for (const body of ['[]', '{', JSON.stringify({ model: 'm', messages: 'x' })]) {
      expect(await sendRequest({ url, body })).toMatchObject({ status: 400, end: 'complete' });
    }
  });

  test('gives the prompt from all of its parts, the system prompt first', () => {
    const url = new URL('http://engine.invalid/v1beta/models/a%3Ab:streamGenerateContent');
    const parts = (text: string): object => ({ parts: [{ text }, { inlineData: {} }] });
    const gemini = readGemini(JSON.stringify({ systemInstruction: parts('s'), contents: [parts('u')] }), url);
    expect(gemini).toMatchObject({ request: { promptText: 's\nu', model: 'a:b', stream: true } });
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'u' }] }];
    const responses = readResponses(JSON.stringify({ model: 'm', instructions: 's', input }), url);
    expect(responses).toMatchObject({ request: { promptText: 's\nu', stream: false } });
    const converse = readBedrockConverse(
      JSON.stringify({ system: [{ text: 's' }], messages: [{ content: [{ text: 'u' }] }] }),
      new URL('http://engine.invalid/model/anthropic.claude%3A0/converse-stream'),
    );
    expect(converse).toMatchObject({ request: { promptText: 's\nu', model: 'anthropic.claude:0', stream: true } });
  });
});
