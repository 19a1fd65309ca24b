// Goal: errors inside a 200 are found in every shape, by type only. Method: table of messages; whole
// streams for what stays known beside the error.
import { describe, expect, it } from 'vitest';
import { errorTypeOf } from '../../../src/stream/in-band-error.ts';
import { DONE, data, delta, kinds, readAll } from './read-all.ts';

describe('type of an error', () => {
  it.each([
    [{ error: { message: 'x', type: 'server_error', code: 500 } }, undefined, 'server_error'],
    [{ error: { message: 'x', code: 'context_length_exceeded' } }, undefined, 'context_length_exceeded'],
    [{ error: { message: 'x', code: 502 } }, undefined, '502'],
    [{ error: { message: 'x', code: 503, status: 'UNAVAILABLE' } }, undefined, 'UNAVAILABLE'],
    [{ error: { message: 'x', code: 7 } }, undefined, 'unknown'],
    [{ error: { message: 'x', code: 502.5 } }, undefined, 'unknown'],
    [{ error: {} }, undefined, 'unknown'],
    [{ error: { type: 'y'.repeat(100) } }, undefined, 'y'.repeat(64)],
    [{ error: 'text' }, undefined, 'unknown'],
    [{ error: 'text', error_type: 'generation' }, undefined, 'generation'],
    [{ type: 'error', error: { type: 'overloaded_error' } }, 'error', 'overloaded_error'],
    [{ type: 'error', error: { type: 'overloaded_error' } }, undefined, 'overloaded_error'],
    [{ type: 'error', code: 'server_error' }, undefined, 'server_error'],
    [{ object: 'error', type: 'BadRequestError', code: 400 }, undefined, 'BadRequestError'],
    [{ type: 'rate_limit', message: 'x' }, 'error', 'rate_limit'],
    [{ message: 'x' }, 'error', 'unknown'],
    [undefined, 'error', 'unknown'],
    [{ x_groq: { error: 'over_capacity' }, choices: [] }, undefined, 'unknown'],
    [{ error: null, choices: [] }, undefined, undefined],
    [{ error: '' }, undefined, undefined],
    [{ error: false }, undefined, undefined],
    [{ choices: [] }, 'message', undefined],
    [undefined, undefined, undefined],
  ])('of %j named %j is %j', (message, eventName, type) => {
    expect(errorTypeOf(message, eventName)).toBe(type);
  });
});

describe('a stream with an error', () => {
  it('keeps what came before, and its end mark', () => {
    const told = readAll([
      delta({ content: 'a' }),
      data({ error: { message: 'engine died', type: 'server_error', code: 500 } }),
      data({ error: { type: 'second' } }),
      DONE,
    ]);
    expect(kinds(told)).toEqual(['content', 'error', 'error', 'done']);
    expect(told.facts).toMatchObject({ errorType: 'server_error', endMark: true });
  });

  it('is known when the error is the very first event', () => {
    const told = readAll([
      'event: error\ndata: {"type":"error","error":{"details":null,"type":"overloaded_error"}}              \n\n',
    ]);
    expect(told.events).toEqual([{ kind: 'error' }]);
    expect(told.facts).toMatchObject({ errorType: 'overloaded_error', terminal: false });
  });

  it('is known outside every dialect, and when its data is no JSON', () => {
    const told = readAll(['event: error\ndata: upstream gone\n\n'], { hints: { method: 'POST', path: '/custom' } });
    expect(kinds(told)).toEqual(['error']);
    expect(told.doubts).toEqual([]);
  });
});
