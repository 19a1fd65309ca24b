// Goal: what finds no room is refused at once, with a hint when to come again and without blame for the engine,
// and what is open lives on.
// Method: sidecars with small limits; one whose descriptors are taken away while it runs, one whose memory grows.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { useBench, type Bench } from '../support/bench.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { Sidecar } from '../support/sidecar.ts';
import { at, c, D, DONE, END, HEAD } from '../support/script.ts';
import { poll, sleep } from '../support/signal.ts';
import type { WireMessage } from '../support/wire-parser.ts';

const REQUEST = 'GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n';
const OK = [at(0, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')];

function expectShed(response: WireMessage): void {
  expect(response.status).toBe(503);
  expect(response.values('x-rubato-error')).toEqual(['RBT_SHED']);
  expect(response.values('retry-after')).toEqual(['1']);
}

async function shedCount(sidecar: Sidecar, reason: string): Promise<number> {
  const samples = await sidecar.metrics();
  return (
    samples.find(({ name, labels }) => name === 'rubato_self_shed_total' && labels['reason'] === reason)?.value ?? 0
  );
}

/** The relay's account comes a moment after its answer. */
async function untilShed(sidecar: Sidecar, reason: string, count: number): Promise<void> {
  await poll(`${count} refused for want of ${reason}`, async () =>
    (await shedCount(sidecar, reason)) >= count ? true : undefined,
  );
  expect(await shedCount(sidecar, reason)).toBe(count);
}

/** A stream that ends when it is told to. */
async function openStream(bench: Bench): Promise<{ client: RawClient; end(): Promise<string> }> {
  const plan = bench.engine.plan([at(0, HEAD), at(0, c(D('a')))]);
  const client = await bench.client();
  client.request(REQUEST);
  await client.bodyBytes(1);
  const exchange = await plan.exchange;
  return {
    client,
    async end() {
      await exchange.write(c(DONE), END);
      return (await client.response()).body.toString();
    },
  };
}

describe('--max-streams', () => {
  const bench = useBench({ args: ['--max-streams', '2'] });

  test('refuses one more at once, and takes the next when one has ended', async () => {
    const streams = [await openStream(bench), await openStream(bench)];
    const client = await bench.client();
    client.request(REQUEST);
    expectShed(await client.response());
    const { record } = await bench.sidecar.record('the refusal', ({ end }) => end.outcome === 'shed');
    expect(record.end).toMatchObject({ code: 'RBT_SHED', reason: 'streams' });
    await untilShed(bench.sidecar, 'streams', 1);
    expect(await streams[0]?.end()).toBe(D('a') + DONE);
    bench.engine.plan(OK);
    const next = await bench.client();
    next.request(REQUEST);
    expect((await next.response()).status).toBe(200);
    expect(await streams[1]?.end()).toBe(D('a') + DONE);
  });

  test('says so once, however many were refused', async () => {
    const streams = [await openStream(bench), await openStream(bench)];
    for (let i = 0; i < 50; i += 1) {
      const client = await bench.client();
      client.request(REQUEST);
      expectShed(await client.response());
    }
    await untilShed(bench.sidecar, 'streams', 51);
    expect(bench.sidecar.logs.filter(({ msg }) => String(msg).includes('want of room')).length).toBe(1);
    for (const stream of streams) await stream.end();
  });
});

describe('--max-connections', () => {
  const bench = useBench({ args: ['--max-connections', '2'] });

  test('refuses requests on one more, closes it, and takes the next when one has gone', async () => {
    const streams = [await openStream(bench), await openStream(bench)];
    const client = await bench.client();
    client.request(REQUEST + REQUEST);
    expectShed(await client.response());
    await client.untilGone();
    expect(bench.engine.requestCount).toBe(2);
    streams[0]?.client.close();
    await sleep(100);
    bench.engine.plan(OK);
    const next = await bench.client();
    next.request(REQUEST);
    expect((await next.response()).status).toBe(200);
    expect(await streams[1]?.end()).toBe(D('a') + DONE);
  });
});

describe('--max-connections, and a client that says nothing', () => {
  const bench = useBench({ args: ['--max-connections', '2'] });

  test('closes its connection within a moment', async () => {
    const streams = [await openStream(bench), await openStream(bench)];
    const before = await shedCount(bench.sidecar, 'connections');
    const silent = await bench.client();
    await silent.untilGone(3_000);
    expectShed(await silent.response());
    await untilShed(bench.sidecar, 'connections', before + 1);
    for (const stream of streams) await stream.end();
  });
});

/** Takes descriptors away from a process; undefined where that cannot be done. */
function limitDescriptors({ pid }: Sidecar): (() => void) | undefined {
  const soft = /Max open files +(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
  const limitTo = (count: string | undefined): number | null =>
    spawnSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]).status;
  return limitTo('1') === 0 ? () => void limitTo(soft) : undefined;
}

describe.skipIf(process.platform !== 'linux')('without descriptors', () => {
  const bench = useBench();

  test('F42 a request is refused and not booked on the engine, a stream lives on, and all is well again after', async ({
    skip,
  }) => {
    const stream = await openStream(bench);
    const client = await bench.client();
    bench.engine.plan([at(0, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')]);
    client.request(REQUEST);
    await client.response();
    const restore = limitDescriptors(bench.sidecar);
    if (restore === undefined) return skip('prlimit cannot be run here');
    try {
      client.request(REQUEST);
      expectShed(await client.response(1));
      expect(await stream.end()).toBe(D('a') + DONE);
    } finally {
      restore();
    }
    const { record } = await bench.sidecar.record('the refusal', ({ end }) => end.outcome === 'shed');
    expect(record.end).toMatchObject({ code: 'RBT_SHED', reason: 'descriptors' });
    await untilShed(bench.sidecar, 'descriptors', 1);
    expect(bench.sidecar.logs.filter(({ msg }) => String(msg).includes('want of room')).length).toBe(1);
    bench.engine.plan(OK);
    const next = await bench.client();
    next.request(REQUEST);
    expect((await next.response()).status).toBe(200);
  });
});

test.skipIf(process.platform !== 'linux')(
  'more connections than there are descriptors for are refused before the last one is gone, and an upload lives on',
  async () => {
    const engine = await RawEngine.start();
    const sidecar = await Sidecar.start({
      upstream: `http://127.0.0.1:${engine.port}`,
      within: ['prlimit', '--nofile=200:200'],
    });
    const idle: RawClient[] = [];
    try {
      const plan = engine.plan(async (exchange) => {
        await exchange.untilRequestEnd();
        await exchange.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
      const upload = await RawClient.open(sidecar.listenPort);
      upload.request('POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n');
      await plan.exchange;
      for (let i = 0; i < 100; i += 1) idle.push(await RawClient.open(sidecar.listenPort));
      // The last that was kept to be told why.
      idle[50]?.request(REQUEST);
      expectShed((await idle[50]?.response()) as WireMessage);
      await sleep(3_500);
      await upload.send('hello');
      expect((await upload.response()).body.toString()).toBe('ok');
      expect((await sidecar.admin('/healthz')).status).toBe(200);
      // The upload is one of the 44 that have room.
      await untilShed(sidecar, 'connections', 57);
    } finally {
      for (const client of idle) client.close();
      await sidecar.stop();
      await engine.stop();
    }
  },
);

test('F43 near its limit of memory new requests are refused, and a stream lives on', async () => {
  const engine = await RawEngine.start();
  // The process grows well after its start, and shrinks again.
  const grow = `
    import { isMainThread } from 'node:worker_threads';
    if (isMainThread) setTimeout(() => { globalThis.ballast = Buffer.alloc(400 * 2 ** 20, 1); }, 4_000).unref();`;
  const sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    args: ['--max-rss', '400MiB'],
    nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(grow)}`],
  });
  const bench = { engine, sidecar, client: () => RawClient.open(sidecar.listenPort) } as unknown as Bench;
  try {
    const stream = await openStream(bench);
    await poll('the growth', () => (sidecar.rssBytes() > 450 * 2 ** 20 ? true : undefined), 10_000);
    await sleep(1_500);
    const client = await bench.client();
    client.request(REQUEST);
    expectShed(await client.response());
    await untilShed(sidecar, 'memory', 1);
    expect(await stream.end()).toBe(D('a') + DONE);
  } finally {
    await sidecar.stop();
    await engine.stop();
  }
});
