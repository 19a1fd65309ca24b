// Goal: an answer that comes before its request is over reaches the client, whatever both sides do then.
// Method: an engine that answers 413 at once and closes, or reads on; clients that send on meanwhile.
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { LINGER_MS } from '../../src/base/limits.ts';
import { useBench, type Bench } from '../support/bench.ts';
import { pairOf, pemPath } from '../support/certificates.ts';
import type { Script } from '../support/raw-engine.ts';
import { at, head, requestOf } from '../support/script.ts';
import { poll, sleep } from '../support/signal.ts';

const BLOCK = Buffer.alloc(100_000);
const TOO_LARGE = `${head('413 Content Too Large', 'connection: close', 'content-length: 2')}no`;
const uploadOf = (bytes: number): string => `POST /up HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`;
const bench = useBench();

describe('an answer before its request is over', () => {
  test('reaches a client that looks for it only after it has sent all', async () => {
    bench.engine.plan([at(0, TOO_LARGE)]);
    const client = await bench.client();
    client.pause();
    client.request(uploadOf(30 * BLOCK.length));
    for (let count = 0; count < 30; count += 1) {
      await client.send(BLOCK);
      await sleep(5);
    }
    client.resume();
    expect((await client.response()).status).toBe(413);
    expect(client.errorCode).toBeUndefined();
  });

  test('is the last on its connection: what the client sends behind its body is not served', async () => {
    bench.engine.plan([at(0, TOO_LARGE)]);
    const before = bench.engine.requestCount;
    const client = await bench.client();
    client.request(uploadOf(10));
    await client.response();
    await client.send(Buffer.concat([Buffer.alloc(10), requestOf()]));
    await sleep(100);
    expect(bench.engine.requestCount).toBe(before + 1);
  });
});

test('a client that does not close after our last answer keeps no socket of ours', async () => {
  const count = (): number => readdirSync(`/proc/${bench.sidecar.pid}/fd`).length;
  const before = count();
  const sockets = ['GARBAGE\r\n\r\n', 'CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n'].flatMap((bytes) =>
    Array.from({ length: 5 }, () => {
      const socket = connect({ host: '127.0.0.1', port: bench.sidecar.listenPort, allowHalfOpen: true });
      socket.on('error', () => undefined).resume();
      socket.write(bytes);
      return socket;
    }),
  );
  await sleep(LINGER_MS);
  await poll('sockets to be closed', () => (count() <= before ? true : undefined), 3_000);
  for (const socket of sockets) socket.destroy();
});

describe.each([
  ['plain', bench],
  [
    'TLS',
    useBench({
      tls: pairOf('engine'),
      args: ['--upstream-ca', pemPath('authority.crt.pem')],
    }),
  ],
])('an engine (%s) that ends its connection while we still send, so that our next write fails', (_, to) => {
  /** Statuses that clients in the middle of a long upload get. */
  async function statuses(script: Script, on: Bench): Promise<Set<number>> {
    const seen = new Set<number>();
    for (let round = 0; round < 12; round += 1) {
      on.engine.plan(script);
      const client = await on.client();
      client.request(uploadOf(300 * BLOCK.length));
      void (async () => {
        for (let count = 0; count < 300 && !client.gone; count += 1) await client.send(BLOCK);
      })();
      seen.add((await client.response(0, 3_000)).status);
      client.close();
    }
    return seen;
  }

  test('has its answer heard', async () => {
    const script: Script = async (exchange) => {
      await exchange.write(TOO_LARGE);
      exchange.connection.socket.destroySoon();
    };
    expect(await statuses(script, to)).toEqual(new Set([413]));
  });

  test('without an answer is 502', async () => {
    expect(await statuses((exchange) => void exchange.connection.socket.destroy(), to)).toEqual(new Set([502]));
  });
});
