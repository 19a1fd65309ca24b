// Goal: SSE bodies give the same events for every way of cutting them, and nothing stops the reading.
// Method: the framing cases of the field, byte by byte where a cut matters; exact events.
import { describe, expect, it } from 'vitest';
import { EVENT_MAX_BYTES } from '../../../src/base/limits.ts';
import { DONE, cutAt, data, delta, inBytes, kinds, readAll } from './read-all.ts';

const text = (content: string) => delta({ content });

describe('server-sent events', () => {
  it('completes an event whose characters are cut with the read that ends it', () => {
    const bytes = Buffer.from(text('渐🌍') + DONE);
    const cuts = [bytes.indexOf(0xe6) + 1, bytes.indexOf(0xf0) + 2, bytes.length - DONE.length];
    const told = readAll(cutAt(bytes, cuts));
    expect(kinds(told)).toEqual(['content', 'done']);
    expect(told.pieces).toEqual([2, 3]);
  });

  it('takes a CRLF cut in two for one line end', () => {
    const value = '{"choices":[{"index":0,\r\ndata: "delta":\r\ndata: {"content":"a"}}]}';
    const told = readAll([`data: ${value.slice(0, 24)}`, value.slice(24), '\r', '\n', '\r', '\n']);
    expect(kinds(told)).toEqual(['content']);
    expect(told.pieces).toEqual([4]);
    expect(told.doubts).toEqual([]);
  });

  it.each([['\n'], ['\r'], ['\r\n']])('reads lines that end in %j', (lineEnd) => {
    const body = (text('a') + ': ping\n\n' + text('b') + DONE).replaceAll('\n', lineEnd);
    expect(kinds(readAll(inBytes(Buffer.from(body))))).toEqual(['content', 'comment', 'content', 'done']);
  });

  it('loses no event to a byte order mark, whole or cut', () => {
    const bytes = Buffer.from(`\uFEFF${text('first')}${text('second')}${DONE}`);
    for (const pieces of [[bytes], cutAt(bytes, [1]), cutAt(bytes, [2]), inBytes(bytes)]) {
      expect(kinds(readAll(pieces))).toEqual(['content', 'content', 'done']);
    }
  });

  it.each([
    ['with a comment', 'event: error\n: worker gone\n\n', ['comment', 'error']],
    ['alone, no space', 'event:error\r\n\r\n', ['error']],
    ['in lines that end in CR', 'event: error\r: x\r\r', ['comment', 'error']],
    ['behind another name', 'event: x\nevent: error\n\n', ['error']],
    ['in the tail', 'event: error\n: x', ['comment', 'error']],
  ])('sees an error without data: %s', (_, error, expected) => {
    const body = Buffer.from(text('a') + error);
    for (const pieces of [[body], inBytes(body)]) expect(kinds(readAll(pieces))).toEqual(['content', ...expected]);
    const inside = readAll(inBytes(Buffer.from(`${error}\n\n${DONE}`)));
    expect(kinds(inside)).toEqual([...expected, 'done']);
    expect(inside.facts.errorType).toBe('unknown');
  });

  it.each([
    ['with data behind it', 'event: error\ndata: {"message":"x"}\n\n', ['error']],
    ['with data before it', 'data: {"message":"x"}\nevent: error\n\n', ['error']],
    ['with empty data', 'event: error\ndata\n\n', ['error']],
    ['renamed', 'event: error\nevent: x\n: c\n\n', ['comment']],
    ['with more in its name', 'event: errors\n\nevent:  error\n\nxevent: error\n\n', []],
  ])('counts an error once: %s', (_, body, expected) => {
    expect(kinds(readAll([body]))).toEqual(expected);
    expect(kinds(readAll(inBytes(Buffer.from(body))))).toEqual(expected);
  });

  it('joins several data lines of one event, with other fields around them', () => {
    const body = 'event: message\nid: 3\nretry: x\ndata:{"choices":[{"index":0,\ndata: "delta":{"content":"a"}}]}\n\n';
    expect(kinds(readAll([body]))).toEqual(['content']);
  });

  it('counts comments as events of their own', () => {
    const told = readAll([':\n\n', ':\n\n', text('a'), ': keep-alive\n\n', text('b'), DONE]);
    expect(kinds(told)).toEqual(['comment', 'comment', 'content', 'comment', 'content', 'done']);
    expect(told.facts.eventCounts).toEqual({ comment: 3, content: 2, done: 1 });
  });

  it('skips an event above the cap, notes it and reads on', () => {
    const large = Buffer.from(data({ type: 'partial_image', b64: 'x'.repeat(4 * EVENT_MAX_BYTES) }));
    const pieces: (Uint8Array | string)[] = [];
    for (let at = 0; at < large.length; at += 16384) pieces.push(large.subarray(at, at + 16384));
    const told = readAll([...pieces, text('a'), text('b'), DONE]);
    expect(kinds(told)).toEqual(['content', 'content', 'done']);
    expect(told.doubts).toEqual(['parse_overflow']);
    expect(told.facts.terminal).toBe(true);
  });

  it('reads on in the read in which the large event ended', () => {
    const told = readAll([`data: ${'x'.repeat(EVENT_MAX_BYTES)}\n\n${text('a')}${DONE}`]);
    expect(kinds(told)).toEqual(['content', 'done']);
  });

  it('survives a stream without any line end', () => {
    const piece = Buffer.alloc(65536, 'data: xxxxxxxx');
    const told = readAll(Array.from({ length: 64 }, () => piece));
    expect(told.events).toEqual([]);
    expect(told.doubts).toEqual(['parse_overflow']);
  });

  it.each([
    ['no line end', ''],
    ['half a CRLF', '\r'],
    ['a line end but no blank line', '\n'],
  ])('reads a tail with %s and says so', (_, lineEnd) => {
    const told = readAll([text('a'), delta({}, 'stop').trimEnd() + lineEnd]);
    expect(kinds(told)).toEqual(['content', 'finish']);
    expect(told.facts.finishReasons).toEqual(['stop']);
    expect(told.doubts).toEqual(['unterminated_tail', 'no_done']);
  });

  it('sees no tail in what is left of a line end or of a field without data', () => {
    expect(readAll([text('a').replaceAll('\n', '\r\n'), DONE, 'id: 7']).doubts).toEqual([]);
    expect(readAll([text('a') + DONE, '\n']).doubts).toEqual([]);
  });

  it('reads a comment in the tail', () => {
    const told = readAll([text('a') + DONE, ': bye']);
    expect(kinds(told)).toEqual(['content', 'done', 'comment']);
    expect(told.doubts).toEqual(['unterminated_tail']);
  });
});
