// Goal: hop-by-hop fields and those a Connection field names stop here; all others keep name, case, order, number.
// Method: whole heads in and out.
import { describe, expect, test } from 'vitest';
import { asksForWebSocket, passFields } from '../../../src/relay/headers.ts';

describe('fields', () => {
  test('that are end to end keep name, case, order, number and value', () => {
    const fields = [
      'X-b',
      '1',
      'x-B',
      '',
      'Set-Cookie',
      'a',
      'x-b',
      '1',
      'Set-Cookie',
      'b',
      'Trailer',
      'x',
      'Via',
      ' ',
    ];
    expect(passFields(fields)).toEqual(fields);
  });

  test.each(['Connection', 'Keep-Alive', 'Proxy-Connection', 'Transfer-Encoding', 'TE', 'Upgrade', 'HTTP2-Settings'])(
    '%s stops here in any case',
    (name) => {
      const near = [`${name}-x`, 'stays', `x-${name}`, 'stays'];
      const fields = [name, 'v', ...near, name.toLowerCase(), 'v', name.toUpperCase(), 'v'];
      expect(passFields(fields)).toEqual(near);
    },
  );

  test('that the caller names stop as well', () => {
    expect(passFields(['Date', 'x', 'dated', 'y', 'DATE', 'z'], new Set(['date']))).toEqual(['dated', 'y']);
  });

  test('that a Connection field names stop, whichever of several it is', () => {
    const fields = [
      'Connection',
      'X-Hop',
      'x-hop',
      '1',
      'X-Hop-2',
      '2',
      'connection',
      ' x-hop-2 , ,close',
      'x-stays',
      '3',
    ];
    expect(passFields(fields)).toEqual(['x-stays', '3']);
  });

  test('that decide who is asked for what cannot be taken away by a nomination', () => {
    const kept = ['Host', 'a', 'Content-Length', '1', 'Authorization', 'k', 'Cookie', 'c', 'Content-Type', 't'];
    const nominations = 'host, content-length, authorization, cookie, content-type, accept';
    expect(passFields([...kept, 'Connection', nominations, 'Accept', '*'])).toEqual(kept);
  });

  test('may be none', () => {
    expect(passFields([])).toEqual([]);
  });
});

describe('an upgrade to WebSocket', () => {
  test.each([
    ['both fields', ['Upgrade', 'websocket', 'Connection', 'Upgrade'], true],
    ['both among others', ['connection', 'keep-alive, UPGRADE', 'upgrade', 'h2c, WebSocket'], true],
    ['no nomination', ['upgrade', 'websocket'], false],
    ['another nomination', ['upgrade', 'websocket', 'connection', 'upgrades'], false],
    ['another protocol', ['upgrade', 'h2c', 'connection', 'upgrade'], false],
    ['no protocol', ['connection', 'upgrade'], false],
    ['nothing', [], false],
    ['a body of no bytes', ['upgrade', 'websocket', 'connection', 'upgrade', 'content-length', '0'], true],
    ['a body', ['upgrade', 'websocket', 'connection', 'upgrade', 'Content-Length', '5'], false],
    ['a body in chunks', ['upgrade', 'websocket', 'connection', 'upgrade', 'Transfer-Encoding', 'chunked'], false],
  ])('with %s', (_, fields, asked) => {
    expect(asksForWebSocket(fields)).toBe(asked);
  });
});
