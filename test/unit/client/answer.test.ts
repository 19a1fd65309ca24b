// What the reference engine says is settled by seed and request, and its wording is OpenAI's. Method:
// requests read from bodies, plans and events compared as values.
import { describe, expect, test } from 'vitest';
import { planAnswer } from '../../../src/client/reference-engine/answer.ts';
import { ChatWriter } from '../../../src/client/reference-engine/chat-writer.ts';
import { readRequest, type GenerationRequest } from '../../../src/client/reference-engine/request.ts';
import { REFERENCE_OUTPUT_MAX_TOKENS } from '../../../src/base/limits.ts';

const NAMES = { id: 'chatcmpl-x', createdEpochS: 7, model: 'm', reasoningField: 'reasoning' } as const;
const MESSAGES = [{ role: 'user', content: 'twelve chars' }];

function chat(fields: object = {}): GenerationRequest {
  return request('chat', { model: 'm', messages: MESSAGES, ...fields });
}

function request(api: GenerationRequest['api'], body: object): GenerationRequest {
  const reading = readRequest(api, JSON.stringify(body));
  if ('fault' in reading) throw new Error(reading.fault);
  return reading.request;
}

function eventsOf(
  text: string,
): { choices: { index: number; delta: object; text?: string; finish_reason: unknown }[] }[] {
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .split('\n\n')
    .filter((line) => line !== '' && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice('data: '.length)));
}

describe('reading a request', () => {
  test('counts four characters as a token, over all messages and text parts', () => {
    const parts = [{ type: 'text', text: 'abcd' }, { type: 'image_url' }];
    expect(planAnswer(chat(), 1).promptTokens).toBe(3);
    // 12 + line end + 4 characters
    expect(planAnswer(chat({ messages: [...MESSAGES, { role: 'user', content: parts }] }), 1).promptTokens).toBe(5);
  });

  test('takes token ids for what they are', () => {
    expect(planAnswer(request('completions', { model: 'm', prompt: [5, 6, 7] }), 1).promptTokens).toBe(3);
    expect(planAnswer(request('completions', { model: 'm', prompt: ['abcdefgh'] }), 1).promptTokens).toBe(2);
  });

  test('names every fault at once', () => {
    const reading = readRequest('chat', JSON.stringify({ model: 1, messages: [], n: 0, max_tokens: 'x' }));
    expect(reading).toEqual({
      fault:
        'messages must be a list that is not empty. model must be a string. ' +
        'n must be an integer from 1 to 128. max_tokens must be an integer from 1 to 2147483648.',
    });
    expect(readRequest('chat', '{')).toEqual({ fault: 'The body is not JSON.' });
    expect(readRequest('chat', '[]')).toEqual({ fault: 'The body is not a JSON object.' });
    expect(readRequest('chat', '{"model":"m","messages":[1]}')).toEqual({ fault: 'Each message must be an object.' });
    expect(readRequest('completions', '{"model":"m","prompt":["a","b"]}')).toEqual({
      fault: 'prompt must be one string or one list of token ids.',
    });
  });
});

describe('an answer', () => {
  test('is the same for the same seed and request, whatever came between', () => {
    const first = planAnswer(chat(), 1);
    planAnswer(chat({ seed: 9 }), 1);
    expect(planAnswer(chat(), 1)).toEqual(first);
    expect(planAnswer(chat(), 2)).not.toEqual(first);
    expect(planAnswer(chat({ seed: 9 }), 1)).not.toEqual(first);
  });

  test('is cut at max_tokens with the reason length', () => {
    const [choice] = planAnswer(chat({ max_tokens: 5 }), 1).choices;
    expect(choice).toMatchObject({ finishReason: 'length' });
    expect(choice?.fragments).toHaveLength(5);
  });

  test('stops by itself with the reason stop, and not before min_tokens', () => {
    const [choice] = planAnswer(chat({ min_tokens: 400 }), 1).choices;
    expect(choice).toMatchObject({ finishReason: 'stop' });
    expect(choice?.fragments).toHaveLength(400);
  });

  test('never grows beyond the cap over all choices', () => {
    const plan = planAnswer(chat({ n: 4, ignore_eos: true }), 1);
    const tokens = plan.choices.reduce((sum, choice) => sum + choice.fragments.length, 0);
    expect(tokens).toBe(REFERENCE_OUTPUT_MAX_TOKENS);
  });

  test('choices differ', () => {
    const [first, second] = planAnswer(chat({ n: 2 }), 1).choices;
    expect(first).not.toEqual(second);
  });

  test('begins with reasoning for the share asked for', () => {
    const [choice] = planAnswer(chat({ reasoning_effort: 'medium', max_tokens: 10 }), 1).choices;
    expect(choice?.reasoningTokens).toBe(5);
    expect(choice?.fragments.map((fragment) => fragment.channel)).toEqual([
      ...Array.from({ length: 5 }, () => 'reasoning'),
      ...Array.from({ length: 5 }, () => 'text'),
    ]);
  });

  test('calls the named tool with arguments that are JSON', () => {
    const named = chat({ tool_choice: { type: 'function', function: { name: 'look_up' } } });
    const required = chat({ tool_choice: 'required', tools: [{ type: 'function', function: { name: 'look_up' } }] });
    for (const asked of [named, required]) {
      const [choice] = planAnswer(asked, 1).choices;
      expect(choice?.finishReason).toBe('tool_calls');
      expect(choice?.fragments[0]).toEqual({ channel: 'tool_name', text: 'look_up' });
      const argumentsText = choice?.fragments.slice(1).map((fragment) => fragment.text);
      expect(Object.keys(JSON.parse(argumentsText?.join('') ?? ''))).toEqual(['text']);
    }
  });
});

describe('the wording', () => {
  test('of a chat stream: role, tokens, finish, usage, end mark', () => {
    const asked = chat({ max_tokens: 2, stream: true, stream_options: { include_usage: true } });
    const plan = planAnswer(asked, 1);
    const writer = new ChatWriter(NAMES, asked, plan);
    const [first, second] = plan.choices[0]?.fragments.map((fragment) => fragment.text) ?? [];
    const chunk = (delta: object, finish: string | null): object => ({
      id: 'chatcmpl-x',
      object: 'chat.completion.chunk',
      created: 7,
      model: 'm',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    });
    expect(eventsOf(writer.roles())).toEqual([chunk({ role: 'assistant', content: '' }, null)]);
    expect(eventsOf(writer.tokens(1))).toEqual([chunk({ content: first }, null)]);
    expect(eventsOf(writer.tokens(2))).toEqual([chunk({ content: second }, null), chunk({}, 'length')]);
    expect(writer.closing()).toBe(
      'data: {"id":"chatcmpl-x","object":"chat.completion.chunk","created":7,"model":"m","choices":[],' +
        '"usage":{"prompt_tokens":3,"total_tokens":5,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
    );
  });

  test('of continuous usage: each event counts the tokens of its choice so far', () => {
    const asked = chat({ n: 2, max_tokens: 3, stream_options: { continuous_usage_stats: true } });
    const writer = new ChatWriter(NAMES, asked, planAnswer(asked, 1));
    const usage = { prompt_tokens: 3, total_tokens: 5, completion_tokens: 2 };
    expect(eventsOf(writer.tokens(2))).toMatchObject([
      { choices: [{ index: 0 }], usage },
      { choices: [{ index: 1 }], usage },
    ]);
    expect(writer.closing()).toBe('data: [DONE]\n\n');
  });

  test('of completions: no role, text instead of deltas', () => {
    const asked = request('completions', { model: 'm', prompt: 'abcd', max_tokens: 1 });
    const writer = new ChatWriter(NAMES, asked, planAnswer(asked, 1));
    expect(writer.roles()).toBe('');
    const [token, finish] = eventsOf(writer.tokens(1));
    expect(token).toMatchObject({ object: 'text_completion', choices: [{ text: expect.stringMatching(/^ \w+$/) }] });
    expect(finish).toMatchObject({ choices: [{ text: '', finish_reason: 'length' }] });
  });

  test('of reasoning and tools: the fields that vLLM uses', () => {
    const thinking = chat({ reasoning_effort: 'high', max_tokens: 4 });
    const older = { ...NAMES, reasoningField: 'reasoning_content' } as const;
    const delta = (writer: ChatWriter, position: number): object | undefined =>
      eventsOf(writer.tokens(position))[0]?.choices[0]?.delta;
    expect(delta(new ChatWriter(NAMES, thinking, planAnswer(thinking, 1)), 1)).toHaveProperty('reasoning');
    expect(delta(new ChatWriter(older, thinking, planAnswer(thinking, 1)), 1)).toHaveProperty('reasoning_content');
    const calling = chat({ tool_choice: { function: { name: 'f' } } });
    const writer = new ChatWriter(NAMES, calling, planAnswer(calling, 1));
    expect(delta(writer, 1)).toEqual({
      tool_calls: [{ index: 0, id: 'call_chatcmpl-x_1', type: 'function', function: { name: 'f', arguments: '' } }],
    });
    expect(delta(writer, 2)).toEqual({ tool_calls: [{ index: 0, function: { arguments: '{"text":"' } }] });
  });

  test('of a plain answer: the same words in one piece', () => {
    const asked = chat({ max_tokens: 4, reasoning_effort: 'medium' });
    const plan = planAnswer(asked, 1);
    const words = plan.choices[0]?.fragments.map((fragment) => fragment.text) ?? [];
    expect(JSON.parse(new ChatWriter(NAMES, asked, plan).whole())).toEqual({
      id: 'chatcmpl-x',
      object: 'chat.completion',
      created: 7,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: words.slice(2).join(''),
            reasoning: words.slice(0, 2).join(''),
          },
          logprobs: null,
          finish_reason: 'length',
        },
      ],
      usage: {
        prompt_tokens: 3,
        total_tokens: 7,
        completion_tokens: 4,
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
  });
});
