// Goal: connections to the engine are used again when that is safe, never shared, and a request is
// never sent twice (kind N). Safe means: they rested, or the engine has shown that it keeps them.
// Method: raw engines that keep, close or reset connections between requests.
import { describe, expect, test } from 'vitest';
import { UPSTREAM_REST_MS } from '../../src/base/limits.ts';
import { useBench } from '../support/bench.ts';
import { actAt, at, c, chatRequest, D, DONE, END, HEAD, head } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();
const OK = `${head('200 OK', 'content-length: 2')}ok`;
/** After such a rest a connection is used again, whatever the engine did before. */
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

  test('once it was used again, it is used again at once', async () => {
    await bench.run({ script: [at(0, OK)] });
    await sleep(RESTED_MS);
    const second = await bench.run({ script: [at(0, OK)] });
    const third = await bench.run({ script: [at(0, OK)] });
    expect(third.exchange.connection === second.exchange.connection).toBe(true);
  });

  test('an engine that closes behind each answer without saying so fails no request', async () => {
    // Until now this engine has kept its connections: the first close may meet a request, and then no more.
    await bench.run({ script: [at(0, OK), actAt(0, 'fin')] });
    await sleep(RESTED_MS);
    for (let i = 0; i < 20; i += 1) {
      const { response } = await bench.run({ script: [at(0, OK), actAt(i % 10, 'fin')] });
      expect(response.status).toBe(200);
    }
  });

  test.each([
    ['the engine says close', head('200 OK', 'connection: close', 'content-length: 2') + 'ok'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['both framings', `${head('200 OK', 'content-length: 9', 'transfer-encoding: chunked')}2\r\nok\r\n0\r\n\r\n`],
    ['bytes behind the answer', `${OK}HTTP/1.1`],
  ])('a connection is not used again: %s', async (_, answer) => {
    const first = await bench.run({ script: [at(0, answer)] });
    expect(first.response.body.toString()).toBe('ok');
    const second = await bench.run({ script: [at(0, OK)] });
    expect(second.exchange.connection).not.toBe(first.exchange.connection);
  });

  test('an answer that came before its request was over ends the connection', async () => {
    const plan = bench.engine.plan([at(0, head('413 Too Large', 'content-length: 2'), 'no')]);
    const client = await bench.client();
    client.request(chatRequest({ body: 'x'.repeat(1000) }).subarray(0, -500));
    expect((await client.response()).status).toBe(413);
    client.close();
    const second = await bench.run({ script: [at(0, OK)] });
    expect(second.exchange.connection).not.toBe((await plan.exchange).connection);
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
