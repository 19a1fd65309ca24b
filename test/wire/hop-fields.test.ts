// Goal: fields that belong to one connection stop at rubato in both directions; all others pass.
// Method: raw heads that nominate and carry such fields; each end looks for what must not be there.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { endToEnd } from '../support/fields.ts';
import { at, c, D, DONE, END, head, requestOf } from '../support/script.ts';
import type { WireMessage } from '../support/wire-parser.ts';

const bench = useBench();

async function exchange(
  lines: readonly string[],
  answer: string,
): Promise<{ request: WireMessage; response: WireMessage }> {
  const plan = bench.engine.plan([at(0, answer)]);
  const client = await bench.client();
  client.request(requestOf({ lines }));
  const response = await client.response();
  return { request: (await plan.exchange).request, response };
}

const PLAIN = `${head('200 OK', 'content-length: 2')}ok`;

describe('from the client', () => {
  test.each([
    ['nominated fields', ['Connection: close, X-Hop', 'X-Hop: 1', 'X-End: 2'], ['X-End: 2']],
    [
      'several Connection lines',
      ['connection: x-a', 'Connection: X-B,x-c', 'x-a: 1', 'X-B: 2', 'x-c: 3', 'x-d: 4'],
      ['x-d: 4'],
    ],
    [
      'keep-alive promises',
      ['Connection: keep-alive', 'Keep-Alive: timeout=99', 'Proxy-Connection: keep-alive', 'x-d: 4'],
      ['x-d: 4'],
    ],
    ['nominations that name nothing', ['Connection: x-none, , close', 'x-d: 4'], ['x-d: 4']],
    ['te', ['Connection: te', 'TE: trailers, deflate;q=0.5', 'x-d: 4'], ['x-d: 4']],
  ])('%s stop here', async (_, lines, expected) => {
    const { request } = await exchange(lines, PLAIN);
    expect(endToEnd(request.head?.lines ?? [])).toEqual(['host: engine.test', ...expected]);
    expect(request.values('keep-alive')).toEqual([]);
    expect(request.values('proxy-connection')).toEqual([]);
    expect(request.values('connection').join().toLowerCase()).not.toContain('x-');
  });

  test('a nomination cannot take away what decides who is asked for what', async () => {
    const { request } = await exchange(
      ['Connection: authorization, cookie, host, close', 'Authorization: Bearer k', 'Cookie: a=1'],
      PLAIN,
    );
    expect(request.values('authorization')).toEqual(['Bearer k']);
    expect(request.values('cookie')).toEqual(['a=1']);
    expect(request.values('host')).toEqual(['engine.test']);
  });

  test('connection: close is honoured towards the client and kept from the engine', async () => {
    bench.engine.plan([at(0, PLAIN)]);
    const client = await bench.client();
    client.request(requestOf({ lines: ['Connection: close'] }));
    await client.response();
    await client.untilGone(2_000);
  });
});

describe('from the engine', () => {
  test("L1 fields of the engine's connection do not reach the client", async () => {
    const { response } = await exchange(
      [],
      `${head(
        '200 OK',
        'Connection: keep-alive, x-hop',
        'X-Hop: 1',
        'Keep-Alive: timeout=99',
        'Proxy-Connection: keep-alive',
        'Server: up',
        'content-length: 2',
      )}ok`,
    );
    expect(response.values('x-hop')).toEqual([]);
    expect(response.values('proxy-connection')).toEqual([]);
    expect(response.values('keep-alive').join()).not.toContain('99');
    expect(response.values('connection').join().toLowerCase()).not.toContain('x-hop');
    expect(response.values('server')).toEqual(['up']);
  });

  test("connection: close of the engine does not end the client's connection", async () => {
    const client = await bench.client();
    for (const index of [0, 1]) {
      bench.engine.plan([
        at(0, `${head('200 OK', 'Connection: close', 'content-length: 2')}ok`),
        { atMs: 1, act: 'fin' },
      ]);
      client.request(requestOf());
      const response = await client.response(index);
      expect(response.body.toString()).toBe('ok');
      expect(response.values('connection').join().toLowerCase()).not.toContain('close');
    }
  });

  test('nominated fields of a stream stop, the stream does not', async () => {
    const { response } = await bench.check({
      script: [
        at(
          0,
          head(
            '200 OK',
            'content-type: text/event-stream',
            'connection: x-a, X-B',
            'X-A: 1',
            'x-b: 2',
            'x-c: 3',
            'transfer-encoding: chunked',
          ),
        ),
        at(20, c(D('a')), c(DONE), END),
      ],
    });
    expect(endToEnd(response.head?.lines ?? [])).toEqual(['content-type: text/event-stream', 'x-c: 3']);
  });

  test('upgrade offers do not reach the client', async () => {
    const { response } = await exchange(
      [],
      `${head('200 OK', 'Upgrade: h2c', 'Connection: Upgrade', 'content-length: 2')}ok`,
    );
    expect(response.values('upgrade')).toEqual([]);
  });
});
