// Goal: an answer in one piece gives usage, finish and names, and no events. Method: exact facts.
import { describe, expect, it } from 'vitest';
import { JSON_ANSWER_MAX_BYTES } from '../../../src/base/limits.ts';
import { createAnswerReader } from '../../../src/stream/answer-reader.ts';
import { CHAT_HINTS, inBytes, readAll, type Setting } from './read-all.ts';

const json: Setting = { head: { status: 200, mediaType: 'application/json' } };
const elsewhere = { method: 'GET', path: '/v1/batches/b1' };
const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Grüße' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
});

describe('plain json answer', () => {
  it('gives usage, finish and names without any event', () => {
    const told = readAll(inBytes(Buffer.from(answer)), json);
    expect(told.events).toEqual([]);
    expect(told.tokens).toEqual({ prompt: 5, output: 3, basis: 'usage' });
    expect(told.facts).toEqual({
      dialect: 'openai-chat',
      streamed: false,
      terminal: true,
      endMark: false,
      finishReasons: ['stop'],
      choiceCount: 1,
      eventCounts: {},
      model: 'm',
      responseId: 'chatcmpl-1',
    });
    expect(told.doubts).toEqual([]);
  });

  it('is not terminal when it is cut, empty or no JSON', () => {
    const cut = readAll([answer.slice(0, -1)], json);
    expect(cut.facts.terminal).toBe(false);
    expect(cut.doubts).toEqual(['parse_error']);
    expect(readAll([], json).facts.terminal).toBe(false);
    expect(readAll([], json).doubts).toEqual([]);
  });

  it('takes the error of an answer, and doubts no unreadable text of a failure', () => {
    const failure: Setting = { head: { status: 400, mediaType: 'application/problem+json' }, hints: elsewhere };
    const told = readAll(['{"error":{"type":"invalid_request_error","message":"no"}}'], failure);
    expect(told.facts.errorType).toBe('invalid_request_error');
    expect(told.facts.terminal).toBe(false);
    expect(readAll(['Bad Gateway'], failure).doubts).toEqual([]);
    expect(readAll(['{"error":{"type":"late"}}'], json).facts.errorType).toBe('late');
  });

  it('does not take a failed resource for a failed exchange', () => {
    const told = readAll(['{"id":"b1","error":{"type":"batch_failed"}}'], { ...json, hints: elsewhere });
    expect(told.facts).toMatchObject({ dialect: 'opaque', terminal: true });
    expect(told.facts.errorType).toBeUndefined();
  });

  it('takes JSON that is no object for a complete answer', () => {
    expect(readAll(['[1,2]'], { ...json, hints: elsewhere }).facts.terminal).toBe(true);
  });

  it('gives up on an answer above the cap and says why', () => {
    const told = readAll(['"', 'x'.repeat(JSON_ANSWER_MAX_BYTES), '"'], json);
    expect(told.facts).toMatchObject({ unreadable: 'too_large', terminal: false, dialect: 'opaque' });
    expect(told.doubts).toEqual(['parse_overflow', 'unreadable']);
  });

  it('gives up when bytes of it were lost', () => {
    const reader = createAnswerReader({ status: 200, mediaType: 'application/json' }, CHAT_HINTS, () => {});
    reader.feed(Buffer.from(answer.slice(0, 20)));
    reader.skip();
    expect(reader.wantsBytes).toBe(false);
    reader.feed(Buffer.from(answer.slice(40)));
    reader.end();
    expect(reader.facts().unreadable).toBe('tape');
  });
});
