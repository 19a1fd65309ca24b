// Goal: connections to the engine are used again when that is safe, never shared, and a request is
// never sent twice unless that is safe (kind N). At once they serve the same client only, another one after a rest.
// Method: raw engines that keep, close or reset connections between requests.
import { describe, expect, test } from 'vitest';
import { UPSTREAM_REST_MS } from '../../src/base/limits.ts';
import { useBench } from '../support/bench.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { actAt, at, c, chatRequest, D, DONE, END, HEAD, head } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();
const OK = `${head('200 OK', 'content-length: 2')}ok`;
/** After such a rest a connection is used again, for whomever and whatever the engine did before. */
const RESTED_MS = UPSTREAM_REST_MS + 50;

describe('reuse', () => {
  test('a connection whose answer ended properly is used again', async () => {
    // The first test of the file, so there is no other connection yet.
    const first = await bench.run({ script: [at(0, HEAD, c(D('a'))), at(10, c(DONE), END)] });
    await sleep(RESTED_MS);
    const second = await bench.run({ script: [at(0, OK)] });
    expect(second.exchange.connection === first.exchange.connection).toBe(true);
    const { record } = await bench.recordOf(second);
    expect(record.connection?.reused).toBe(true);
  });

  test('it is used again at once for the same client, and not for another one', async () => {
    const client = await bench.client();
    const used: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      const plan = bench.engine.plan([at(0, OK)]);
      client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
      expect((await client.response(index)).status).toBe(200);
      used.push((await plan.exchange).connection);
    }
    expect(new Set(used).size).toBe(1);
    const other = await bench.run({ script: [at(0, OK)] });
    expect(used.includes(other.exchange.connection)).toBe(false);
  });

  test('an engine known for closing behind its streams is given a rest from the first answer on', async () => {
    const engine = await RawEngine.start();
    const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
    const client = await RawClient.open(sidecar.listenPort);
    for (let index = 0; index < 5; index += 1) {
      // The end comes when the next request may be on its way already.
      engine.plan([at(0, head('200 OK', 'Server: llama.cpp', 'content-length: 2'), 'ok'), actAt(index, 'fin')]);
      client.request(chatRequest());
      expect((await client.response(index)).status).toBe(200);
    }
    client.close();
    await sidecar.stop();
    await engine.stop();
  });

  test('an engine that closes behind each answer without saying so fails no request', async () => {
    // Until now this engine has kept its connections: the first close may meet a request, and then no more.
    await bench.run({ script: [at(0, OK), actAt(0, 'fin')] });
    await sleep(RESTED_MS);
    const client = await bench.client();
    for (let i = 0; i < 20; i += 1) {
      bench.engine.plan([at(0, OK), actAt(i % 10, 'fin')]);
      client.request(chatRequest());
      expect((await client.response(i)).status).toBe(200);
    }
  });

  test.each([
    ['the engine says close', head('200 OK', 'connection: close', 'content-length: 2') + 'ok'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['both framings', `${head('200 OK', 'content-length: 9', 'transfer-encoding: chunked')}2\r\nok\r\n0\r\n\r\n`],
  ])('a connection is not used again: %s', async (_, answer) => {
    const first = await bench.run({ script: [at(0, answer)] });
    expect(first.response.body.toString()).toBe('ok');
    await sleep(RESTED_MS);
    const second = await bench.run({ script: [at(0, OK)] });
    expect(second.exchange.connection).not.toBe(first.exchange.connection);
  });

  test('an answer that came before its request was over ends the connection', async () => {
    const plan = bench.engine.plan([at(0, head('413 Too Large', 'content-length: 2'), 'no')]);
    const client = await bench.client();
    client.request(chatRequest({ body: 'x'.repeat(1000) }).subarray(0, -500));
    const response = await client.response();
    expect([response.status, response.values('connection')]).toEqual([413, ['close']]);
    client.close();
    await sleep(RESTED_MS);
    const second = await bench.run({ script: [at(0, OK)] });
    const { connection } = await plan.exchange;
    expect(second.exchange.connection).not.toBe(connection);
    // No reset: an engine that still reads may look at what it has.
    expect([connection.goneAtNs !== undefined, connection.errorCode]).toEqual([true, undefined]);
  });

  test('a connection that the engine closed while idle is not used', async () => {
    const first = await bench.run({ script: [at(0, OK), actAt(30, 'fin')] });
    await sleep(80);
    const second = await bench.run({ script: [at(0, OK)] });
    expect(second.response.body.toString()).toBe('ok');
    expect(second.exchange.connection).not.toBe(first.exchange.connection);
  });
});

describe('N1', () => {
  test.each(['rst', 'fin'] as const)(
    'N1 a reused connection that ends by %s under a POST is 502, and the POST is not repeated',
    async (act) => {
      await bench.run({ script: [at(0, OK)] });
      await sleep(RESTED_MS);
      const first = await bench.run({ script: [at(0, OK)] });
      await sleep(RESTED_MS);
      const before = bench.engine.requestCount;
      const second = await bench.run({ script: [actAt(0, act)] });
      expect(second.exchange.connection === first.exchange.connection).toBe(true);
      expect(second.response.status).toBe(502);
      expect(second.response.values('x-rubato-error')).toEqual(['RBT_UPSTREAM_RESET_REUSED']);
      await sleep(50);
      expect(bench.engine.requestCount).toBe(before + 1);
      const { record } = await bench.recordOf(second);
      expect(record.end.outcome).toBe('upstream_reset_reused');
    },
  );

  test('N1 idle connections are dropped before an engine would drop them', async () => {
    const first = await bench.run({ script: [at(0, OK)] });
    // uvicorn and vLLM close after 5 s; ours must be first.
    await first.exchange.connection.untilGone(5_000);
  });
});
