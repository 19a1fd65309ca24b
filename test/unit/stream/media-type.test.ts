// Goal: media types are recognised however they are written. Method: table of fields and answers.
import { describe, expect, it } from 'vitest';
import { parseMediaType } from '../../../src/stream/media-type.ts';
import { isReadableMediaType } from '../../../src/stream/readable.ts';

describe('media type', () => {
  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['Text/Event-Stream; charset=utf-8', 'text/event-stream'],
    [' application/json ;v=1', 'application/json'],
    ['', undefined],
    [' ; charset=utf-8', undefined],
    [undefined, undefined],
  ])('reads %j as %j', (field, essence) => {
    expect(parseMediaType(field)).toBe(essence);
  });

  it.each([
    ['text/event-stream', true],
    ['text/event-stream;charset=UTF-8', true],
    ['application/x-ndjson', true],
    ['application/jsonl', true],
    ['application/json', true],
    ['application/problem+json', true],
    ['text/json', true],
    ['application/vnd.amazon.eventstream', false],
    ['audio/mpeg', false],
    ['text/event-stream-not', false],
    [undefined, false],
  ])('says that %j is readable: %j', (field, readable) => {
    expect(isReadableMediaType(field)).toBe(readable);
  });
});
