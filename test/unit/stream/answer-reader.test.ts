// Goal: nothing on the wire gets past the reader as an exception or pollutes anything, and losses are
// told. Method: hostile bodies, faults of our own, a large body in linear time.
import { describe, expect, it } from 'vitest';
import { createAnswerReader, type EmitEvent } from '../../../src/stream/answer-reader.ts';
import { boundedText } from '../../../src/stream/json-value.ts';
import { CHAT_HINTS, DONE, SSE_HEAD, data, delta, kinds, readAll } from './read-all.ts';

const deep = '['.repeat(100_000) + ']'.repeat(100_000);

describe('answer reader', () => {
  it.each([
    ['deep nesting', data(`{"choices":${deep}}`), ['other'], []],
    ['prototype keys', data('{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}'), ['other'], []],
    ['duplicate keys', data('{"choices":[],"choices":[{"delta":{"content":"a"}}]}'), ['content'], []],
    [
      'huge numbers',
      data('{"choices":[{"index":1e999,"delta":{"content":"a"}}],"usage":{"completion_tokens":1e999}}'),
      ['content'],
      [],
    ],
    ['JSON that is no object', data('[1]') + data('null') + data('7'), ['other', 'other', 'other'], []],
    ['text that is no JSON', data('{"choices":'), ['other'], ['parse_error']],
    ['long text that is no JSON', data('x'.repeat(100)), ['other'], ['parse_error']],
    ['empty data', 'data:\n\ndata: \n\n', ['ping', 'ping'], []],
    ['a named ping', 'event: ping\ndata: {"type": "ping"}\n\n', ['ping'], []],
    ['invalid UTF-8', '\xff\xfe', [], []],
  ])('takes %s', (_, body, expected, doubts) => {
    const told = readAll([Buffer.from(body, 'latin1')]);
    expect(kinds(told)).toEqual(expected);
    expect(told.doubts).toEqual(doubts);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('reads an opaque body as unknown, never as empty or failed', () => {
    for (const mediaType of ['audio/mpeg', undefined]) {
      const head = { status: 200, ...(mediaType === undefined ? {} : { mediaType }) };
      const told = readAll(['bytes'], { head });
      expect(told.facts).toMatchObject({ dialect: 'opaque', streamed: false, unreadable: 'media_type' });
      expect(told.tokens).toEqual({});
      expect(createAnswerReader(head, CHAT_HINTS, () => {}).wantsBytes).toBe(false);
    }
  });

  it('understands a raw content type', () => {
    const told = readAll([delta({ content: 'a' })], { head: { status: 200, mediaType: 'Text/Event-Stream; x=y' } });
    expect(kinds(told)).toEqual(['content']);
  });

  it('emits an event before the feed that completed it returns', () => {
    const events: string[] = [];
    const reader = createAnswerReader(SSE_HEAD, CHAT_HINTS, (event) => events.push(event.kind));
    reader.feed(Buffer.from('data: [DONE]\n'));
    expect(events).toEqual([]);
    reader.feed(Buffer.from('\n'));
    expect(events).toEqual(['done']);
  });

  it('goes on behind the next blank line after a loss', () => {
    const events: string[] = [];
    const reader = createAnswerReader(SSE_HEAD, CHAT_HINTS, (event) => events.push(event.kind));
    const ids = data({ choices: [{ index: 0, delta: { content: 'a' }, token_ids: [1] }] });
    reader.feed(Buffer.from(ids + ids.slice(0, 12)));
    reader.skip();
    reader.feed(Buffer.from(`content":"渐"}}]}\n\n${delta({ content: 'b' }, 'stop')}${DONE}`));
    reader.end();
    expect(events).toEqual(['content', 'content', 'done']);
    expect(reader.facts()).toMatchObject({ terminal: true });
    expect(reader.tokens()).toEqual({});
    expect(reader.doubts()).toEqual([]);
  });

  it('is over after its end', () => {
    const events: string[] = [];
    const reader = createAnswerReader(SSE_HEAD, CHAT_HINTS, (event) => events.push(event.kind));
    expect(reader.wantsBytes).toBe(true);
    reader.end();
    reader.feed(Buffer.from(DONE));
    reader.skip();
    reader.end();
    expect(events).toEqual([]);
    expect(reader.wantsBytes).toBe(false);
    expect(reader.doubts()).toEqual([]);
  });

  it('doubts a missing end mark only once the body is over', () => {
    const reader = createAnswerReader(SSE_HEAD, CHAT_HINTS, () => {});
    reader.feed(Buffer.from(delta({ content: 'a' }, 'stop')));
    expect(reader.facts().terminal).toBe(true);
    expect(reader.doubts()).toEqual([]);
    reader.end();
    expect(reader.doubts()).toEqual(['no_done']);
  });

  it('turns a fault of whoever takes its events into an unreadable body', () => {
    const broken: EmitEvent = () => {
      throw new Error('broken');
    };
    const reader = createAnswerReader(SSE_HEAD, CHAT_HINTS, broken);
    reader.feed(Buffer.from(DONE));
    reader.feed(Buffer.from(DONE));
    reader.end();
    expect(reader.facts()).toMatchObject({ unreadable: 'fault', eventCounts: { done: 1 } });
    expect(reader.doubts()).toEqual(['unreadable']);
  });

  it('hands out facts that later events do not change', () => {
    const reader = createAnswerReader(SSE_HEAD, CHAT_HINTS, () => {});
    const before = reader.facts();
    reader.feed(Buffer.from(delta({ content: 'a' }, 'stop')));
    expect(before).toMatchObject({ finishReasons: [], eventCounts: {} });
  });

  it('cuts a name without keeping its long text or half a character', () => {
    expect(boundedText('a🌍b', 2)).toBe('a\uFFFD');
    expect(boundedText('abc', 3)).toBe('abc');
  });
});
