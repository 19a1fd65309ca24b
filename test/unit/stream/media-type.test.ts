// Goal: media types are recognised however they are written. Method: table of fields and answers.
import { describe, expect, it } from 'vitest';
import { framingFor } from '../../../src/stream/framings.ts';
import { parseMediaType } from '../../../src/stream/media-type.ts';

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
    ['text/event-stream', 'sse'],
    ['text/event-stream;charset=UTF-8', 'sse'],
    ['application/x-ndjson', 'ndjson'],
    ['application/jsonl', 'ndjson'],
    ['application/json', 'json'],
    ['application/problem+json', 'json'],
    ['text/json', 'json'],
    ['application/vnd.amazon.eventstream', 'aws-event-stream'],
    ['audio/mpeg', undefined],
    ['text/event-stream-not', undefined],
    [undefined, undefined],
  ])('finds for %j the framing %j', (field, name) => {
    expect(framingFor(parseMediaType(field), '/v1/chat/completions')?.name).toBe(name);
  });

  it('takes JSON for a streamed list where the path is of a method that streams one', () => {
    const path = '/v1beta/models/m:streamGenerateContent';
    expect(framingFor('application/json', path)?.name).toBe('json-array');
    expect(framingFor('text/event-stream', path)?.name).toBe('sse');
    expect(framingFor('application/json', '/v1beta/models/m:generateContent')?.name).toBe('json');
  });
});
