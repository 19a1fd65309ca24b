// Goal: a connection of HTTP/2 that carries nothing ends when its time is up, and none that carries something does;
// and no connection is taken for HTTP/2 that only begins like it.
// Method: a real session over loopback with a short rest, whose streams are answered by hand.
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { beginsHttp2 } from '../../../src/relay/h2-door.ts';
import { H2Session } from '../../../src/relay/h2-session.ts';
import { FRAME, frame, FrameClient } from '../../support/h2-client.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0).toReversed()) each();
});

interface Bench {
  readonly server: Server;
  readonly client: ClientHttp2Session;
  /** Streams, as the server takes them. */
  readonly accepted: Socket[];
  readonly closed: Promise<H2Session>;
}

async function start(firstMs: number, restMs = firstMs): Promise<Bench> {
  const accepted: Socket[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<H2Session>();
  const server = createServer((socket) => {
    const accept = (stream: Socket): void => {
      stream.resume();
      accepted.push(stream);
    };
    const ignore = (): void => undefined;
    void new H2Session({
      socket,
      isOverflow: false,
      firstMs,
      restMs,
      accept,
      onUnreadable: ignore,
      onMalformed: ignore,
      onClosed: resolve,
    });
  });
  undo.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => undefined);
  undo.push(() => client.destroy());
  return { server, client, accepted, closed };
}

describe('a connection', () => {
  test('that never carried anything ends with a goodbye', async () => {
    const { client, closed } = await start(50, 60_000);
    const [code] = (await once(client, 'goaway')) as [number];
    await closed;
    expect(code).toBe(0);
  });

  test('ends behind its last stream, and not while it has one', async () => {
    const { client, accepted, closed } = await start(150, 50);
    const stream = client.request({ ':method': 'GET', ':path': '/' });
    let isOver = false;
    void closed.then(() => (isOver = true));
    await expect.poll(() => accepted.length).toBe(1);
    await new Promise((done) => setTimeout(done, 300));
    expect(isOver).toBe(false);
    accepted[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    stream.resume();
    await closed;
    expect(stream.rstCode).toBe(0);
  });

  test('whose client says goodbye and stays is closed all the same', async () => {
    const { server, client } = await start(100);
    await once(client, 'close');
    const quiet = new FrameClient((server.address() as AddressInfo).port);
    undo.push(() => void quiet.stop());
    // It answers the end of the connection with nothing.
    quiet.socket.allowHalfOpen = true;
    quiet.begin(frame(FRAME.goaway, 0, 0, Buffer.alloc(8)));
    const openCount = (): Promise<number> => promisify(server.getConnections.bind(server))();
    await once(server, 'connection');
    await expect.poll(openCount, { timeout: 10_000 }).toBe(0);
  });
});

describe('a stream as a socket', () => {
  test('counts what it was given and what of it has left', async () => {
    const { client, accepted } = await start(10_000);
    const stream = client.request({ ':method': 'GET', ':path': '/' });
    await expect.poll(() => accepted.length).toBe(1);
    const socket = accepted[0] as Socket;
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n';
    socket.write(head);
    socket.write(Buffer.alloc(300_000));
    socket.write(Buffer.alloc(5));
    // The first is more than its window, and nobody reads.
    expect(socket.bytesWritten).toBe(head.length + 300_005);
    await new Promise((done) => setTimeout(done, 50));
    expect([socket.bytesWritten, socket.writableLength]).toEqual([head.length + 300_005, 300_005]);
    stream.resume();
    await expect.poll(() => socket.writableLength).toBe(0);
    expect(socket.bytesWritten).toBe(head.length + 300_005);
  });

  test.each([
    ['of stated length', 'content-length: 9\r\n\r\nok'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n2\r\nok\r\n'],
  ])('that is closed before its answer %s is whole was cut', async (_what, text) => {
    const { client, accepted } = await start(10_000);
    const stream = client.request({ ':method': 'GET', ':path': '/' });
    let hasEnded = false;
    stream.resume();
    stream.on('error', () => undefined);
    stream.on('end', () => (hasEnded = true));
    await expect.poll(() => accepted.length).toBe(1);
    accepted[0]?.write(`HTTP/1.1 200 OK\r\n${text}`);
    accepted[0]?.destroySoon();
    await new Promise<void>((done) => stream.once('close', done));
    expect([stream.rstCode, hasEnded]).toEqual([2, false]);
  });
});

test('HTTP/2 is known by its whole preface, and anything else by its first other byte', () => {
  const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
  const asked = (text: string): boolean | undefined => beginsHttp2(Buffer.from(text));
  expect([preface, `${preface}x`].map(asked)).toEqual([true, true]);
  expect(['', 'P', 'PRI * HTTP/2.0\r\n', preface.slice(0, -1)].map(asked)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(['POST', 'G', 'PRI * HTTP/2.1', preface.replace('SM', 'XM'), ' PRI'].map(asked)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
