// Goal: NDJSON gives one event a line for every cut. Method: exact events, small bodies, one above the cap.
import { describe, expect, it } from 'vitest';
import { EVENT_MAX_BYTES } from '../../../src/base/limits.ts';
import { createAnswerReader, type AnswerHead } from '../../../src/stream/answer-reader.ts';
import { inBytes, kinds, readAll, type Setting } from './read-all.ts';

const head: AnswerHead = { status: 200, mediaType: 'application/x-ndjson' };
const setting: Setting = { head };
const line = (content: string) => `${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n`;

describe('ndjson', () => {
  it('reads a line as an event, with the read that ends it', () => {
    const told = readAll([line('a').trimEnd(), '\n', line('渐') + line('c')], setting);
    expect(kinds(told)).toEqual(['content', 'content', 'content']);
    expect(told.pieces).toEqual([1, 2, 2]);
    expect(told.facts.streamed).toBe(true);
    expect(told.doubts).toEqual([]);
  });

  it('ignores empty lines, a byte order mark and CR', () => {
    const bytes = Buffer.from(`\uFEFF${line('a')}\n\r\n${line('🌍').replace('\n', '\r\n')}`);
    expect(kinds(readAll(inBytes(bytes), setting))).toEqual(['content', 'content']);
  });

  it('skips a line above the cap and reads on', () => {
    const told = readAll([line('a'), 'x'.repeat(EVENT_MAX_BYTES), 'xx', `y\n${line('b')}`], setting);
    expect(kinds(told)).toEqual(['content', 'content']);
    expect(told.doubts).toEqual(['parse_overflow']);
  });

  it('reads a tail without line end and says so', () => {
    const told = readAll([line('a') + line('b').trimEnd()], setting);
    expect(kinds(told)).toEqual(['content', 'content']);
    expect(told.doubts).toEqual(['unterminated_tail']);
    expect(readAll([`${line('a')}  `], setting).doubts).toEqual([]);
    expect(readAll(['x'.repeat(EVENT_MAX_BYTES + 1)], setting).doubts).toEqual(['parse_overflow']);
  });

  it('goes on behind the next line end after a loss', () => {
    const events: string[] = [];
    const reader = createAnswerReader(head, { method: 'POST', path: '/api/chat' }, (event) => events.push(event.kind));
    reader.feed(Buffer.from('{"choices":[{"del'));
    reader.skip();
    reader.feed(Buffer.from(`rest of a line\n${line('b')}`));
    expect(events).toEqual(['content']);
  });

  it('knows the plain error line of engines that send one', () => {
    const told = readAll([line('a'), '{"error":"model runner has unexpectedly stopped"}\n'], setting);
    expect(kinds(told)).toEqual(['content', 'error']);
    expect(told.facts.errorType).toBe('unknown');
  });
});
