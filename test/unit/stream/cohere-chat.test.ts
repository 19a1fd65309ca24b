// Goal: what is a token on a Cohere stream and what is not. Method: one event a case, exact kind; ends.
import { describe, expect, it } from 'vitest';
import { dialectForPath } from '../../../src/stream/dialects.ts';
import { data, kinds, readAll, type Setting } from './read-all.ts';

const cohere: Setting = { hints: { method: 'POST', path: '/v2/chat' } };
const event = (type: string, message: unknown) => readAll([data({ type, delta: { message } })], cohere).events[0];
const end = (delta: unknown) => readAll([data({ type: 'message-end', delta })], cohere);

describe('a Cohere event', () => {
  it.each([
    ['content-delta', { content: { text: 'a' } }, 'content', ['text']],
    ['content-delta', { content: { thinking: 'a' } }, 'reasoning', ['reasoning']],
    ['content-start', { content: { type: 'text', text: 'a' } }, 'content', ['text']],
    ['tool-plan-delta', { tool_plan: 'a' }, 'reasoning', ['reasoning']],
    ['tool-call-start', { tool_calls: { function: { name: 'f', arguments: '' } } }, 'tool', ['tool']],
    ['tool-call-delta', { tool_calls: { function: { arguments: '{' } } }, 'tool', ['tool']],
    ['content-start', { content: { type: 'text', text: '' } }, 'lifecycle', undefined],
    ['content-delta', { content: { text: '' } }, 'other', undefined],
    ['content-delta', null, 'other', undefined],
    ['tool-call-start', { tool_calls: { id: 'x' } }, 'lifecycle', undefined],
    ['tool-call-end', {}, 'lifecycle', undefined],
    ['citation-start', { citations: { text: 'a' } }, 'lifecycle', undefined],
    ['debug', { prompt: 'a' }, 'other', undefined],
  ])('%s with %j is of its kind', (type, message, kind, generated) => {
    expect(event(type, message)).toEqual(generated === undefined ? { kind } : { kind, generated });
  });

  it('ends the stream, well or not', () => {
    expect(end({ finish_reason: 'COMPLETE' }).facts).toMatchObject({ terminal: true, finishReasons: ['COMPLETE'] });
    expect(end({}).facts).toMatchObject({ terminal: true, finishReasons: [] });
    expect(end({ finish_reason: 'TIMEOUT' }).facts.errorType).toBe('TIMEOUT');
    expect(end({ error: 'no' }).facts.errorType).toBe('unknown');
    expect(kinds(end({ finish_reason: 'ERROR' }))).toEqual(['error']);
    // `[DONE]` is not missed.
    expect(end({ finish_reason: 'COMPLETE' }).doubts).toEqual([]);
  });

  it('counts tokens, and not what is billed', () => {
    const usage = { billed_units: { input_tokens: 2, output_tokens: 3 } };
    expect(end({ finish_reason: 'COMPLETE', usage }).tokens).toEqual({});
    const both = { ...usage, tokens: { input_tokens: 70, output_tokens: 3 }, cached_tokens: 64 };
    expect(end({ finish_reason: 'COMPLETE', usage: both }).tokens).toEqual({
      prompt: 70,
      cached: 64,
      output: 3,
      basis: 'usage',
    });
  });

  it('is expected on the path of version 2', () => {
    expect(dialectForPath('/v2/chat')?.name).toBe('cohere-chat');
    expect(dialectForPath('/v1/chat')).toBeUndefined();
  });
});
