// Goal: TLS towards clients changes nothing of what the sidecar promises, and its certificate is as new as its files.
// Method: raw TLS clients; pairs signed by the authority of the tests; files replaced in place, by the symbolic-link
// swap that Kubernetes does, and by a bad pair, while a stream runs.
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pairOf, pem } from '../support/certificates.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { at, c, D, DONE, END, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const ca = pem('authority.crt.pem');
const pairs = {
  engine: pairOf('engine'),
  stranger: pairOf('stranger'),
};
const REQUEST =
  'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const STREAM = [at(0, HEAD), at(20, c(D('a'))), at(60, c(D('b'))), at(100, c(DONE), END)];

const folder = mkdtempSync(join(tmpdir(), 'rubato-tls-'));
let engine: RawEngine;
let sidecar: Sidecar;
const clients: RawClient[] = [];

/** A folder as a Secret is mounted: the files are links into a folder behind one link that is swapped. */
function publish(version: string, { cert, key }: { cert: string; key: string }): void {
  mkdirSync(join(folder, version));
  writeFileSync(join(folder, version, 'tls.crt'), cert);
  writeFileSync(join(folder, version, 'tls.key'), key);
  symlinkSync(version, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
}

beforeAll(async () => {
  engine = await RawEngine.start();
  publish('v1', pairs.engine);
  symlinkSync('..data/tls.crt', join(folder, 'tls.crt'));
  symlinkSync('..data/tls.key', join(folder, 'tls.key'));
  sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    args: ['--tls-cert', join(folder, 'tls.crt'), '--tls-key', join(folder, 'tls.key')],
  });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  engine.forgetPlans();
  expect(sidecar.fault).toBeUndefined();
  expect(engine.faults.splice(0)).toEqual([]);
});
afterAll(async () => {
  await sidecar.stop();
  await engine.stop();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<RawClient> {
  const client = await RawClient.open(sidecar.listenPort, { ca });
  clients.push(client);
  return client;
}

/** A handshake alone: the certificate's name and what was agreed upon. */
function shake(
  options: ConnectionOptions = {},
): Promise<{ subject: string; protocol: string; alpn: string | false | null }> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({
      host: '127.0.0.1',
      port: sidecar.listenPort,
      rejectUnauthorized: false,
      ...options,
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const { fingerprint256 } = socket.getPeerCertificate();
      resolve({ subject: fingerprint256, protocol: socket.getProtocol() ?? '', alpn: socket.alpnProtocol });
      socket.destroy();
    });
  });
}

describe('a stream over TLS', () => {
  test('arrives whole, at once and with all its stamps', async () => {
    const plan = engine.plan(STREAM);
    const client = await open();
    client.request(REQUEST);
    const response = await client.response();
    expect(response.body.toString()).toBe(D('a') + D('b') + DONE);
    await plan.exchange;
    const [entry] = await sidecar.recordsAfter(0, 1);
    expect(entry?.record.end.outcome).toBe('ok');
    // A write under TLS is confirmed a moment later, which is no client that does not read.
    expect(entry?.record.blockedNs).toEqual([]);
    expect(entry?.record.chunks.queuedBytes).toEqual([0, 0, 0]);
  });

  test('keeps its connection for the next one', async () => {
    const client = await open();
    for (let i = 0; i < 3; i += 1) {
      engine.plan([at(0, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')]);
      client.request(REQUEST);
      expect((await client.response(i)).body.toString()).toBe('ok');
    }
  });

  test('of 32 MiB is neither held up nor altered', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    engine.plan(async (exchange) => {
      await exchange.write(`HTTP/1.1 200 OK\r\ncontent-length: ${32 * piece.length}\r\n\r\n`);
      for (let i = 0; i < 32; i += 1) await exchange.write(piece);
    });
    const client = await open();
    client.request(REQUEST);
    const response = await client.response(0, 20_000);
    expect(response.bodyBytes).toBe(32 * piece.length);
    expect(response.complete).toBe(true);
  });

  test('whose client does not read is noted as blocked', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    engine.plan(async (exchange) => {
      await exchange.write(`HTTP/1.1 200 OK\r\ncontent-length: ${64 * piece.length}\r\n\r\n`);
      for (let i = 0; i < 64; i += 1) await exchange.write(piece);
    });
    const client = await open();
    client.request(REQUEST.replace('completions', 'blocked'));
    await client.bodyBytes(1);
    client.pause();
    await sleep(500);
    client.resume();
    await client.response(0, 20_000);
    const { record } = await sidecar.record('the blocked one', ({ request }) => request.path.endsWith('blocked'));
    expect(record.blockedNs.length).toBeGreaterThanOrEqual(2);
    expect(record.end.outcome).toBe('ok');
  });

  test.each(['fin', 'rst'] as const)('whose client leaves by %s ends the work of the engine', async (how) => {
    const plan = engine.plan([at(0, HEAD), at(10, c(D('a')))]);
    const client = await open();
    client.request(REQUEST);
    await client.bodyBytes(1);
    const { connection } = await plan.exchange;
    client[how]();
    await connection.signal.until('the engine to be told', () => connection.goneAtNs !== undefined, 2_000);
    await poll('the record', () =>
      sidecar.records().at(-1)?.record.end.outcome === 'client_abort' ? true : undefined,
    );
  });

  test('that the engine cuts is cut', async () => {
    engine.plan([at(0, HEAD), at(10, c(D('a'))), { atMs: 30, act: 'rst' }]);
    const client = await open();
    client.request(REQUEST);
    const response = await client.response();
    expect(response.complete).toBe(false);
    expect(response.body.toString()).toBe(D('a'));
  });

  test('that nothing but its connection ends is cut without the sign of a proper end', async () => {
    engine.plan([at(0, 'HTTP/1.1 200 OK\r\n\r\nab'), { atMs: 30, act: 'rst' }]);
    const client = await open();
    client.request('GET / HTTP/1.0\r\nhost: x\r\n\r\n');
    await client.untilGone();
    expect(client.parser.messages[0]?.body.toString()).toBe('ab');
  });

  test('that upgrades is a tunnel', async () => {
    engine.plan(async (exchange) => {
      await exchange.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nhello',
      );
    });
    const client = await open();
    client.request('GET /ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    const head = await client.responseHead();
    expect(head.status).toBe(101);
    await client.signal.until('the bytes', () => client.tail.endsWith('hello'));
  });
});

describe('the handshake', () => {
  test('needs TLS 1.2 or later', async () => {
    expect((await shake({ maxVersion: 'TLSv1.2' })).protocol).toBe('TLSv1.2');
    expect((await shake()).protocol).toBe('TLSv1.3');
    await expect(
      shake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }),
    ).rejects.toThrow();
  });

  test('agrees upon HTTP/1.1 and nothing else', async () => {
    expect((await shake({ ALPNProtocols: ['h2', 'http/1.1'] })).alpn).toBe('http/1.1');
    await expect(shake({ ALPNProtocols: ['h2'] })).rejects.toThrow(/alert/i);
  });

  test.each(['GET / HTTP/1.1\r\nhost: x\r\n\r\n', '\x16\x03\x01garbage that is no hello', '\0'.repeat(64)])(
    'that is none is refused and hurts nobody: %j',
    async (bytes) => {
      const socket = connectPlain(sidecar.listenPort, '127.0.0.1');
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined);
      socket.on('data', () => undefined);
      socket.write(bytes);
      await closed;
      expect(engine.faults).toEqual([]);
      await shake();
    },
  );
});

describe('the certificate', () => {
  test('is replaced by a swap of links, and a stream that runs is not hurt', async () => {
    engine.plan([at(0, HEAD), at(20, c(D('a'))), at(2_500, c(DONE), END)]);
    const running = await open();
    running.request(REQUEST);
    await running.bodyBytes(1);
    const before = (await shake()).subject;
    publish('v2', pairs.stranger);
    await poll('the new certificate', async () => ((await shake()).subject === before ? undefined : true), 12_000, 50);
    expect((await running.response()).body.toString()).toBe(D('a') + DONE);
    expect(sidecar.logs.some(({ msg }) => String(msg).includes('new TLS certificate serves'))).toBe(true);
  });

  test('that is bad is not taken, which is said once', async () => {
    const before = (await shake()).subject;
    publish('v3', { cert: pairs.engine.cert, key: pairs.stranger.key });
    const warnings = (): unknown[] => sidecar.logs.filter(({ msg }) => String(msg).includes('was not taken'));
    await poll('the warning', () => (warnings().length > 0 ? true : undefined), 12_000);
    publish('v4', { cert: 'no certificate', key: 'no key' });
    await poll('the second warning', () => (warnings().length > 1 ? true : undefined), 12_000);
    await sleep(500);
    expect(warnings().length).toBe(2);
    expect(JSON.stringify(sidecar.logs)).not.toContain('PRIVATE KEY-----\\n');
    expect((await shake()).subject).toBe(before);
  });

  test('that is good again is taken', async () => {
    const before = (await shake()).subject;
    publish('v5', pairs.engine);
    await poll('the new certificate', async () => ((await shake()).subject === before ? undefined : true), 12_000, 50);
  });
});

test('a relay that takes over for a dead one serves with the newest certificate', async () => {
  const file = (name: string): string => join(folder, name);
  writeFileSync(file('own.crt'), pairs.engine.cert);
  writeFileSync(file('own.key'), pairs.engine.key);
  const own = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    args: ['--tls-cert', file('own.crt'), '--tls-key', file('own.key'), '--relays', '2'],
    nodeArgs: ['--import', new URL('../support/kill-relay.ts', import.meta.url).href],
  });
  const fingerprint = async (): Promise<string> => (await shake({ port: own.listenPort })).subject;
  try {
    const before = await fingerprint();
    writeFileSync(file('own.key'), pairs.stranger.key);
    writeFileSync(file('own.crt'), pairs.stranger.cert);
    const isNew = async (): Promise<true | undefined> => ((await fingerprint()) === before ? undefined : true);
    await poll('the new certificate', isNew, 12_000, 50);
    process.kill(own.pid, 'SIGUSR2');
    await poll('the successor', () => (own.logs.some(({ level }) => level === 'error') ? true : undefined), 10_000);
    for (let i = 0; i < 20; i += 1) expect(await fingerprint()).not.toBe(before);
  } finally {
    await own.stop();
  }
});
