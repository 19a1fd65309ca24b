// Goal: trailers pass as they are, but for those that would frame or route a message that is over.
// Method: whole lists in and out.
import { expect, test } from 'vitest';
import { passTrailers } from '../../../src/relay/headers.ts';

test('trailers keep name, case, order, number and value', () => {
  const trailers = ['X-Sum', '1', 'x-sum', '', 'Server-Timing', 'a;dur=1', 'Content-Lengths', '5'];
  expect(passTrailers(trailers)).toEqual(trailers);
  expect(passTrailers([])).toEqual([]);
});

test.each(['Content-Length', 'Transfer-Encoding', 'Host', 'Trailer', 'Connection', 'Upgrade', 'TE', 'Keep-Alive'])(
  '%s is none, in any case',
  (name) => {
    expect(passTrailers([name, '3', 'x', 'y', name.toUpperCase(), '3'])).toEqual(['x', 'y']);
  },
);
