// Goal: where an upstream is, is known before a stream asks; a name server that is slow, gone or of another mind
// delays and breaks no stream.
// Method: a name server of the tests on loopback, engines on several loopback addresses at one port, a new
// connection for each request; what the system's own look-up is asked is counted.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DnsServer } from '../support/dns-server.ts';
import { RawClient } from '../support/raw-client.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const OWN_NAMES = new URL('../support/own-names.ts', import.meta.url).pathname;
/** Two looks of the sidecar at a name lie at most so far apart, and some time for the machine. */
const CHANGE_MS = 9_000;

interface Engine {
  readonly server: Server;
  readonly port: number;
  answers: number;
}

/** Answers who it is, and closes the connection so that the next request needs one of its own. */
async function startEngine(host: string, port = 0): Promise<Engine> {
  const engine = { answers: 0 };
  const server = createServer((_req, res) => {
    engine.answers += 1;
    res.setHeader('connection', 'close').end(host);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return Object.assign(engine, { server, port: (server.address() as AddressInfo).port });
}

let dns: DnsServer;
let first: Engine;
let second: Engine;
let third: Engine | undefined;
beforeAll(async () => {
  dns = await DnsServer.start();
  first = await startEngine('127.0.0.1');
  second = await startEngine('127.0.0.2', first.port);
  third = await startEngine('::1', first.port).catch(() => undefined);
});
afterAll(() => {
  for (const engine of [first, second, third]) engine?.server.close();
  dns.stop();
});
beforeEach(() => {
  dns.mode = 'answers';
  dns.delayMs = 0;
});

function startSidecar(name: string, args: readonly string[] = []): Promise<Sidecar> {
  return Sidecar.start({
    upstream: `http://${name}:${first.port}`,
    nodeArgs: ['--import', OWN_NAMES],
    env: { TEST_DNS_SERVER: dns.address },
    args,
  });
}

/** For one test, and no longer, however it goes: a sidecar that is left asks on. */
async function ownSidecar(name: string, args: readonly string[] = []): Promise<Sidecar> {
  const sidecar = await startSidecar(name, args);
  onTestFinished(() => sidecar.stop());
  return sidecar;
}

interface Asked {
  readonly status: number | undefined;
  readonly text: string;
  readonly tookMs: number;
}

async function ask(sidecar: Sidecar): Promise<Asked> {
  const client = await RawClient.open(sidecar.listenPort);
  const fromMs = performance.now();
  client.request('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const { status, body } = await client.response();
  client.close();
  return { status, text: body.toString(), tookMs: performance.now() - fromMs };
}

async function lastRecord(sidecar: Sidecar, count: number): Promise<RecordEntry> {
  return (await sidecar.untilRecords(count)).at(-1) as RecordEntry;
}

describe('a name that is known', () => {
  let sidecar: Sidecar;
  let asks = 0;
  beforeAll(async () => {
    dns.names.set('engine.test', ['127.0.0.1']);
    sidecar = await startSidecar('engine.test');
    await poll('the look-up at the start', () => (dns.asked.includes('engine.test') ? true : undefined), 5_000);
  });
  afterAll(() => sidecar.stop());
  const askOnce = async (): Promise<Asked> => {
    asks += 1;
    return ask(sidecar);
  };

  test('F30 was asked for before any stream, and costs a stream nothing', async () => {
    expect(await askOnce()).toMatchObject({ status: 200, text: '127.0.0.1' });
    await askOnce();
    const { record } = await lastRecord(sidecar, asks);
    expect(record.connection).toMatchObject({ reused: false, tcpNs: expect.any(Number) });
    expect(record.connection).not.toHaveProperty('dnsNs');
    // Host and path are those of the client, who need not know where the engine is.
    expect(sidecar.logs.filter((line) => line['msg'] === 'the system was asked')).toEqual([]);
  });

  test('F30 name servers that are slow or gone delay no stream, and the last good answer goes on', async () => {
    dns.mode = 'silent';
    const untilMs = performance.now() + CHANGE_MS;
    const askedBefore = dns.asked.length;
    let slowestMs = 0;
    while (performance.now() < untilMs) {
      const asked = await askOnce();
      expect(asked.text).toBe('127.0.0.1');
      slowestMs = Math.max(slowestMs, asked.tookMs);
      await sleep(250);
    }
    // It was looked up meanwhile, in vain.
    expect(dns.asked.length).toBeGreaterThan(askedBefore);
    expect(slowestMs).toBeLessThan(900);
    expect(sidecar.logs.filter((line) => line['msg'] === 'the system was asked')).toEqual([]);
  });

  test('F30 an upstream that moves is followed without a restart', async () => {
    dns.names.set('engine.test', ['127.0.0.2']);
    const fromMs = performance.now();
    let text = '';
    while (text !== '127.0.0.2' && performance.now() - fromMs < 2 * CHANGE_MS) {
      ({ text } = await askOnce());
      await sleep(250);
    }
    expect(text).toBe('127.0.0.2');
  });
});

test('an upstream that was replaced is found by the first connection that fails', async () => {
  dns.names.set('moved.test', ['127.0.0.3']);
  dns.ttlSeconds = 60;
  const sidecar = await ownSidecar('moved.test');
  expect(await ask(sidecar)).toMatchObject({ status: 502 });
  dns.names.set('moved.test', ['127.0.0.2']);
  // Not sooner than half a second after the last look-up.
  await sleep(600);
  await ask(sidecar);
  const found = await pollAsk(sidecar, 3_000, ({ text }) => text === '127.0.0.2');
  expect(found.status).toBe(200);
  dns.ttlSeconds = 1;
});

async function pollAsk(sidecar: Sidecar, waitMs: number, isIt: (asked: Asked) => boolean): Promise<Asked> {
  const untilMs = performance.now() + waitMs;
  let asked = await ask(sidecar);
  while (!isIt(asked) && performance.now() < untilMs) {
    await sleep(100);
    asked = await ask(sidecar);
  }
  return asked;
}

test('F03 a name that nobody knows is 502 connect_error ENOTFOUND, until somebody does', async () => {
  const sidecar = await ownSidecar('new.test');
  expect(await ask(sidecar)).toMatchObject({ status: 502 });
  const { record } = await lastRecord(sidecar, 1);
  expect(record.end).toMatchObject({ outcome: 'connect_error', phase: 'before_head', reason: 'ENOTFOUND' });
  dns.names.set('new.test', ['127.0.0.1']);
  expect(await ask(sidecar)).toMatchObject({ status: 200, text: '127.0.0.1' });
  // This one waited for the answer, and says so.
  expect((await lastRecord(sidecar, 2)).record.connection?.dnsNs).toBeGreaterThan(0);
});

test('F31 an upstream that answers on IPv6 alone is found, at once from the second time on', async ({ skip }) => {
  skip(third === undefined, 'this machine has no IPv6 loopback');
  dns.names.set('both.test', ['127.0.0.9', '::1']);
  const sidecar = await ownSidecar('both.test');
  expect((await ask(sidecar)).text).toBe('::1');
  await ask(sidecar);
  const { record } = await lastRecord(sidecar, 2);
  // Nothing was tried that fails: connecting took no longer than the handshake that counts.
  const { connectStartAtNs = 0, connectedAtNs = 0 } = record.marks;
  expect(connectedAtNs - connectStartAtNs).toBeLessThan(200e6);
});

test('localhost is nobody else’s business', async () => {
  dns.mode = 'silent';
  dns.asked.length = 0;
  const sidecar = await ownSidecar('localhost');
  expect((await ask(sidecar)).status).toBe(200);
  expect(dns.asked).toEqual([]);
});

test('T29 clients may come over IPv6 alone', async ({ skip }) => {
  skip(third === undefined, 'this machine has no IPv6 loopback');
  const sidecar = await ownSidecar('localhost', ['--listen', '[::1]:0']);
  const response = await fetch(`http://[::1]:${sidecar.listenPort}/`);
  expect([response.status, await response.text()].at(0)).toBe(200);
});
