// Goal: an error that stands in an SSE body without a field is found, and nothing else is taken for one.
// Method: bodies around Google's bare errors; exact kinds, in order.
import { describe, expect, it } from 'vitest';
import { EVENT_MAX_BYTES } from '../../../src/base/limits.ts';
import { createAnswerReader } from '../../../src/stream/answer-reader.ts';
import { CHAT_HINTS, DONE, SSE_HEAD, delta, inBytes, kinds, readAll } from './read-all.ts';

const text = delta({ content: 'a' });
const error = '{\n  "error": {\n    "code": 503,\n    "status": "UNAVAILABLE"\n  }\n}\n';

describe('JSON in an SSE body without a field', () => {
  it('is a message where it stands, in one line or in many, closed or at the very end', () => {
    for (const bare of [
      error,
      error.replaceAll('\n', '\r\n'),
      `${JSON.stringify(JSON.parse(error))}\n`,
      error.trimEnd(),
    ]) {
      const body = `${text}${bare}`;
      for (const pieces of [[body], inBytes(Buffer.from(body))]) {
        const told = readAll(pieces);
        expect(kinds(told)).toEqual(['content', 'error']);
        expect(told.facts.errorType).toBe('UNAVAILABLE');
      }
    }
  });

  it('keeps its place among the events of the same read', () => {
    expect(kinds(readAll([`${error}\n${text}${error}\n${DONE}`]))).toEqual(['error', 'content', 'error', 'done']);
  });

  it('begins with a line: braces elsewhere, lists and end marks are nothing', () => {
    const told = readAll([`x {"error":1}\n\n  {"error":1}\n\n[DONE]\n\n[{"error":1}]\n\nid: {"error":1}\n\n${text}`]);
    expect(kinds(told)).toEqual(['content']);
  });

  it('leaves a doubt when it never ends', () => {
    const told = readAll([text, error.slice(0, -3)]);
    expect(kinds(told)).toEqual(['content', 'other']);
    expect(told.doubts).toEqual(['parse_error', 'unterminated_tail']);
  });

  it('is dropped above the cap, and what follows is read', () => {
    const told = readAll([`{"a":"${'x'.repeat(EVENT_MAX_BYTES)}\n\n`, error, '\n', text]);
    expect(kinds(told)).toEqual(['error', 'content']);
    expect(told.doubts).toEqual(['parse_overflow']);
  });

  it('does not join two halves of different bodies after a loss', () => {
    const events: string[] = [];
    const reader = createAnswerReader(SSE_HEAD, CHAT_HINTS, (event) => events.push(event.kind));
    reader.feed(Buffer.from('{"error":'));
    reader.skip();
    reader.feed(Buffer.from(`{}}\n\n${error}\n${text}`));
    reader.end();
    expect(events).toEqual(['error', 'content']);
  });
});
