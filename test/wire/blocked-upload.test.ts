// Goal: a client that leaves while an engine that does not read blocks its upload is noticed all the
// same, and one that only waits is left alone. Nobody reads its connection then, so only the kernel knows.
// Method: a raw engine that stops reading, an upload larger than all buffers on the way, FIN, close and RST, by
// both families of addresses; and a process that has no descriptor left for a look at the kernel's tables.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawClient } from '../support/raw-client.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const UPLOAD_BYTES = 48 * 1024 * 1024;
const sockets: Socket[] = [];
let engine: Server;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.pause());
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  const { port } = engine.address() as { port: number };
  sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${port}` });
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  engine.close();
  await sidecar.stop();
});

async function blockedUpload(path: string): Promise<RawClient> {
  const client = await RawClient.open(sidecar.listenPort);
  client.send(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${UPLOAD_BYTES}\r\n\r\n`);
  client.send(Buffer.alloc(UPLOAD_BYTES, 'x'));
  await sleep(1_500);
  return client;
}

const openCount = async (): Promise<number> => {
  const { text } = await sidecar.admin('/api/streams');
  return (JSON.parse(text) as { open: unknown[] }).open.length;
};

const NOTICED_WITHIN_MS = 4_000;

test.skipIf(process.platform !== 'linux')(
  'an upload lives on where no descriptor is left for a look',
  async ({ skip }) => {
    // Three looks and more, and nothing can be opened for them.
    const client = await RawClient.open(sidecar.listenPort);
    client.send('POST /short HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n');
    await poll('the exchange', async () => ((await openCount()) === 1 ? true : undefined));
    await sleep(1_200);
    const soft = /Max open files +(\d+)/.exec(readFileSync(`/proc/${sidecar.pid}/limits`, 'utf8'))?.[1];
    const limitTo = (count: string | undefined) =>
      spawnSync('prlimit', ['--pid', String(sidecar.pid), `--nofile=${count}:`]);
    if (limitTo('1').status !== 0) {
      client.rst();
      return skip('prlimit cannot be run here');
    }
    await sleep(3_500);
    limitTo(soft);
    expect(await openCount()).toBe(1);
    expect(client.gone).toBe(false);
    client.rst();
    const { record } = await sidecar.record('the short one', ({ request }) => request.path === '/short');
    expect(record.end.outcome).toBe('client_abort');
  },
);

describe.skipIf(process.platform !== 'linux')('a client that leaves while its upload is blocked', () => {
  test('by a reset ends the exchange', async () => {
    const client = await blockedUpload('/reset');
    client.rst();
    const { record } = await sidecar.record('the reset', ({ request }) => request.path === '/reset');
    expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_head' });
  });

  test('by a close behind bytes that nobody takes ends the exchange', async () => {
    const client = await blockedUpload('/close');
    const leftAtMs = performance.now();
    client.close();
    const { record } = await sidecar.record('the close', ({ request }) => request.path === '/close');
    expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_head' });
    expect(performance.now() - leftAtMs).toBeLessThan(NOTICED_WITHIN_MS);
  });

  test('by a FIN whose bytes have all arrived ends the exchange', async () => {
    const client = await RawClient.open(sidecar.listenPort);
    client.send(`POST /fin HTTP/1.1\r\nhost: x\r\ncontent-length: ${UPLOAD_BYTES}\r\n\r\n`);
    await sendUntilUnread(client);
    const leftAtMs = performance.now();
    client.fin();
    const { record } = await sidecar.record('the FIN', ({ request }) => request.path === '/fin');
    expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_head' });
    expect(performance.now() - leftAtMs).toBeLessThan(NOTICED_WITHIN_MS);
  });

  test('is told from one that only waits', async () => {
    const client = await blockedUpload('/waits');
    await sleep(4_000);
    expect(await openCount()).toBe(1);
    client.rst();
    await poll('the end', async () => ((await openCount()) === 0 ? true : undefined));
  });
});

describe.skipIf(process.platform !== 'linux')('a client of a listener for both families of addresses', () => {
  test.each(['127.0.0.1', '::1'])('that closes from %s is noticed', async (host) => {
    const { port } = engine.address() as { port: number };
    const both = await Sidecar.start({ upstream: `http://127.0.0.1:${port}`, args: ['--listen', '[::]:0'] });
    try {
      const socket = connect(both.listenPort, host);
      socket.on('error', () => undefined);
      socket.write(`POST /both HTTP/1.1\r\nhost: x\r\ncontent-length: ${UPLOAD_BYTES}\r\n\r\n`);
      socket.write(Buffer.alloc(UPLOAD_BYTES, 'x'));
      await sleep(2_500);
      socket.destroy();
      const { record } = await both.record('the close', ({ request }) => request.path === '/both');
      expect(record.end.outcome).toBe('client_abort');
    } finally {
      await both.stop();
    }
  });
});

/** Sends until the sidecar reads no more, and leaves nothing on the way that it has not got. */
async function sendUntilUnread(client: RawClient): Promise<void> {
  const port = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');
  const line = new RegExp(`:${port(sidecar.listenPort)} \\w+:${port(client.localPort)} 01 \\w+:(\\w+)`);
  const unreadBytes = (): number => Number.parseInt(line.exec(readFileSync('/proc/net/tcp', 'latin1'))?.[1] ?? '0', 16);
  for (let unreadBefore = 0, i = 0; i < 2_000; i += 1) {
    client.send(Buffer.alloc(65_536, 'x'));
    await sleep(10);
    const unread = unreadBytes();
    if (unread > 0 && unread === unreadBefore + 65_536) return;
    unreadBefore = unread;
  }
  throw new Error('the upload was never blocked');
}
