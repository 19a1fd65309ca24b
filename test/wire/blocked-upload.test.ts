// Goal: a client that leaves while an engine that does not read blocks its upload is noticed all the
// same, and one that only waits is left alone. Nobody reads its connection then, so only the kernel knows.
// Method: a raw engine that stops reading, an upload larger than all buffers on the way, FIN and RST.
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test.skipIf(process.platform !== 'linux')('a reset during a blocked upload ends the exchange', async () => {
  const client = await blockedUpload('/reset');
  client.rst();
  const { record } = await sidecar.record('the reset', ({ request }) => request.path === '/reset');
  expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_head' });
});

test.skipIf(process.platform !== 'linux')('a client that waits in a blocked upload is left alone', async () => {
  const client = await blockedUpload('/waits');
  await sleep(4_000);
  expect(await openCount()).toBe(1);
  client.rst();
  await poll('the end', async () => ((await openCount()) === 0 ? true : undefined));
});
