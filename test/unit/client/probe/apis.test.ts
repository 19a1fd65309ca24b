// Goal: a probe asks where people mean it to, in each API's own words. Method: URLs and bodies compared.
import { describe, expect, test } from 'vitest';
import { APIS, ownFields, targetOf } from '../../../../src/client/probe/apis.ts';

const PLAIN = { usage: true, completionTokens: false };
const PROMPT = { model: 'm', text: 'hello', maxTokens: 7 };

function apiOf(name: string) {
  const api = APIS.find((one) => one.name === name);
  if (api === undefined) throw new Error(`no API ${name}`);
  return api;
}

describe('where a URL leads', () => {
  test.each([
    ['http://h:8000', 'chat', 'http://h:8000/v1/chat/completions', '/v1/models'],
    ['http://h:8000/', 'chat', 'http://h:8000/v1/chat/completions', '/v1/models'],
    ['https://h/v1', 'chat', 'https://h/v1/chat/completions', '/v1/models'],
    ['https://h/v1/', 'chat', 'https://h/v1/chat/completions', '/v1/models'],
    ['https://h/openai', 'chat', 'https://h/openai/v1/chat/completions', '/openai/v1/models'],
    ['https://h/api/v3/chat/completions', 'chat', 'https://h/api/v3/chat/completions', '/api/v3/models'],
    ['https://h/v1/messages', 'messages', 'https://h/v1/messages', '/v1/models'],
    ['https://h/v1/responses', 'responses', 'https://h/v1/responses', '/v1/models'],
    ['https://h/v1/completions', 'completions', 'https://h/v1/completions', '/v1/models'],
    ['https://h/chat/completions', 'chat', 'https://h/chat/completions', '/v1/models'],
    [
      'https://h/d/x/chat/completions?api-version=1',
      'chat',
      'https://h/d/x/chat/completions?api-version=1',
      '/d/x/models',
    ],
  ])('%s is %s', (given, name, url, modelsPath) => {
    const target = targetOf(new URL(given), undefined);
    expect([target.api.name, target.url.href, target.modelsUrl.pathname]).toEqual([name, url, modelsPath]);
  });

  test('a base with a named API gets that one’s path', () => {
    expect(targetOf(new URL('http://h:1/v1'), 'messages').url.href).toBe('http://h:1/v1/messages');
    expect(targetOf(new URL('http://h:1'), 'responses').url.href).toBe('http://h:1/v1/responses');
  });
});

describe('what is asked', () => {
  test('each API is asked for a stream of so many tokens, in its own words', () => {
    expect(apiOf('chat').body(PROMPT, PLAIN)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hello' }],
      stream: true,
      max_tokens: 7,
      stream_options: { include_usage: true },
    });
    expect(apiOf('responses').body(PROMPT, PLAIN)).toEqual({
      model: 'm',
      input: 'hello',
      max_output_tokens: 7,
      stream: true,
    });
    expect(apiOf('messages').body(PROMPT, PLAIN)).toMatchObject({ max_tokens: 7, stream: true });
    expect(apiOf('completions').body(PROMPT, PLAIN)).toMatchObject({ prompt: 'hello', max_tokens: 7 });
  });

  test('what a server refused is left out', () => {
    expect(apiOf('chat').body(PROMPT, { usage: false, completionTokens: true })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hello' }],
      stream: true,
      max_completion_tokens: 7,
    });
  });

  test('the key goes where the API wants it', () => {
    expect(apiOf('chat').keyFields('k')).toEqual({ authorization: 'Bearer k' });
    expect(apiOf('messages').keyFields('k')).toEqual({ 'x-api-key': 'k', authorization: 'Bearer k' });
    expect(ownFields('messages')).toHaveProperty('anthropic-version');
    expect(ownFields('chat')).toEqual({});
  });
});
