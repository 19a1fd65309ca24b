// Goal: a request that meets the end of a kept connection is sent once more where that can do nothing twice,
// on a connection of its own, and the record says so; every other is 502 and sent once (F05).
// Method: a raw engine that ends a kept connection under the next request, by FIN and by RST, with and without
// a byte of an answer.
import { describe, expect, test } from 'vitest';
import { UPSTREAM_REST_MS } from '../../src/base/limits.ts';
import { useBench } from '../support/bench.ts';
import { PLAN_FIELD, type EngineExchange, type Script } from '../support/raw-engine.ts';
import { actAt, at, head, requestOf } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();
const OK = `${head('200 OK', 'content-length: 2')}ok`;
let requests = 0;

/** Leaves an idle connection in the pool, rested well enough to be used again. */
async function warm(): Promise<void> {
  const plan = bench.engine.plan([at(0, OK)]);
  const client = await bench.client();
  client.request(requestOf({ target: '/warm', lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  expect((await client.response()).status).toBe(200);
  await sleep(UPSTREAM_REST_MS + 50);
}

/** The first to get the request plays `first`, the second one an answer. */
async function ask(method: string, first: Script, parts: { readonly body?: string; readonly lines?: string[] } = {}) {
  requests += 1;
  const target = `/asked-${requests}`;
  const before = bench.engine.requestCount;
  const seen: EngineExchange[] = [];
  const note =
    (script: Script) =>
    async (exchange: EngineExchange): Promise<void> => {
      seen.push(exchange);
      if (typeof script === 'function') await script(exchange);
      else await exchange.play(script);
    };
  bench.engine.plan(note(first));
  bench.engine.plan(note([at(0, head('200 OK', 'content-length: 2'), ...(method === 'HEAD' ? [] : ['ok']))]));
  const client = await bench.client();
  client.request(requestOf({ method, target, lines: parts.lines ?? [], ...(parts.body ? { body: parts.body } : {}) }));
  const response = await client.response();
  await sleep(50);
  const { record } = await bench.sidecar.record(target, ({ request }) => request.path === target);
  return { response, seen, record, count: bench.engine.requestCount - before };
}

describe('a request that changes nothing', () => {
  test.each([
    ['GET', 'fin'],
    ['GET', 'rst'],
    ['HEAD', 'fin'],
    ['OPTIONS', 'rst'],
  ] as const)('%s on a kept connection that ends by %s is answered by a fresh one', async (method, act) => {
    await warm();
    const { response, seen, record, count } = await ask(method, [actAt(0, act)]);
    expect([response.status, count]).toEqual([200, 2]);
    expect(seen[0]?.connection === seen[1]?.connection).toBe(false);
    expect(seen[1]?.connection.exchanges.length).toBe(1);
    // Byte for byte the same request.
    const texts = seen.map(({ request }) => [request.head?.startLine, ...(request.head?.lines ?? [])]);
    expect(texts[1]).toEqual(texts[0]);
    expect(record.connection).toMatchObject({ reused: false, retried: true });
    expect(record.end.wire).toBe('complete');
  });

  test('is sent twice at most', async () => {
    await warm();
    bench.engine.forgetPlans();
    bench.engine.plan([actAt(0, 'fin')]);
    bench.engine.plan([actAt(0, 'fin')]);
    const before = bench.engine.requestCount;
    const client = await bench.client();
    client.request(requestOf({ target: '/twice' }));
    const response = await client.response();
    expect([response.status, response.values('x-rubato-error')]).toEqual([502, ['RBT_UPSTREAM_CLOSED']]);
    await sleep(50);
    expect(bench.engine.requestCount - before).toBe(2);
    const { record } = await bench.sidecar.record('both', ({ request }) => request.path === '/twice');
    expect(record.end.outcome).toBe('upstream_closed_before_head');
    expect(record.connection).toMatchObject({ retried: true });
  });
});

describe('is sent once, and 502', () => {
  test.each<readonly [string, string, Script, { body?: string; lines?: string[] }, string]>([
    ['a POST', 'POST', [actAt(0, 'fin')], { body: '{}' }, 'RBT_UPSTREAM_RESET_REUSED'],
    ['a POST without a body', 'POST', [actAt(0, 'rst')], { lines: ['content-length: 0'] }, 'RBT_UPSTREAM_RESET_REUSED'],
    ['a DELETE', 'DELETE', [actAt(0, 'fin')], {}, 'RBT_UPSTREAM_RESET_REUSED'],
    ['a GET with a body', 'GET', [actAt(20, 'fin')], { body: 'x' }, 'RBT_UPSTREAM_RESET_REUSED'],
    ['a GET whose answer had begun', 'GET', [at(0, 'HTT'), actAt(20, 'fin')], {}, 'RBT_UPSTREAM_RESET_REUSED'],
    [
      'a GET that had an early hint',
      'GET',
      [at(0, head('103 Early Hints', 'link: </x>')), actAt(20, 'fin')],
      {},
      'RBT_UPSTREAM_RESET_REUSED',
    ],
  ])('%s', async (_what, method, first, parts, code) => {
    await warm();
    const { response, record, count } = await ask(method, first, parts);
    expect([response.status, response.values('x-rubato-error'), count]).toEqual([502, [code], 1]);
    expect(record.connection?.retried).toBeUndefined();
    bench.engine.forgetPlans();
  });

  test('a GET on a fresh connection', async () => {
    // Whatever is idle goes after 4 s; a request beside one that is open needs a fresh one at once.
    await sleep(4_300);
    const { response, count } = await ask('GET', [actAt(0, 'fin')]);
    expect([response.status, response.values('x-rubato-error'), count]).toEqual([502, ['RBT_UPSTREAM_CLOSED'], 1]);
    bench.engine.forgetPlans();
  });
});
