// Our own client: what it says of reads and ends is what happened on the wire. Method: the reference
// engine's scripts, and a raw TCP server where an HTTP one would be too polite.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { sendRequest } from '../../../src/client/stream-client.ts';

let closeServer: (() => void) | undefined;
afterEach(() => {
  closeServer?.();
  closeServer = undefined;
});

/** A server that answers whatever comes with these bytes and then, if told so, closes. */
async function serve(bytes: string, thenClose: boolean): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(bytes);
      if (thenClose) socket.end();
    });
    closeServer = () => {
      socket.destroy();
      server.close();
    };
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeServer = () => server.close();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const CHUNKED = 'HTTP/1.1 200 Fine\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n';

describe('reads', () => {
  test('chunks that came together are one read with one stamp', async () => {
    const answer = await sendRequest({
      url: await serve(`${CHUNKED}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`, false),
      body: '{}',
    });
    expect(answer).toMatchObject({ end: 'complete', status: 200, bodyBytes: 3, error: undefined });
    expect(answer.reads.map((read) => Buffer.from(read.bytes).toString())).toEqual(['abc']);
    expect(answer.head).toMatchObject({ reason: 'Fine', rawHeaders: expect.arrayContaining(['text/plain']) });
    const [read] = answer.reads;
    expect(read!.atNs).toBeGreaterThanOrEqual(answer.sentAtNs);
    expect(read!.atNs).toBeLessThanOrEqual(answer.endAtNs);
  });
});

describe('ends', () => {
  test('a body that breaks off is cut, with what came before it', async () => {
    const answer = await sendRequest({ url: await serve(`${CHUNKED}5\r\nabc`, true), body: '{}' });
    expect(answer).toMatchObject({ end: 'cut', status: 200, bodyBytes: 3 });
  });

  test('no server, or one that speaks no HTTP, is a failure with its code', async () => {
    const url = await serve('what?\r\n\r\n', true);
    expect(await sendRequest({ url, body: '{}' })).toMatchObject({
      end: 'failed',
      status: undefined,
      head: undefined,
      error: 'HPE_INVALID_CONSTANT',
    });
    closeServer?.();
    expect(await sendRequest({ url, body: '{}' })).toMatchObject({ end: 'failed', error: 'ECONNREFUSED' });
  });

  test('one who leaves before sending never sends', async () => {
    const signal = AbortSignal.abort();
    expect(await sendRequest({ url: await serve('', false), body: '{}', signal })).toMatchObject({ end: 'left' });
  });

  test('one who leaves in the middle keeps what came', async () => {
    const url = await serve(`${CHUNKED}2\r\nab\r\n`, false);
    expect(await sendRequest({ url, body: '{}', onRead: () => 'leave' })).toMatchObject({ end: 'left', bodyBytes: 2 });
  });
});
