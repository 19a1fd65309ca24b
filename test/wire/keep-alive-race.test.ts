// Goal: connections that end just as they are used again fail no request that may be repeated, and repeat none that
// may not; towards clients, the time for which a connection is kept is told, and the last answer says so (T11, F29).
// Method: an engine that closes idle connections at about the moment of their next request, and a small fleet of
// clients; each request carries a number, so that none can be counted twice. KEEP_ALIVE_RUNS makes it long.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UPSTREAM_REST_MS } from '../../src/base/limits.ts';
import { useBench } from '../support/bench.ts';
import { RawClient } from '../support/raw-client.ts';
import { at, head, requestOf } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';

const RUNS = Number(process.env['KEEP_ALIVE_RUNS'] ?? 1_200);
const CLIENTS = 12;
/** Idle connections of the engine live for about as long as they rest before another client may use them. */
const ENGINE_IDLE_MS = UPSTREAM_REST_MS + 20;

describe('towards the engine', () => {
  /** By number of the request: how often it came. */
  const seen = new Map<string, number>();
  let engine: Server;
  let sidecar: Sidecar;

  beforeAll(async () => {
    engine = createServer((req: IncomingMessage, res) => {
      seen.set(req.url ?? '', (seen.get(req.url ?? '') ?? 0) + 1);
      req.resume().on('end', () => res.end('ok'));
    });
    // Node closes idle connections without a word; its promise of so many seconds is not made here.
    engine.keepAliveTimeout = 0;
    engine.on('connection', (socket) => {
      let timer: NodeJS.Timeout | undefined;
      socket.on('data', () => {
        clearTimeout(timer);
        timer = setTimeout(() => socket.destroy(), ENGINE_IDLE_MS + (seen.size % 7) * 3 - 9);
      });
      socket.on('close', () => clearTimeout(timer));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${(engine.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    await sidecar.stop();
    engine.closeAllConnections();
    engine.close();
  });

  /** Each client asks again and again, at moments around the engine's limit; what came of each request. */
  async function race(method: 'GET' | 'POST'): Promise<number[]> {
    const statuses: number[] = [];
    const runClient = async (nth: number): Promise<void> => {
      const client = await RawClient.open(sidecar.listenPort);
      for (let index = 0; index * CLIENTS < RUNS; index += 1) {
        const target = `/${method}-${nth}-${index}`;
        client.request(requestOf({ method, target, ...(method === 'POST' ? { body: '{}' } : {}) }));
        statuses.push((await client.response(index)).status ?? 0);
        // Mostly at once, now and then when the engine is about to close.
        if (index % 4 === 3) await sleep(ENGINE_IDLE_MS - 10 + ((nth + index) % 20));
      }
      client.close();
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, nth) => runClient(nth)));
    return statuses;
  }

  test('no GET fails, and none comes more than twice', { timeout: 600_000 }, async () => {
    const statuses = await race('GET');
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(statuses.length).toBeGreaterThanOrEqual(RUNS);
    expect(Math.max(...seen.values())).toBeLessThanOrEqual(2);
  });

  test('no POST comes twice, and each that failed has its own word', { timeout: 600_000 }, async () => {
    seen.clear();
    const statuses = await race('POST');
    expect([...new Set(statuses)].filter((status) => status !== 200 && status !== 502)).toEqual([]);
    expect(Math.max(...seen.values())).toBe(1);
    const failed = statuses.filter((status) => status === 502).length;
    const records = await sidecar.untilRecords(statuses.length * 2);
    const outcomes = records.filter(({ record }) => record.end.outcome === 'upstream_reset_reused');
    expect(outcomes.length).toBe(failed);
    expect(outcomes.every(({ record }) => record.request.method === 'POST')).toBe(true);
  });
});

describe('towards the client', () => {
  const bench = useBench();
  const OK = `${head('200 OK', 'content-length: 2')}ok`;

  test('how long its connection is kept is told, and is longer than balancers keep theirs', async () => {
    bench.engine.plan([at(0, OK)]);
    const client = await bench.client();
    client.request(requestOf());
    const response = await client.response();
    const seconds = Number(/timeout=(\d+)/.exec(response.values('keep-alive')[0] ?? '')?.[1]);
    expect(seconds).toBeGreaterThan(60);
  });

  test('the last answer before a drain ends says that it is the last, and no request is reset', async () => {
    const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${bench.engine.port}` });
    bench.engine.plan([at(300, OK)]);
    const client = await RawClient.open(sidecar.listenPort);
    client.request(requestOf());
    await sleep(100);
    sidecar.signal('SIGTERM');
    const response = await client.response();
    expect([response.status, response.body.toString()]).toEqual([200, 'ok']);
    expect(response.values('connection').join(',').toLowerCase()).toContain('close');
    await client.untilGone();
    expect(client.errorCode).toBeUndefined();
    await sidecar.untilExit();
    await sidecar.stop();
  });
});
