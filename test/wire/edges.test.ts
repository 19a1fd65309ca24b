// Goal: an edge is a listener like the main one, which leads to its hop and nowhere else: bytes exact whatever
// the hop does, each exchange seen on both sides, its trace one, its end passed on; limits and drain are shared.
// Method: raw client → edge → a small gateway → main listener → raw engine, all around one sidecar; gateways that
// pass, buffer by size, by time and until the end, and compress without flushing.
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { useClients } from '../support/clients.ts';
import { Gateway, type GatewayWay } from '../support/gateway.ts';
import { sumOf } from '../support/prometheus.ts';
import { PLAN_FIELD, type EngineExchange, type Script } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, FINISH, HEAD, requestOf } from '../support/script.ts';
import type { RecordEntry } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';

let gateway: Gateway;
const bench = useBench(async () => {
  gateway = await Gateway.start();
  return { args: ['--edge', `gateway@127.0.0.1:0=${gateway.url}`] };
});
beforeAll(() => void (gateway.innerPort = bench.sidecar.listenPort));
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.way = { name: 'passes' };
  gateway.asked.length = 0;
});

const clientOf = useClients();

const edgePort = (): number => bench.sidecar.edgePort('gateway');
let count = 0;

/** Sends a chat request to a port; `model` names it in the records. */
async function ask(port: number, script: Script) {
  count += 1;
  const model = `edge-${count}`;
  const plan = bench.engine.plan(script);
  const client = await clientOf(port);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  return { client, model, exchange: plan.exchange };
}

/** What was seen in front of the hop, and behind it. */
async function bothRecords(model: string): Promise<{ outer: RecordEntry; inner: RecordEntry }> {
  const of = (isEdge: boolean) =>
    bench.sidecar.record(
      `${model} ${isEdge ? 'in front' : 'behind'}`,
      (record) => record.request.model === model && (record.edge !== undefined) === isEdge,
    );
  return { outer: await of(true), inner: await of(false) };
}

interface Row {
  readonly route: string;
  readonly edge?: string;
  readonly traceId: string;
}

async function streams() {
  return JSON.parse((await bench.sidecar.admin('/api/streams')).text) as { open: Row[]; recent: Row[] };
}

const TEXTS = Array.from({ length: 40 }, (_, index) => D(`word ${index} `.padEnd(24, '.')));

function answer(everyMs: number): Script {
  return async (exchange: EngineExchange) => {
    await exchange.write(HEAD);
    for (const text of TEXTS) {
      await exchange.write(c(text));
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    await exchange.write(c(FINISH + DONE), END);
  };
}

const WAYS: readonly GatewayWay[] = [
  { name: 'passes' },
  { name: 'size', bytes: 1_024 },
  { name: 'timer', everyMs: 60 },
  { name: 'until_end' },
  { name: 'gzip' },
];

describe('through a gateway', () => {
  test.each(WAYS)('$name: bytes are exact, and both sights of the exchange are one trace', async (way) => {
    gateway.way = way;
    const { client, model, exchange } = await ask(edgePort(), answer(4));
    const response = await client.response();
    const body = way.name === 'gzip' ? gunzipSync(response.body) : response.body;
    expect(response.complete).toBe(true);
    expect(body.toString()).toBe((await exchange).answer?.body.toString());
    expect(gateway.asked).toEqual(['POST /v1/chat/completions']);

    const { outer, inner } = await bothRecords(model);
    expect([outer.record.edge, outer.record.route]).toEqual(['gateway', 'edge:gateway']);
    expect([inner.record.edge, inner.record.route]).toEqual([undefined, 'default']);
    expect([outer.record.end.outcome, inner.record.end.outcome]).toEqual(['ok', 'ok']);
    expect(inner.record.trace).toMatchObject({
      traceId: outer.record.trace?.traceId,
      parentSpanId: outer.record.trace?.clientSpanId,
    });
    expect(outer.record.evidence).toEqual([]);
    const counts = [outer, inner].map(({ record }) => record.answer.eventCounts.content);
    expect(counts).toEqual([TEXTS.length, TEXTS.length]);
  });

  test('a client that leaves is passed on, and both sights end by it', async () => {
    const { client, model, exchange } = await ask(edgePort(), answer(50));
    await client.bodyBytes(1);
    const { connection } = await exchange;
    client.rst();
    await connection.untilGone(2_000);
    const { outer, inner } = await bothRecords(model);
    expect([outer.record.end.outcome, inner.record.end.outcome]).toEqual(['client_abort', 'client_abort']);
  });

  test('an open exchange is shown with its hop', async () => {
    const { client, model } = await ask(edgePort(), answer(50));
    await client.bodyBytes(1);
    // What has happened is read a moment later.
    const open = await poll('both sights to be open', async () => {
      const rows = (await streams()).open;
      return rows.length >= 2 ? rows : undefined;
    });
    await client.response();
    const { outer } = await bothRecords(model);
    const hopsOf = (rows: readonly Row[]) =>
      rows.filter(({ traceId }) => traceId === outer.record.trace?.traceId).map(({ route, edge }) => [route, edge]);
    const both = [
      ['default', undefined],
      ['edge:gateway', 'gateway'],
    ];
    expect(hopsOf(open).toSorted()).toEqual(both);
    expect(hopsOf((await streams()).recent).toSorted()).toEqual(both);
  });
});

describe('the listeners', () => {
  test('lead where they say: the main one never to the gateway, an edge never by routes', async () => {
    const { client } = await ask(bench.sidecar.listenPort, [at(0, HEAD, c(D('a')), c(DONE), END)]);
    expect((await client.response()).status).toBe(200);
    expect(gateway.asked).toEqual([]);
    bench.engine.plan([at(0, 'HTTP/1.1 204 No Content\r\n\r\n')]);
    const other = await clientOf(edgePort());
    other.request(requestOf({ target: '/anything/at/all?x=1' }));
    expect((await other.response()).status).toBe(204);
    expect(gateway.asked).toEqual(['GET /anything/at/all?x=1']);
  });

  test('refuse what could be read in two ways, with a record at the edge', async () => {
    const client = await clientOf(edgePort());
    client.request('GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n');
    expect((await client.response()).status).toBe(400);
    const { record } = await bench.sidecar.record('a refusal', ({ end }) => end.wire === 'client_protocol');
    expect(record.edge).toBe('gateway');
    expect(gateway.asked).toEqual([]);
  });
});

test('a stream seen twice is one stream in figures without a route', async () => {
  const before = await bench.sidecar.metrics();
  const { client, model } = await ask(edgePort(), answer(2));
  await client.response();
  await bothRecords(model);
  const after = await bench.sidecar.metrics();
  const grown = (name: string, labels = {}): number =>
    (sumOf(after, name, labels) ?? 0) - (sumOf(before, name, labels) ?? 0);
  expect(grown('rubato_ttft_seconds_count')).toBe(1);
  expect(grown('rubato_splits_total')).toBe(1);
  expect(grown('gen_ai_server_request_duration_seconds_count')).toBe(1);
  expect(grown('rubato_exchanges_total', { outcome: 'ok' })).toBe(2);
  expect(grown('rubato_exchanges_total', { outcome: 'ok', route: 'edge:gateway' })).toBe(1);
});
