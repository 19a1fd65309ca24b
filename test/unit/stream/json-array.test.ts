// Goal: a JSON list that is streamed gives its elements one by one. Method: whole answers on Gemini's
// path without `alt=sse`, cut where it matters; exact events, doubts and pieces.
import { describe, expect, it } from 'vitest';
import { EVENT_MAX_BYTES } from '../../../src/base/limits.ts';
import { createAnswerReader } from '../../../src/stream/answer-reader.ts';
import { inBytes, kinds, readAll, type Setting } from './read-all.ts';

const list: Setting = {
  head: { status: 200, mediaType: 'application/json' },
  hints: { method: 'POST', path: '/v1beta/models/m:streamGenerateContent' },
};
const said = (text: string) => JSON.stringify({ candidates: [{ content: { parts: [{ text }] } }] });
const finish = '{"candidates":[{"finishReason":"STOP"}]}';

describe('a streamed JSON list', () => {
  it('tells an element with the read that closes it', () => {
    const told = readAll(['[', said('a').slice(0, -1), '}', `\n,\r\n${said('b')}`, ',', finish, ']\n'], list);
    expect(kinds(told)).toEqual(['content', 'content', 'finish']);
    expect(told.pieces).toEqual([2, 3, 5]);
    expect(told.facts).toMatchObject({ dialect: 'gemini', streamed: true, terminal: true });
    expect(told.doubts).toEqual([]);
  });

  it('is not misled by brackets, quotes and escapes in texts, nor by characters that are cut', () => {
    const texts = ['"', '\\', '\\"', ']}', '{[', '"},{"', '渐🌍', '\u2028'];
    const body = Buffer.from(`  [${texts.map(said).join(',')}]`);
    for (const pieces of [[body], inBytes(body)]) {
      expect(kinds(readAll(pieces, list))).toEqual(texts.map(() => 'content'));
    }
  });

  it('reads an object that stands alone, and lists within the list', () => {
    expect(kinds(readAll([said('a')], list))).toEqual(['content']);
    expect(kinds(readAll([`[[1],${said('a')}]`], list))).toEqual(['other', 'content']);
    expect(readAll(['[]'], list).events).toEqual([]);
    expect(readAll([], list).doubts).toEqual([]);
  });

  it('doubts what is neither list nor element, once', () => {
    const told = readAll([`[1,"x",${said('a')},null]`], list);
    expect(kinds(told)).toEqual(['content']);
    expect(told.doubts).toEqual(['parse_error']);
  });

  it('skips an element above the cap and reads on', () => {
    const told = readAll(['[', said('x'.repeat(EVENT_MAX_BYTES)), ',', said('a'), ']'], list);
    expect(kinds(told)).toEqual(['content']);
    expect(told.doubts).toEqual(['parse_overflow']);
    const unended = readAll(['[', said('x'.repeat(EVENT_MAX_BYTES)).slice(0, -1)], list);
    expect(unended.doubts).toEqual(['parse_overflow']);
  });

  it('becomes unreadable when bytes were lost: no border is certain any more', () => {
    const { head = { status: 200 }, hints = { method: 'POST', path: '' } } = list;
    const events: string[] = [];
    const reader = createAnswerReader(head, hints, (event) => events.push(event.kind));
    reader.feed(Buffer.from(`[${said('a')}`));
    reader.skip();
    expect(reader.wantsBytes).toBe(false);
    reader.end();
    expect(events).toEqual(['content']);
    expect(reader.facts().unreadable).toBe('tape');
  });

  it('is one text when the request failed', () => {
    const told = readAll(['{"error":{"code":404,"status":"NOT_FOUND"}}'], {
      ...list,
      head: { status: 404, mediaType: 'application/json' },
    });
    expect(told.events).toEqual([]);
    expect(told.facts).toMatchObject({ streamed: false, errorType: 'NOT_FOUND' });
  });
});
