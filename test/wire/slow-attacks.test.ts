// Goal: clients that send next to nothing, or that only hold connections, are closed in time, and those that mean
// well do not notice them.
// Method: T26 of the plan: many slow heads, slow bodies and silent connections at once, and requests beside them;
// next to each attacker one who looks like it and is none.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from 'node:http';
import { RawClient } from '../support/raw-client.ts';
import { Sidecar } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';

const CLOSED_WITHIN_MS = 12_000;
const ATTACKERS_COUNT = 200;
let engine: Server;
let sidecar: Sidecar;
const sockets: Socket[] = [];

beforeAll(async () => {
  engine = createServer((request, response) => {
    let byteCount = 0;
    request.on('data', (bytes: Buffer) => (byteCount += bytes.length));
    request.on('end', () => response.end(String(byteCount)));
  });
  // Lets its clients wait for ever.
  engine.on('checkContinue', () => undefined);
  engine.requestTimeout = 0;
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  const { port } = engine.address() as { port: number };
  sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  engine.closeAllConnections();
  engine.close();
  await sidecar.stop();
});

interface Attacker {
  readonly answer: () => string;
  /** Time from its connection to its end; undefined while it lives. */
  readonly lifeMs: () => number | undefined;
}

function attack(first: string, drip: string): Attacker {
  const startedAtMs = performance.now();
  let answer = '';
  let endedAtMs: number | undefined;
  const socket = connect(sidecar.listenPort, '127.0.0.1', () => socket.write(first));
  sockets.push(socket);
  const timer = setInterval(() => socket.write(drip), 1_000);
  socket.on('data', (bytes) => (answer += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('end', () => (endedAtMs ??= performance.now()));
  socket.on('close', () => {
    clearInterval(timer);
    endedAtMs ??= performance.now();
  });
  return { answer: () => answer, lifeMs: () => (endedAtMs === undefined ? undefined : endedAtMs - startedAtMs) };
}

const many = (make: () => Attacker): Attacker[] => Array.from({ length: ATTACKERS_COUNT }, make);

/** The slowest of requests made one after the other. */
async function goodRequests(count: number): Promise<number> {
  const client = await RawClient.open(sidecar.listenPort);
  const tookMs: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const atMs = performance.now();
    client.request('POST /good HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello');
    expect((await client.response(i)).body.toString()).toBe('5');
    tookMs.push(performance.now() - atMs);
  }
  client.close();
  return tookMs.toSorted((a, b) => a - b)[Math.floor(count / 2)] as number;
}

// Both groups wait for limits of ten seconds, and neither minds the other.
describe.concurrent('all of them at once', () => {
  test('T26 are closed in time, and good clients do not notice', async () => {
    const groups = {
      heads: many(() => attack('POST /slow-head HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n')),
      bodies: many(() => attack('POST /slow-body HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n', 'x')),
      silent: many(() => attack('', '')),
    };
    const all = Object.values(groups).flat();
    const medianMs: number[] = [];
    while (all.some(({ lifeMs }) => lifeMs() === undefined)) {
      medianMs.push(await goodRequests(20));
      if (medianMs.length > 70) break;
      await sleep(200);
    }
    for (const [name, attackers] of Object.entries(groups)) {
      const alive = attackers.filter(({ lifeMs }) => lifeMs() === undefined).length;
      expect([name, alive]).toEqual([name, 0]);
      for (const { lifeMs } of attackers) expect(lifeMs()).toBeLessThan(CLOSED_WITHIN_MS);
    }
    for (const { answer } of groups.heads) expect(answer()).toMatch(/^HTTP\/1\.1 408 .*RBT_SLOW_REQUEST/s);
    for (const { answer } of groups.bodies) expect(answer()).toMatch(/^HTTP\/1\.1 408 .*RBT_SLOW_REQUEST/s);
    // One-sided and generous: attackers cost good clients next to nothing.
    expect(Math.max(...medianMs)).toBeLessThan(100);
    const { record } = await sidecar.record('a slow body', ({ request }) => request.path === '/slow-body');
    expect(record.end).toMatchObject({ outcome: 'client_protocol', code: 'RBT_SLOW_REQUEST' });
  }, 40_000);
});

describe.concurrent('who looks like one and is none', () => {
  test('is not closed: chunks that come slowly, a body at the least speed, a client that waits for 100', async () => {
    const chunked = attack('POST /chunks HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n');
    const steady = attack('POST /steady HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n', 'x'.repeat(1_400));
    await sleep(13_000);
    expect([chunked.lifeMs(), steady.lifeMs()]).toEqual([undefined, undefined]);
    expect([chunked.answer(), steady.answer()]).toEqual(['', '']);
  }, 30_000);
});
