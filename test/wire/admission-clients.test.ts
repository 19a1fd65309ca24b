// Goal: a client that stands in the admission queue keeps all that it has otherwise: it may leave in any way, send its
// body in any way, have its limits and its drain; and each way leaves the queue as it should be.
// Method: one place at the engine, taken by a stream that is held open, and raw clients of each kind behind it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configFile } from '../support/config-file.ts';
import { useBench, type Bench } from '../support/bench.ts';
import { PLAN_FIELD, type EngineExchange } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import type { RecordEntry } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const NS_PER_MS = 1e6;
/** Long enough for the request of a client to be in line. */
const IN_LINE_MS = 200;

const ONE_PLACE = 'admission: { max_running: 1, classes: [{ class: default, max_wait_ms: 60000 }] }\n';

/** The stream that has the place, until it is ended. */
interface Holder {
  end(): Promise<void>;
}

async function hold(bench: Bench): Promise<Holder> {
  const plan = bench.engine.plan([at(0, HEAD), at(0, c(D('a')))]);
  const client = await bench.client();
  client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const exchange = await plan.exchange;
  return {
    async end() {
      await exchange.write(c(DONE), END);
      await client.response();
    },
  };
}

const OK = [at(0, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')];

/** Whether a further request gets to the engine. */
async function isFree(bench: Bench): Promise<boolean> {
  const plan = bench.engine.plan(OK);
  const client = await bench.client();
  client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  return (await client.response()).status === 200;
}

function newRecord(bench: Bench, from: number, outcome: string): Promise<RecordEntry> {
  return poll(`a record of ${outcome}`, () =>
    bench.sidecar
      .records()
      .slice(from)
      .find(({ record }) => record.end.outcome === outcome),
  );
}

describe('a client in line', () => {
  const bench = useBench({ args: ['--config', configFile(ONE_PLACE), '--timeout-total', '30'] });
  let holder: Holder;
  let arrivedCount: number;
  let recordCount: number;

  beforeEach(async () => {
    holder = await hold(bench);
    arrivedCount = bench.engine.requestCount;
    recordCount = bench.sidecar.records().length;
  });
  afterEach(() => holder.end());

  test.each([
    ['a whole request', 'whole', 'fin'],
    ['a whole request', 'whole', 'rst'],
    ['half a body', 'half', 'fin'],
    ['half a body', 'half', 'rst'],
    ['half a chunk', 'chunk', 'fin'],
  ] as const)('that has sent %s may leave (%s, %s), and the engine hears nothing of it', async (_what, sent, way) => {
    const client = await bench.client();
    if (sent === 'whole') client.request(chatRequest());
    else if (sent === 'half')
      client.request('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{"model"');
    else client.request('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"a');
    await sleep(IN_LINE_MS);
    client[way]();
    const { record } = await newRecord(bench, recordCount, 'client_abort');
    expect(record.marks.connectStartAtNs).toBeUndefined();
    await holder.end();
    expect(await isFree(bench)).toBe(true);
    expect(bench.engine.requestCount).toBe(arrivedCount + 1);
    holder = await hold(bench);
  });

  test.each([
    ['HTTP/1.0', chatRequest({ version: '1.0' })],
    [
      'a body in chunks',
      Buffer.from('POST /v1/x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    ],
  ])('with %s is answered after its turn', async (_what, request) => {
    bench.engine.plan(OK);
    const client = await bench.client();
    client.request(request);
    await sleep(IN_LINE_MS);
    expect(bench.engine.requestCount).toBe(arrivedCount);
    await holder.end();
    const response = await client.response();
    expect([response.status, response.body.toString()]).toEqual([200, 'ok']);
    holder = await hold(bench);
  });

  test('that expects to be told to go on is told by the engine, after its turn', async () => {
    const go = bench.engine.plan([at(0, 'HTTP/1.1 100 Continue\r\n\r\n')]);
    const client = await bench.client();
    client.request('POST /v1/x HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n');
    await sleep(IN_LINE_MS);
    expect(client.reads).toEqual([]);
    await holder.end();
    const exchange: EngineExchange = await go.exchange;
    await poll('the go-ahead', () => (client.reads.length > 0 ? true : undefined));
    await client.send('{}');
    await poll('the body', () => (exchange.request.body.length === 2 ? true : undefined));
    await exchange.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    await poll('the answer', () =>
      client.parser.messages.some(({ status, complete }) => status === 200 && complete) ? true : undefined,
    );
    holder = await hold(bench);
  });

  test('that has sent two requests is answered both, in order', async () => {
    const first = bench.engine.plan([at(0, 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1')]);
    const second = bench.engine.plan([at(0, 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n2')]);
    const client = await bench.client();
    client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${first.id}`] }));
    client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${second.id}`] }));
    await sleep(IN_LINE_MS);
    await holder.end();
    expect((await client.response(0)).body.toString()).toBe('1');
    expect((await client.response(1)).body.toString()).toBe('2');
    holder = await hold(bench);
  });
});

describe('with a limit on the whole', () => {
  const bench = useBench({
    args: ['--config', configFile(ONE_PLACE), '--timeout-total', '1', '--timeout-connect', '0.3'],
  });

  test('the wait counts in it, and in no other limit', async () => {
    const plan = bench.engine.plan([at(0, HEAD), at(0, c(D('a')))]);
    const first = await bench.client();
    first.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await plan.exchange;
    await sleep(500);
    const second = await bench.client();
    second.request(chatRequest({ model: 'second' }));
    const later = bench.engine.plan(OK);
    const response = await second.response();
    expect(response.status).toBe(200);
    await later.exchange;
    const { record } = await bench.sidecar.record('second', ({ request }) => request.model === 'second');
    expect(record.marks.admittedAtNs).toBeGreaterThanOrEqual(300 * NS_PER_MS);
  });
});
