// Goal: a stream of HTTP/2 begins, waits, is left and ends as an exchange of HTTP/1.1 does, and none of them can do
// anything to its neighbours on the same connection.
// Method: Node's HTTP/2 client, which leaves, stops reading or says goodbye, before a sidecar with --http2 and a raw
// engine that says when its connections went.
import { describe, expect, test } from 'vitest';
import { type H2Bench, useH2Benches } from '../support/h2-bench.ts';
import { CANCEL, type H2Client, type H2Answer } from '../support/h2-client.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, type EngineExchange } from '../support/raw-engine.ts';
import { at, c, D, DONE, END, HEAD, head } from '../support/script.ts';
import type { Sidecar, RecordEntry } from '../support/sidecar.ts';

const MIB = 1024 * 1024;
/** Pieces of 64 KiB: more than the kernel holds on both sides together. */
const FLOOD_COUNT = 400;
const { start: startBench, startPlain, client: connect } = useH2Benches();

interface Bench extends H2Bench {
  readonly client: H2Client;
}

async function start(...args: string[]): Promise<Bench> {
  const bench = await startBench(...args);
  return { ...bench, client: connect(bench) };
}

function ask({ engine, client }: Bench, path: string, script: (exchange: EngineExchange) => Promise<void>) {
  const plan = engine.plan(script);
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/json', [PLAN_FIELD]: plan.id };
  return { answer: client.ask(headers, '{}'), exchange: plan.exchange };
}

/** One event, and then nothing until told. */
async function stream(bench: Bench, path: string, until: Promise<void> = new Promise(() => undefined)) {
  const asked = ask(bench, path, async (exchange) => {
    await exchange.write(HEAD, c(D('a')));
    await until;
    await exchange.write(c(D('b')), c(DONE), END);
  });
  await asked.answer.bytes(D('a').length);
  return { answer: asked.answer, exchange: await asked.exchange };
}

const recordOf = (sidecar: Sidecar, path: string): Promise<RecordEntry> =>
  sidecar.record(path, ({ request }) => request.path === path);

describe('a client that resets its stream', () => {
  test('before the head, and within the stream, ends the engine’s work and no other stream', async () => {
    const bench = await start();
    const { promise, resolve } = Promise.withResolvers<void>();
    const kept = await stream(bench, '/kept', promise);
    const early = ask(bench, '/early', () => Promise.resolve());
    const { connection } = await early.exchange;
    early.answer.stream.close(CANCEL);
    await connection.untilGone(2_000);
    const late = await stream(bench, '/late');
    late.answer.stream.close(CANCEL);
    await late.exchange.connection.untilGone(2_000);
    resolve();
    await kept.answer.closed();
    expect([kept.answer.body, kept.answer.isWhole]).toEqual([D('a') + D('b') + DONE, true]);
    for (const path of ['/early', '/late']) {
      const { record } = await recordOf(bench.sidecar, path);
      expect(record.end.outcome).toBe('client_abort');
    }
  });

  test('while the engine takes none of its body ends it all the same', async () => {
    const bench = await start();
    const plan = bench.engine.plan(({ connection }) => void connection.socket.pause());
    const answer = bench.client.open({ ':method': 'POST', ':path': '/upload' });
    answer.stream.write(Buffer.alloc(32 * MIB));
    const { connection } = await plan.exchange;
    await new Promise((done) => setTimeout(done, 500));
    answer.stream.close(CANCEL);
    const { record } = await recordOf(bench.sidecar, '/upload');
    expect(record.end.outcome).toBe('client_abort');
    connection.socket.resume();
    await connection.untilGone(2_000);
  });

  test('behind the last byte, as some clients do, has had a good answer', async () => {
    const bench = await start();
    const asked = ask(bench, '/whole', (exchange) => exchange.write(HEAD, c(D('a')), c(DONE), END));
    await asked.answer.bytes((D('a') + DONE).length);
    asked.answer.stream.close(CANCEL);
    const { record } = await recordOf(bench.sidecar, '/whole');
    expect(['ok', 'client_abort']).toContain(record.end.outcome);
  });
});

test.each([['FIN'], ['RST']])('a connection that ends by %s ends all its streams', async (how) => {
  const bench = await start();
  const streams = [await stream(bench, '/one'), await stream(bench, '/two')];
  const { socket } = bench.client.session;
  if (how === 'RST') bench.client.session.destroy();
  else socket.destroySoon();
  for (const { exchange } of streams) await exchange.connection.untilGone(2_000);
  for (const path of ['/one', '/two']) {
    expect((await recordOf(bench.sidecar, path)).record.end.outcome).toBe('client_abort');
  }
});

describe('a stream whose client does not read', () => {
  const block = c(Buffer.alloc(64 * 1024, 7));

  async function flood(bench: Bench, path: string) {
    const asked = ask(bench, path, async (exchange) => {
      await exchange.write(HEAD);
      for (let sent = 0; sent < FLOOD_COUNT; sent += 1) await exchange.write(block);
      await exchange.write(END);
    });
    await asked.answer.head();
    asked.answer.stream.pause();
    const exchange = await asked.exchange;
    await exchange.untilStill();
    return { answer: asked.answer, exchange };
  }

  test('holds back its engine and no other stream, and is told as such', async () => {
    const bench = await start();
    const { answer, exchange } = await flood(bench, '/slow');
    // Two windows of the kernel, one of the stream and what Node reads at a time; far from all of it.
    expect(exchange.answer?.complete).toBe(false);
    const other = await stream(bench, '/other', Promise.resolve());
    await other.answer.closed();
    expect(other.answer.body).toBe(D('a') + D('b') + DONE);
    answer.stream.resume();
    await answer.closed(20_000);
    expect([answer.isWhole, answer.bodyBytes]).toEqual([true, FLOOD_COUNT * 64 * 1024]);
    const { record } = await recordOf(bench.sidecar, '/slow');
    expect(record.end.outcome).toBe('ok');
    expect(record.blockedNs.length).toBeGreaterThan(0);
    // What waits for it in user space: what two reads may bring.
    expect(Math.max(...record.chunks.queuedBytes)).toBeLessThan(3 * 64 * 1024);
  });

  test('is cut where a limit says so', async () => {
    const bench = await start('--client-stall', '1');
    const { answer, exchange } = await flood(bench, '/stuck');
    await exchange.connection.untilGone(5_000);
    answer.stream.resume();
    await answer.closed();
    expect(answer.resetCode).toBe(2);
    expect((await recordOf(bench.sidecar, '/stuck')).record.end.outcome).toBe('client_stalled');
  });
});

test('a body that the engine does not take is held back at the client', async () => {
  const bench = await start();
  const plan = bench.engine.plan(({ connection }) => void connection.socket.pause());
  const answer = bench.client.open({ ':method': 'POST', ':path': '/up', [PLAN_FIELD]: plan.id });
  answer.stream.end(Buffer.alloc(64 * MIB));
  const exchange = await plan.exchange;
  await new Promise((done) => setTimeout(done, 1_000));
  // What the kernel holds for the engine, and one window.
  expect(bench.client.session.socket.bytesWritten).toBeLessThan(16 * MIB);
  exchange.connection.socket.resume();
  await exchange.untilRequestEnd(20_000);
  await exchange.write(head('200 OK', 'content-length: 2'), 'ok');
  await answer.closed();
  expect([answer.body, exchange.request.bodyBytes]).toEqual(['ok', 64 * MIB]);
});

test('a body that comes too slowly is refused, and its neighbour lives on', async () => {
  const bench = await start('--upload-rate-min', '1KiB');
  const { promise, resolve } = Promise.withResolvers<void>();
  const kept = await stream(bench, '/kept', promise);
  bench.engine.plan(() => undefined);
  const slow = bench.client.open({ ':method': 'POST', ':path': '/slow', 'content-length': '100000' });
  slow.stream.write('x');
  const drip = setInterval(() => slow.stream.write('x'), 500);
  await slow.head(20_000);
  clearInterval(drip);
  expect(slow.status).toBe(408);
  // The rest of its body is not waited for.
  await slow.closed();
  expect([slow.isWhole, slow.resetCode]).toEqual([true, 0]);
  resolve();
  await kept.answer.closed();
  expect(kept.answer.isWhole).toBe(true);
});

test('requests behind each other on one connection share the engine’s', async () => {
  const bench = await start();
  for (let i = 0; i < 5; i += 1) {
    bench.engine.plan([at(0, head('200 OK', 'content-length: 2'), 'ok')]);
    await bench.client.ask({ ':method': 'GET' }).closed();
  }
  // Besides one by which rubato looked whether the engine is there.
  expect(bench.engine.connections.filter(({ exchanges }) => exchanges.length > 0).length).toBe(1);
});

describe('a planned stop', () => {
  test('says goodbye, lets streams finish, cuts those beyond the limit and ends', async () => {
    const bench = await start('--drain', '1.5');
    const { promise, resolve } = Promise.withResolvers<void>();
    const short = await stream(bench, '/short', promise);
    const endless = await stream(bench, '/endless');
    const idle = connect(bench);
    bench.engine.plan([at(0, head('200 OK', 'content-length: 0'))]);
    await idle.ask({ ':method': 'GET' }).closed();
    bench.sidecar.signal('SIGTERM');
    await idle.untilGone(2_000);
    await bench.client.signal.until('GOAWAY', () => bench.client.goawayCode !== undefined);
    expect(bench.client.goawayCode).toBe(0);
    resolve();
    await short.answer.closed();
    expect([short.answer.body, short.answer.isWhole]).toEqual([D('a') + D('b') + DONE, true]);
    await endless.answer.closed();
    expect([endless.answer.isWhole, endless.answer.resetCode]).toEqual([false, 2]);
    await bench.sidecar.untilExit();
    expect(bench.sidecar.exit).toMatchObject({ code: 0 });
    const ends = bench.sidecar.records().map(({ record }) => [record.request.path, record.end.outcome]);
    expect(Object.fromEntries(ends)).toMatchObject({ '/short': 'ok', '/endless': 'shutdown' });
  });

  test('does not wait for connections that carry nothing', async () => {
    const bench = await start('--drain', '20');
    await new Promise<void>((done) => bench.client.session.once('remoteSettings', () => done()));
    bench.sidecar.signal('SIGTERM');
    await bench.client.untilGone(2_000);
    await bench.sidecar.untilExit();
    expect(bench.sidecar.exit).toMatchObject({ code: 0 });
  });
});

describe('where there is no room', () => {
  const refused = ({ status, ...answer }: H2Answer): unknown => [status, answer.fields.includes('RBT_SHED')];

  test('a stream too many gets 503 and no other stream feels it', async () => {
    const bench = await start('--max-streams', '1');
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = await stream(bench, '/first', promise);
    expect(refused(await bench.client.ask({ ':method': 'GET' }).closed())).toEqual([503, true]);
    resolve();
    await first.answer.closed();
    expect(first.answer.isWhole).toBe(true);
  });

  test('a connection too many gets 503 by HTTP/2, and a silent one is closed', async () => {
    const bench = await start('--max-connections', '1');
    await stream(bench, '/first');
    const second = connect(bench);
    expect(refused(await second.ask({ ':method': 'GET' }).closed())).toEqual([503, true]);
    await second.untilGone(5_000);
  });
});

test('without --http2 its preface is a bad request', async () => {
  const { sidecar } = await startPlain();
  const plain = await RawClient.open(sidecar.listenPort);
  plain.request('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  expect((await plain.response()).status).toBe(400);
  plain.close();
});
