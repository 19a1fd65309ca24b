// Goal: no request is read in another way by the sidecar than by whoever stands behind it (T09 of the plan).
// Method: the named corpus over raw sockets, whole and in pieces; what reaches the engine, byte by byte. Behind
// each request that must be refused stands one that must stay hidden.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import type { EngineExchange } from '../support/raw-engine.ts';
import { bytesOf } from '../support/script.ts';
import { sleep } from '../support/signal.ts';
import { BROKEN_LATER, LEGAL, REFUSED, type SmugglingCase } from '../support/smuggling-corpus.ts';

const bench = useBench();

/** Answers once the request is whole. */
async function ok(exchange: EngineExchange): Promise<void> {
  await exchange.untilRequestEnd();
  await exchange.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
}

/** Sends the bytes, as they are or cut where it hurts, and gives what came back until the connection ended. */
async function send({ bytes }: SmugglingCase, pieces: 'whole' | 'in pieces'): Promise<string> {
  const client = await bench.client();
  const all = Buffer.from(bytes, 'latin1');
  if (pieces === 'whole') client.request(all);
  else {
    const cut = all.length > 4_096 ? 40_000 : 7;
    for (let from = 0; from < all.length; from += cut) {
      client.request(all.subarray(from, from + cut));
      await sleep(1);
    }
  }
  await client.untilGone(3_000);
  return client.parser.messages[0]?.head?.startLine ?? 'no answer';
}

test('the corpus is as large as the plan wants it', () => {
  expect(REFUSED.length + BROKEN_LATER.length).toBeGreaterThanOrEqual(51);
  expect(LEGAL.length).toBeGreaterThanOrEqual(10);
  expect(new Set([...REFUSED, ...BROKEN_LATER, ...LEGAL].map(({ name }) => name)).size).toBe(
    REFUSED.length + BROKEN_LATER.length + LEGAL.length,
  );
});

describe.each(['whole', 'in pieces'] as const)('sent %s', (pieces) => {
  test.each(REFUSED)('$name is refused, and no byte of it reaches the engine', async (it) => {
    const receivedBefore = receivedBytes();
    expect(await send(it, pieces)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(receivedBytes()).toBe(receivedBefore);
  });

  test.each(BROKEN_LATER)('$name never becomes a whole request', async (it) => {
    bench.engine.plan([]);
    const completeBefore = completeCount();
    expect(await send(it, pieces)).toMatch(/^HTTP\/1\.1 4\d\d /);
    // Whatever of its head had left by then was cut.
    expect(completeCount()).toBe(completeBefore);
    expect(bench.engine.connections.some(({ reads }) => reads.some(({ bytes }) => bytes.includes('/hidden')))).toBe(
      false,
    );
  });

  test.each(LEGAL)('$name arrives as one equal request', async ({ bytes, startLine, has, hasNot, body }) => {
    const plan = bench.engine.plan(ok);
    const requestsBefore = bench.engine.requestCount;
    const client = await bench.client();
    const all = Buffer.from(bytes, 'latin1');
    if (pieces === 'whole') client.request(all);
    else {
      for (let from = 0; from < all.length; from += 7) {
        client.request(all.subarray(from, from + 7));
        await sleep(1);
      }
    }
    const { request, connection } = await plan.exchange;
    expect((await client.response()).status).toBe(200);
    expect(request.head?.startLine).toBe(startLine);
    const lines = (request.head?.lines ?? []).map((line) => line.toLowerCase());
    for (const line of has ?? []) expect(lines).toContain(line);
    const names = lines.map((line) => line.split(':', 1)[0]);
    for (const name of hasNot ?? []) expect(names).not.toContain(name);
    expect(request.body.toString('latin1')).toBe(body ?? '');
    expect(request.complete).toBe(true);
    await sleep(5);
    expect(bench.engine.requestCount).toBe(requestsBefore + 1);
    expect(connection.parser.fault).toBeUndefined();
  });
});

test.each([
  ['more than 2,000 fields', 431, 'RBT_HEAD_TOO_LARGE'],
  ['a head of more than 64 KiB', 431, 'RBT_HEAD_TOO_LARGE'],
  ['CONNECT', 405, 'RBT_METHOD_REFUSED'],
  ['TRACE', 405, 'RBT_METHOD_REFUSED'],
  ['a length and chunks', 400, 'RBT_BAD_REQUEST'],
])('F13 F14 %s is told by %i %s', async (name, status, code) => {
  const client = await bench.client();
  client.request(Buffer.from(REFUSED.find((it) => it.name === name)?.bytes ?? '', 'latin1'));
  const response = await client.response();
  expect([response.status, response.values('x-rubato-error')]).toEqual([status, [code]]);
});

function receivedBytes(): number {
  return bench.engine.connections.reduce(
    (sum, { reads }) => sum + reads.reduce((all, { bytes }) => all + bytes.length, 0),
    0,
  );
}

function completeCount(): number {
  return bench.engine.connections.reduce(
    (sum, { parser }) => sum + parser.messages.filter((it) => it.complete).length,
    0,
  );
}

test('what two clients sent never mixes on one connection to the engine', async () => {
  for (const it of [...REFUSED, ...BROKEN_LATER].slice(0, 20)) {
    bench.engine.forgetPlans();
    bench.engine.plan([]);
    await send(it, 'whole');
    bench.engine.forgetPlans();
    const plan = bench.engine.plan(ok);
    const client = await bench.client();
    client.request(bytesOf('GET /innocent HTTP/1.1\r\nhost: x\r\n\r\n'));
    expect((await client.response()).body.toString()).toBe('ok');
    expect((await plan.exchange).request.head?.startLine).toBe('GET /innocent HTTP/1.1');
  }
});
