// Goal: floods of connections, of bad requests and of good ones cost nobody else a byte, and leave nothing behind.
// Method: T26 of the plan, the part that is not slow: many at once, a stream and a patient client beside them, and
// the memory and descriptors of the process before and after.
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { c, D, DONE, END, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';

const MIB = 1024 * 1024;
const FLOOD_COUNT = 3_000;
const AT_ONCE_COUNT = 250;
let engine: RawEngine;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await RawEngine.start();
  sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, args: ['--chunks', 'off'] });
});
afterAll(async () => {
  await sidecar.stop();
  await engine.stop();
});

/** Connects, sends, and waits for the end; whatever comes back is dropped. */
function hit(bytes: string, leaves: 'at once' | 'when told'): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(sidecar.listenPort, '127.0.0.1', () => {
      socket.write(bytes, 'latin1', () => {
        if (leaves === 'at once') socket.resetAndDestroy();
      });
    });
    socket.on('data', () => undefined);
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

async function flood(bytes: string, leaves: 'at once' | 'when told'): Promise<void> {
  for (let sent = 0; sent < FLOOD_COUNT; sent += AT_ONCE_COUNT) {
    await Promise.all(Array.from({ length: AT_ONCE_COUNT }, () => hit(bytes, leaves)));
  }
}

const descriptorCount = (): number => readdirSync(`/proc/${sidecar.pid}/fd`).length;

test.skipIf(process.platform !== 'linux').each([
  ['connections that say nothing', ' ', 'at once'],
  ['half heads', 'POST /half HTTP/1.1\r\nhost: x\r\nx-', 'at once'],
  ['garbage', '\x16\x03\x01\x02garbage\r\n\r\n', 'when told'],
  ['requests that are refused', 'GET /a#b HTTP/1.1\r\nhost: x\r\n\r\n', 'when told'],
  ['heads of 70 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'v'.repeat(70_000)}\r\n\r\n`, 'when told'],
  ['methods that nobody passes on', 'CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n', 'when told'],
] as const)(
  'a flood of %s hurts no stream and leaves nothing behind',
  async (_what, bytes, leaves) => {
    const plan = engine.plan([]);
    const client = await RawClient.open(sidecar.listenPort);
    client.request('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    const exchange = await plan.exchange;
    await exchange.write(HEAD);
    await flood(bytes, leaves);
    const [rssBefore, descriptorsBefore] = [sidecar.rssBytes(), descriptorCount()];
    await exchange.write(c(D('a')));
    await flood(bytes, leaves);
    await exchange.write(c(DONE), END);
    expect((await client.response()).body.toString()).toBe(D('a') + DONE);
    client.close();
    expect(engine.requestCount).toBe(engine.connections.flatMap(({ exchanges }) => exchanges).length);
    await poll('the descriptors to be given back', () =>
      descriptorCount() <= descriptorsBefore + 8 ? true : undefined,
    );
    expect(sidecar.rssBytes() - rssBefore).toBeLessThan(48 * MIB);
    expect(sidecar.logs.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    expect(sidecar.fault).toBeUndefined();
  },
  60_000,
);
