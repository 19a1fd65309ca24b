// Goal: a peer that takes nothing for the configured time ends its exchange under a name of its own, at once on
// both sides; one that takes a little, and one that waits for us, is left alone. Off unless configured (F23, F24b).
// Method: raw clients that do not read, raw engines that do not read; limits of half a second.
import { describe, expect, test } from 'vitest';
import { nowNs } from '../../src/base/clock.ts';
import { useBench } from '../support/bench.ts';
import type { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, type EngineExchange } from '../support/raw-engine.ts';
import { c, chatRequest, D, DONE, END, HEAD, head } from '../support/script.ts';
import { poll, sleep } from '../support/signal.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const LIMIT_MS = 500;
/** Looks come each eighth of the limit; the rest is for a busy machine. */
const SEEN_WITHIN_MS = 4_000;

const flood = async (exchange: EngineExchange): Promise<void> => {
  const block = c(D('x'.repeat(60 * KIB)));
  await exchange.write(HEAD);
  for (let sent = 0; sent < 96 * MIB && exchange.connection.goneAtNs === undefined; sent += block.length)
    await exchange.write(block);
  await exchange.write(c(DONE), END);
};

function upload(path: string, bytes: number, lines: readonly string[] = []): string {
  const fields = ['host: x', ...lines, `content-length: ${bytes}`];
  return `POST ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`;
}

async function sendMiB(client: RawClient, count: number): Promise<void> {
  for (let sent = 0; sent < count && !client.gone; sent += 1) await client.send(Buffer.alloc(MIB, 'x'));
}

describe('with limits', () => {
  const bench = useBench({ args: ['--client-stall', '0.5', '--upload-stall', '0.5'] });

  test('a client that takes nothing is cut and its engine told to stop', async () => {
    const plan = bench.engine.plan(flood);
    const client = await bench.client();
    client.request(chatRequest({ model: 'asleep', lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await client.responseHead();
    client.pause();
    const pausedAtNs = nowNs();
    const { connection } = await plan.exchange;
    await connection.untilGone(SEEN_WITHIN_MS);
    expect(((connection.goneAtNs ?? 0) - pausedAtNs) / 1e6).toBeGreaterThanOrEqual(LIMIT_MS);
    const { record } = await bench.sidecar.record('it', ({ request }) => request.model === 'asleep');
    expect(record.end).toMatchObject({ outcome: 'client_stalled', phase: 'mid_stream', reason: 'limit' });
    expect(record.response.deliveredBytes).toBeLessThan(record.response.receivedBytes);
    client.resume();
    expect((await client.response()).complete).toBe(false);
    expect(client.tail.endsWith(END)).toBe(false);
    // What waited for it is dropped, not kept by the kernel until it may read.
    await poll('the reset', () => client.errorCode);
  });

  test('a client that reads a little now and then is no stalled one', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.write(HEAD);
      const block = c(D('x'.repeat(60 * KIB)));
      for (let sent = 0; sent < 16 * MIB; sent += block.length) await exchange.write(block);
      await exchange.write(c(DONE), END);
    });
    const client = await bench.client();
    client.request(chatRequest({ model: 'sips', lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await client.responseHead();
    for (let sip = 0; sip < 12; sip += 1) {
      client.pause();
      await sleep(LIMIT_MS * 0.4);
      client.resume();
      await sleep(5);
    }
    expect((await client.response(0, 15_000)).complete).toBe(true);
    const { record } = await bench.sidecar.record('it', ({ request }) => request.model === 'sips');
    expect(record.end.outcome).toBe('ok');
  });

  test('a client that waits long for its next token is no stalled one', async () => {
    const run = await bench.run({
      script: async (exchange) => {
        await exchange.write(HEAD, c(D('a')));
        await sleep(LIMIT_MS * 3);
        await exchange.write(c(DONE), END);
      },
    });
    expect(run.response.complete).toBe(true);
  });

  test('an engine that takes nothing of an upload is 504 with a code of its own', async () => {
    const plan = bench.engine.plan((exchange) => void exchange.connection.socket.pause());
    const client = await bench.client();
    client.request(upload('/stuck', 48 * MIB, [`${PLAN_FIELD}: ${plan.id}`]));
    void sendMiB(client, 48);
    const response = await client.response(0, SEEN_WITHIN_MS);
    expect([response.status, response.values('x-rubato-error')]).toEqual([504, ['RBT_UPLOAD_STALLED']]);
    const { record } = await bench.sidecar.record('it', ({ request }) => request.path === '/stuck');
    expect(record.end).toMatchObject({ outcome: 'upload_stalled', phase: 'before_head' });
    (await plan.exchange).connection.socket.resume();
    await (await plan.exchange).connection.untilGone();
  });

  test('a slow client is no stalled upload, and neither is an engine that reads slowly', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      const { socket } = exchange.connection;
      while (!exchange.request.complete) {
        socket.pause();
        await sleep(LIMIT_MS * 0.2);
        socket.resume();
        await sleep(20);
      }
      await exchange.write(head('200 OK', 'content-length: 2'), 'ok');
    });
    const client = await bench.client();
    client.request(upload('/slow', 6 * MIB + 2, [`${PLAN_FIELD}: ${plan.id}`]));
    await client.send('x');
    await sleep(LIMIT_MS * 2);
    await sendMiB(client, 6);
    await sleep(LIMIT_MS * 2);
    await client.send('x');
    expect((await client.response(0, 15_000)).status).toBe(200);
  });

  test('an engine that waits until its answer is read is not said to stall', async () => {
    // An echo: it reads no more while its own answer is held back, and that is our client's doing.
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.write(head('200 OK', 'transfer-encoding: chunked', 'content-type: application/octet-stream'));
      exchange.connection.socket.pause();
      const block = c(Buffer.alloc(60 * KIB, 1));
      for (let sent = 0; sent < 32 * MIB && exchange.connection.goneAtNs === undefined; sent += block.length)
        await exchange.write(block);
    });
    const client = await bench.client();
    client.request(upload('/echo', 48 * MIB, [`${PLAN_FIELD}: ${plan.id}`]));
    void sendMiB(client, 48);
    await client.responseHead();
    client.pause();
    const { record } = await bench.sidecar.record('it', ({ request }) => request.path === '/echo');
    expect(record.end.outcome).toBe('client_stalled');
  });
});

describe('without limits', () => {
  const bench = useBench();

  test('nobody is cut for being slow', async () => {
    const plan = bench.engine.plan(flood);
    const stuck = bench.engine.plan((exchange) => void exchange.connection.socket.pause());
    const [reader, writer] = [await bench.client(), await bench.client()];
    reader.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await reader.responseHead();
    reader.pause();
    writer.request(upload('/waits', 48 * MIB, [`${PLAN_FIELD}: ${stuck.id}`]));
    void sendMiB(writer, 48);
    await sleep(3_000);
    expect((await plan.exchange).connection.goneAtNs).toBeUndefined();
    expect((await stuck.exchange).connection.goneAtNs).toBeUndefined();
    expect([reader.gone, writer.gone]).toEqual([false, false]);
    reader.resume();
    expect((await reader.response(0, 20_000)).complete).toBe(true);
    (await stuck.exchange).connection.socket.resume();
  });
});
