// Goal: when no connection to the engine comes about, the client is told so by status and code, the record says
// why, and not a byte of the request has left (F01 to F04, T07).
// Method: ports that refuse, take nothing or never finish a handshake; names that do not exist; certificates
// that are out of date; engines that speak no TLS.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nowNs } from '../../src/base/clock.ts';
import { pairOf, pemPath } from '../support/certificates.ts';
import { DeafListener } from '../support/deaf-listener.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { chatRequest } from '../support/script.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import type { WireMessage } from '../support/wire-parser.ts';
import { sleep } from '../support/signal.ts';

interface Asked extends RecordEntry {
  readonly response: WireMessage;
  readonly tookMs: number;
}

let asked = 0;
async function ask(sidecar: Sidecar): Promise<Asked> {
  asked += 1;
  const model = `asked-${asked}`;
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ model }));
  const response = await client.response(0, 12_000);
  const tookMs = (nowNs() - client.sentAtNs) / 1e6;
  client.close();
  const entry = await sidecar.record(model, ({ request }) => request.model === model);
  return { ...entry, response, tookMs };
}

function expectConnectError({ response, record }: Asked, reason: RegExp): void {
  expect([response.status, response.values('x-rubato-error')]).toEqual([502, ['RBT_UPSTREAM_CONNECT']]);
  expect(record.end).toMatchObject({ outcome: 'connect_error', phase: 'before_head' });
  expect(record.end.reason).toMatch(reason);
}

function expectConnectLimit({ response, record, tookMs }: Asked, limitMs: number): void {
  expect([response.status, response.values('x-rubato-error')]).toEqual([504, ['RBT_TIMEOUT_CONNECT']]);
  expect(record.end).toMatchObject({ outcome: 'timeout_connect', phase: 'before_head' });
  expect(tookMs).toBeGreaterThanOrEqual(limitMs);
}

async function withSidecar(upstream: string, args: readonly string[], run: (sidecar: Sidecar) => Promise<void>) {
  const sidecar = await Sidecar.start({ upstream, args });
  try {
    await run(sidecar);
    expect(sidecar.fault).toBeUndefined();
  } finally {
    await sidecar.stop();
  }
}

test('F01 a refused connection is told within a moment', async () => {
  const engine = await RawEngine.start();
  const { port } = engine;
  await engine.stop();
  await withSidecar(`http://127.0.0.1:${port}`, [], async (sidecar) => {
    const tooks: number[] = [];
    for (let count = 0; count < 9; count += 1) {
      const each = await ask(sidecar);
      expectConnectError(each, /^ECONNREFUSED$/);
      tooks.push(each.tookMs);
    }
    // The target is 5 ms on an idle machine; half of them on a busy one.
    expect(tooks.toSorted((a, b) => a - b)[4]).toBeLessThan(50);
  });
});

test('F03 a name that does not exist is no connection', async () => {
  // Names under .invalid exist nowhere (RFC 2606 §2).
  await withSidecar('http://engine.invalid:8000', [], async (sidecar) => {
    expectConnectError(await ask(sidecar), /^(?:ENOTFOUND|EAI_AGAIN)$/);
  });
});

describe('F02 a port that takes no connection', () => {
  let deaf: DeafListener;
  beforeAll(async () => {
    deaf = await DeafListener.start();
  });
  afterAll(() => deaf.stop());

  test('is 504 once the limit for connecting is reached', async () => {
    await withSidecar(`http://127.0.0.1:${deaf.port}`, ['--timeout-connect', '0.3'], async (sidecar) => {
      expectConnectLimit(await ask(sidecar), 300);
    });
  });

  test('is left early by a client that leaves, without a limit', async () => {
    await withSidecar(`http://127.0.0.1:${deaf.port}`, [], async (sidecar) => {
      const client = await RawClient.open(sidecar.listenPort);
      client.request(chatRequest({ model: 'left' }));
      await sleep(100);
      client.fin();
      const { record } = await sidecar.record('it', ({ request }) => request.model === 'left');
      expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_head' });
      expect(record.marks.connectedAtNs).toBeUndefined();
    });
  });
});

describe('F04 TLS', () => {
  let mute: Server;
  const sockets: Socket[] = [];
  const reads: Buffer[] = [];
  beforeAll(async () => {
    mute = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => reads.push(bytes));
      sockets.push(socket);
    });
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  test('a handshake that hangs is 504 once the limit for connecting is reached', async () => {
    const { port } = mute.address() as AddressInfo;
    await withSidecar(`https://127.0.0.1:${port}`, ['--timeout-connect', '0.3'], async (sidecar) => {
      expectConnectLimit(await ask(sidecar), 300);
    });
    // A hello of TLS and nothing of the request.
    expect(reads.every((bytes) => bytes[0] === 0x16 && !bytes.includes('POST'))).toBe(true);
  });

  test('an engine that speaks plain HTTP is no connection, and gets no byte of the request', async () => {
    const heard: Buffer[] = [];
    const plain = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        heard.push(bytes);
        socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    await withSidecar(`https://127.0.0.1:${port}`, [], async (sidecar) => {
      expectConnectError(await ask(sidecar), /^(?:EPROTO|ERR_SSL_\w+)$/);
    });
    plain.close();
    expect(Buffer.concat(heard).includes('POST')).toBe(false);
  });

  test('a certificate that is out of date is no connection, though its maker is trusted', async () => {
    const engine = await RawEngine.start(pairOf('expired'));
    const authority = pemPath('expired.crt.pem');
    await withSidecar(`https://127.0.0.1:${engine.port}`, ['--upstream-ca', authority], async (sidecar) => {
      expectConnectError(await ask(sidecar), /^CERT_HAS_EXPIRED$/);
    });
    expect(engine.connections.every(({ receivedBytes }) => receivedBytes === 0)).toBe(true);
    await engine.stop();
  });
});
