// Goal: whoever connects to the OTLP port and says little, slowly or nothing costs a bounded number of
// connections for a bounded time, and keeps no exporter out. Method: raw sockets against a receiver in this
// process; times by the caps themselves, never by two sides.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OTLP_CONNECTIONS_MAX_COUNT, OTLP_HEAD_TIMEOUT_MS } from '../../src/base/otlp-limits.ts';
import { createOtlpReceiver, type OtlpReceiver } from '../../src/observe/otlp/receiver.ts';
import { exportSpans, makeSpans } from '../support/engine-spans.ts';
import { poll, sleep } from '../support/signal.ts';
import { fuzz } from '../support/fuzz.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const SLACK_MS = 5_000;

let receiver: OtlpReceiver | undefined;
let port = 0;
const sockets: Socket[] = [];

beforeAll(async () => {
  receiver = createOtlpReceiver({
    host: '127.0.0.1',
    port: 0,
    targets: { traces: undefined, metrics: undefined, logs: undefined },
    onForwardFailed: () => undefined,
    onForwarded: () => undefined,
    evidenceWaitMs: 2_000,
    onLate: () => undefined,
  });
  ({ port } = await receiver.start());
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await receiver?.close();
});

async function open(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

function exports(): Promise<Error | undefined> {
  return exportSpans('grpc', `http://127.0.0.1:${port}`, makeSpans([{ traceparent: TRACEPARENT }]));
}

test('connections that say nothing, or never finish a head, are closed in time', async () => {
  const starts = ['', 'P', 'PO', 'POST /v1/traces HTTP/1.1\r\nhost: x\r\nx-slow: '];
  const slow = await Promise.all(starts.map((text) => open(text)));
  const startMs = performance.now();
  await Promise.all(slow.map((socket) => once(socket, 'close')));
  expect(performance.now() - startMs).toBeLessThan(OTLP_HEAD_TIMEOUT_MS + SLACK_MS);
  expect(await exports()).toBeUndefined();
});

test('beyond the cap connections are turned away and counted, and there is room again afterwards', async () => {
  const crowd = await Promise.all(Array.from({ length: OTLP_CONNECTIONS_MAX_COUNT }, () => open('')));
  const more = await open('');
  await once(more, 'close');
  expect(receiver?.counts.dropped.connection).toBeGreaterThan(0);
  for (const socket of crowd) socket.destroy();
  await poll('room', async () => ((await exports()) === undefined ? true : undefined));
});

test('a client that leaves in the middle of a body leaves nothing behind', async () => {
  const head =
    'POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: 4000000\r\n\r\n';
  for (let i = 0; i < 40; i += 1) {
    const socket = await open(head);
    socket.write(Buffer.alloc(3_900_000));
    await sleep(20);
    socket.destroy();
  }
  // All of it together is more than may be in work at once.
  await poll('room', async () => {
    const body = new Uint8Array(2_000_000);
    const headers = { 'content-type': 'application/x-protobuf' };
    const response = await fetch(`http://127.0.0.1:${port}/v1/logs`, { method: 'POST', body, headers });
    return response.status === 200 ? true : undefined;
  });
});

test('when too much is in work already, senders are told to come again', async () => {
  const length = 4_000_000;
  const head = `POST /v1/logs HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: ${length}\r\n\r\n`;
  const half = await Promise.all(Array.from({ length: 18 }, () => open(head)));
  for (const socket of half) socket.write(Buffer.alloc(length - 1));
  const headers = { 'content-type': 'application/x-protobuf' };
  const post = async (): Promise<Response | undefined> => {
    const body = new Uint8Array(length);
    // A refusal comes before all of it was sent, so that the connection may be cut.
    return await fetch(`http://127.0.0.1:${port}/v1/logs`, { method: 'POST', body, headers }).catch(() => undefined);
  };
  const refused = await poll('a refusal', async () => {
    const response = await post();
    return response?.status === 503 ? response : undefined;
  });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(receiver?.counts.dropped.busy).toBeGreaterThan(0);
  for (const socket of half) socket.destroy();
  await poll('room', async () => ((await post())?.status === 200 ? true : undefined));
});

test('bytes that are HTTP/2 at first sight only end their own connection', async () => {
  const socket = await open(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'x'.repeat(100)}`);
  await once(socket, 'close');
  expect(await exports()).toBeUndefined();
});

test('random bytes, alone or behind the beginning of either protocol, harm nobody', async () => {
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  const starts = [
    Buffer.alloc(0),
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings]),
    Buffer.from('POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\n'),
    Buffer.from('POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n'),
  ];
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...starts), bytes, async (start, rest) => {
      const socket = await open('');
      socket.end(Buffer.concat([start, rest]));
      await Promise.race([once(socket, 'close'), sleep(50)]);
      socket.destroy();
    }),
    fuzz(150),
  );
  expect(await exports()).toBeUndefined();
});
