// Goal: a client that leaves, in any phase and by FIN or RST, ends the engine's work at once.
// Method: the same departure directly and through the sidecar, some times each; the median time
// until the engine sees it is compared one-sidedly, and the record says who left and when.
import { describe, expect, test } from 'vitest';
import { nowNs } from '../../src/base/clock.ts';
import { useBench, type Run } from '../support/bench.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, type EngineExchange, type Script } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, HEAD, head } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();
const NS_PER_MS = 1e6;
const ROUNDS = 7;
/** On an idle machine the whole way takes about 2 ms; a busy one may be slow, but not each time. */
const EXTRA_MS = 20;

interface Departure {
  readonly script: Script;
  /** Brings the client to the phase in which it leaves. */
  readonly until: (client: RawClient, exchange: EngineExchange) => Promise<unknown>;
  readonly request?: (model: string, planId: string) => Buffer;
  readonly how: 'fin' | 'rst';
}

let departures = 0;

async function leave(port: number, { script, until, request, how }: Departure): Promise<{ ms: number; model: string }> {
  departures += 1;
  const model = `left-${departures}`;
  const plan = bench.engine.plan(script);
  const client = await RawClient.open(port);
  const lines = [`${PLAN_FIELD}: ${plan.id}`];
  client.request(request?.(model, plan.id) ?? chatRequest({ model, lines }));
  const exchange = await plan.exchange;
  await until(client, exchange);
  const leftAtNs = nowNs();
  client[how]();
  await exchange.connection.untilGone(5_000);
  const goneAtNs = exchange.connection.goneAtNs ?? Infinity;
  client.close();
  return { ms: (goneAtNs - leftAtNs) / NS_PER_MS, model };
}

async function expectToReachTheEngine(departure: Departure): Promise<string> {
  const directMs: number[] = [];
  const viaMs: number[] = [];
  let model = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    directMs.push((await leave(bench.engine.port, departure)).ms);
    const via = await leave(bench.sidecar.listenPort, departure);
    viaMs.push(via.ms);
    ({ model } = via);
  }
  expect(median(viaMs)).toBeLessThanOrEqual(median(directMs) + EXTRA_MS);
  return model;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const nothing = async (): Promise<void> => undefined;
const endless = (exchange: EngineExchange): Promise<void> =>
  exchange.play([at(0, HEAD), ...Array.from({ length: 60 }, (_, index) => at(index * 20, c(D('a'))))]);

describe.each(['rst', 'fin'] as const)('a client that leaves by %s', (how) => {
  test('I2 before the head, while the engine works on its prefill', async () => {
    const model = await expectToReachTheEngine({ how, script: [], until: () => sleep(20) });
    const { record, figures } = await bench.sidecar.record(model, (each) => each.request.model === model);
    expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_head' });
    expect(figures.noFirstToken).toBe('canceled');
    expect(figures.ttftNs).toBeUndefined();
  });

  test('I2 at once, as soon as the engine has the request', async () => {
    await expectToReachTheEngine({ how, script: [], until: nothing });
  });

  test('after the head, before the first token', async () => {
    const model = await expectToReachTheEngine({
      how,
      script: [at(0, HEAD)],
      until: (client) => client.responseHead(),
    });
    const { record } = await bench.sidecar.record(model, (each) => each.request.model === model);
    expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_token' });
  });

  test('I1 mid-stream', async () => {
    const model = await expectToReachTheEngine({
      how,
      script: endless,
      until: (client) => client.bodyBytes(D('a').length * 2),
    });
    const { record, figures } = await bench.sidecar.record(model, (each) => each.request.model === model);
    expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'mid_stream' });
    expect(figures.ttftNs).toBeGreaterThan(0);
    expect(figures.gapsReceived.count).toBeGreaterThanOrEqual(0);
  });

  test('I3 in a JSON answer that is not streamed', async () => {
    const script = [
      at(0, head('200 OK', 'content-type: application/json', 'content-length: 1000')),
      at(10, '{"choices"'),
    ];
    const model = await expectToReachTheEngine({
      how,
      script,
      request: (name, id) =>
        chatRequest({ lines: [`${PLAN_FIELD}: ${id}`], body: `{"model":"${name}","stream":false}` }),
      until: (client) => client.bodyBytes(10),
    });
    const { record } = await bench.sidecar.record(model, (each) => each.request.model === model);
    expect(record.end.outcome).toBe('client_abort');
  });

  test('during its upload', async () => {
    await expectToReachTheEngine({
      how,
      script: [],
      request: (model, id) => chatRequest({ model, lines: [`${PLAN_FIELD}: ${id}`] }).subarray(0, -5),
      until: () => sleep(20),
    });
  });

  test('from an HTTP/1.0 stream', async () => {
    await expectToReachTheEngine({
      how,
      script: endless,
      request: (model, id) => chatRequest({ model, version: '1.0', lines: [`${PLAN_FIELD}: ${id}`] }),
      until: (client) => client.bodyBytes(D('a').length),
    });
  });
});

describe('a client that does not read', () => {
  const flood = async (exchange: EngineExchange): Promise<void> => {
    const block = Buffer.from(D('x'.repeat(64_000)));
    await exchange.write(HEAD);
    for (let count = 0; count < 2_000 && exchange.connection.goneAtNs === undefined; count += 1)
      await exchange.write(c(block));
  };

  test.each(['rst', 'fin'] as const)('while back-pressure holds the stream, leaves by %s', async (how) => {
    const viaMs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { ms } = await leave(bench.sidecar.listenPort, {
        how,
        script: flood,
        until: async (client, exchange) => {
          await client.responseHead();
          client.pause();
          await exchange.untilStill();
        },
      });
      viaMs.push(ms);
    }
    expect(median(viaMs)).toBeLessThanOrEqual(100);
  });
});

/** The engine can write no more: everything between it and the client is full. */
describe('I4', () => {
  test('I4 twenty requests in a row are no aborts and one connection to the engine', async () => {
    const client = await bench.client();
    const used = new Set<unknown>();
    for (let index = 0; index < 20; index += 1) {
      const plan = bench.engine.plan([at(0, HEAD, c(D('a'))), at(5, c('data: [DONE]\n\n'), '0\r\n\r\n')]);
      client.request(chatRequest({ model: `row-${index}`, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
      expect((await client.response(index)).complete).toBe(true);
      used.add((await plan.exchange).connection);
    }
    expect(used.size).toBe(1);
    const last = (model: string | undefined): boolean => model === 'row-19';
    await bench.sidecar.record('the last of them', ({ request }) => last(request.model));
    const row = bench.sidecar.records().filter(({ record }) => record.request.model?.startsWith('row-'));
    expect(row.map(({ record }) => record.end.outcome)).toEqual(Array.from({ length: 20 }, () => 'ok'));
  });

  test('I4 a client that leaves after the end is no abort', async () => {
    const run: Run = await bench.run({ script: [at(0, HEAD, c(D('a'))), at(20, c('data: [DONE]\n\n'), '0\r\n\r\n')] });
    run.client.rst();
    const { record } = await bench.recordOf(run);
    expect(record.end.outcome).toBe('ok');
  });
});
