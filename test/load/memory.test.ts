// Goal: exchanges that ended, in whatever way, leave nothing behind: no open exchange, no socket, no
// memory. Method: two thousand exchanges, a quarter each of four ends, on a sidecar that was warmed up
// with some of each; then the gauge, the open files and the resident memory are looked at.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../../src/base/outcome.ts';
import { recount, toldByPrometheus } from '../support/ledger.ts';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { sumOf } from '../support/prometheus.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange } from '../support/raw-engine.ts';
import { c, chatRequest, D, DONE, END, FINISH, head } from '../support/script.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const WARM_COUNT = 800;
const EXCHANGE_COUNT = 2_000;
const AT_ONCE_COUNT = 50;
/**
 * Left to itself V8 grows to some hundred MiB before it collects what is dead. Told to be small it keeps
 * what lives and little more, and then memory swings by less than half of this.
 */
const SMALL_HEAP = ['--optimize-for-size', '--max-semi-space-size=4'];
const RSS_GROWTH_MAX_BYTES = 96 * 1024 * 1024;
/** No connection is kept, so that an open socket at the end is one that was forgotten. */
const CLOSING_HEAD = head(
  '200 OK',
  'content-type: text/event-stream',
  'transfer-encoding: chunked',
  'connection: close',
);
const PROMPT = 'x'.repeat(8_000);

let engine: RawEngine;
let catcher: OtlpCatcher;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await RawEngine.start();
  catcher = await OtlpCatcher.start();
  sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    nodeArgs: SMALL_HEAP,
    // The collector refuses all, so that finished spans are there to be held too.
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
  });
  catcher.mood = 500;
});
afterAll(async () => {
  expect(engine.faults).toEqual([]);
  await sidecar.stop();
  await catcher.stop();
  await engine.stop();
});

interface Way {
  readonly outcome: Outcome;
  readonly script: (exchange: EngineExchange) => Promise<void>;
  /** What the client does; the exchange is over when it resolves. */
  readonly leave: (client: RawClient, exchange: EngineExchange) => Promise<unknown>;
}

const begin = async (exchange: EngineExchange): Promise<void> => {
  await exchange.write(CLOSING_HEAD, c(D('a')));
  await exchange.write(c(D('b')));
};

const WAYS: readonly Way[] = [
  {
    outcome: 'ok',
    async script(exchange) {
      await begin(exchange);
      await exchange.write(c(FINISH + DONE), END);
      exchange.fin();
    },
    leave: (client) => client.response(),
  },
  {
    outcome: 'client_abort',
    script: () => Promise.resolve(),
    async leave(client, exchange) {
      client.rst();
      await exchange.connection.untilGone();
    },
  },
  {
    outcome: 'client_abort',
    script: begin,
    async leave(client, exchange) {
      await client.bodyBytes(D('a').length);
      client.fin();
      await exchange.connection.untilGone();
    },
  },
  {
    outcome: 'upstream_aborted',
    async script(exchange) {
      await begin(exchange);
      await sleep(2);
      exchange.rst();
    },
    leave: (client) => client.untilGone(),
  },
];

let playedCount = 0;

async function playOne(): Promise<void> {
  playedCount += 1;
  const way = WAYS[playedCount % WAYS.length] as Way;
  const plan = engine.plan(way.script);
  const client = await RawClient.open(sidecar.listenPort);
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: PROMPT }] });
  client.request(chatRequest({ body, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  await way.leave(client, await plan.exchange);
  client.close();
}

async function play(count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await playOne();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_COUNT }, lane));
  // What the tests keep of it is of no more use and would only slow this process down.
  engine.connections.length = 0;
}

const openFileCount = (): number => readdirSync(`/proc/${sidecar.pid}/fd`).length;

test('O3 two thousand exchanges of every kind of end leave nothing behind', async () => {
  await play(WARM_COUNT);
  await sidecar.untilRecords(WARM_COUNT);
  const before = { rssBytes: sidecar.rssBytes(), openFileCount: openFileCount() };
  await play(EXCHANGE_COUNT);
  const entries = await sidecar.untilRecords(WARM_COUNT + EXCHANGE_COUNT, 20_000);
  expect(entries).toHaveLength(WARM_COUNT + EXCHANGE_COUNT);

  const outcomes = entries.map(({ record }) => record.end.outcome);
  const each = (WARM_COUNT + EXCHANGE_COUNT) / WAYS.length;
  for (const outcome of new Set(outcomes)) {
    const expected = WAYS.filter((way) => way.outcome === outcome).length * each;
    expect({ outcome, count: outcomes.filter((other) => other === outcome).length }).toEqual({
      outcome,
      count: expected,
    });
  }

  const samples = await sidecar.metrics();
  expect(sumOf(samples, 'rubato_active')).toBe(0);
  expect(sumOf(samples, 'rubato_self_tape_dropped_total')).toBe(0);
  // Such as Node's warning that something has too many listeners.
  expect(sidecar.noise).toEqual([]);
  expect(toldByPrometheus(samples).totals).toEqual(recount(entries));
  expect(JSON.parse((await sidecar.admin('/api/streams')).text)).toMatchObject({ open: [] });
  await poll(
    'all sockets to be closed',
    () => (openFileCount() <= before.openFileCount + 2 ? true : undefined),
    10_000,
    100,
  );
  expect(sidecar.rssBytes() - before.rssBytes).toBeLessThan(RSS_GROWTH_MAX_BYTES);
});

test('a stream of a hundred thousand chunks costs no more than its record', async () => {
  const chunk = c(D('a'));
  const plan = engine.plan(async (exchange) => {
    await exchange.write(CLOSING_HEAD);
    const row = Buffer.concat(Array.from({ length: 100 }, () => chunk));
    for (let count = 0; count < 1_000; count += 1) await exchange.write(row);
    await exchange.write(c(FINISH + DONE), END);
    exchange.fin();
  });
  const beforeBytes = sidecar.rssBytes();
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ model: 'long', lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  expect((await client.response(0, 20_000)).complete).toBe(true);
  client.close();
  const entries = await sidecar.untilRecords(WARM_COUNT + EXCHANGE_COUNT + 1, 20_000);
  const { record } = entries.at(-1) as RecordEntry;
  expect(record.request.model).toBe('long');
  expect(record.response.receivedBytes).toBe(100_000 * D('a').length + (FINISH + DONE).length);
  expect(record.response.deliveredBytes).toBe(record.response.receivedBytes);
  expect(record.end.outcome).toBe('ok');
  expect(sidecar.rssBytes() - beforeBytes).toBeLessThan(2 * RSS_GROWTH_MAX_BYTES);
});
