// Goal: the slowest reader decides how fast the engine may send, not how much memory rubato uses,
// and time lost to the reader is not booked on the engine (kind O).
// Method: a raw client that stops reading under a flood; what the engine got rid of and what the
// process occupies is bounded; after it reads on, hashes agree.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { PLAN_FIELD, type EngineExchange } from '../support/raw-engine.ts';
import { c, chatRequest, D, DONE, END, HEAD, head } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();
const MIB = 1024 * 1024;

async function flood(
  exchange: EngineExchange,
  top: string,
  block: Buffer,
  totalBytes: number,
  end: string | Buffer,
): Promise<void> {
  await exchange.write(top);
  for (let sent = 0; sent < totalBytes; sent += block.length) await exchange.write(block);
  if (end.length > 0) await exchange.write(end);
}

describe('O1', () => {
  const event = c(D('x'.repeat(60_000)));
  const opaque = Buffer.alloc(64 * 1024, 7);
  test.each([
    ['events', HEAD, event, Buffer.concat([c(DONE), Buffer.from(END)])],
    [
      'opaque bytes',
      head('200 OK', 'content-type: application/octet-stream', 'transfer-encoding: chunked'),
      c(opaque),
      END,
    ],
  ])('O1 a reader that does not read holds back the engine, not memory: %s', async (_, top, block, end) => {
    const plan = bench.engine.plan((exchange) => flood(exchange, top, block, 96 * MIB, end));
    const client = await bench.client();
    client.request(chatRequest({ model: 'slow', lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await client.responseHead();
    client.pause();
    const before = bench.sidecar.rssBytes();
    const exchange = await plan.exchange;
    await exchange.untilStill();
    expect(exchange.writtenBytes).toBeLessThan(16 * MIB);
    expect(bench.sidecar.rssBytes() - before).toBeLessThan(32 * MIB);
    client.resume();
    const response = await client.response(0, 20_000);
    expect(response.complete).toBe(true);
    expect(response.sha256).toBe(exchange.answer?.sha256);
  });

  test('O1 a slow reader delays nobody else', async () => {
    const plan = bench.engine.plan((exchange) => flood(exchange, HEAD, event, 64 * MIB, END));
    const slow = await bench.client();
    slow.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await slow.responseHead();
    slow.pause();
    await (await plan.exchange).untilStill();
    const run = await bench.check({
      script: [
        { atMs: 0, bytes: Buffer.from(HEAD) },
        { atMs: 50, bytes: Buffer.concat([c(D('a')), c(DONE), Buffer.from(END)]) },
      ],
    });
    expect(run.record.end.outcome).toBe('ok');
    slow.rst();
    await (await plan.exchange).connection.untilGone(2_000);
  });
});

describe('O2', () => {
  test('O2 time in which the reader did not read is back-pressure, not a stall of the engine', async () => {
    const event = c(D('x'.repeat(256 * 1024)));
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.write(HEAD);
      for (let count = 0; count < 100; count += 1) {
        await exchange.write(event);
        await sleep(5);
      }
      await exchange.write(c(DONE), END);
    });
    const client = await bench.client();
    client.request(chatRequest({ model: 'stopped', lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await client.bodyBytes(MIB);
    client.pause();
    await sleep(1_500);
    client.resume();
    const response = await client.response();
    const { answer } = await plan.exchange;
    expect(response.sha256).toBe(answer?.sha256);
    const { record, figures } = await bench.sidecar.record(
      'the stopped reader',
      (each) => each.request.model === 'stopped',
    );
    expect(record.end.outcome).toBe('ok');
    expect(figures.backpressureNs).toBeGreaterThan(500e6);
    expect(figures.taintedCounts.backpressure).toBeGreaterThanOrEqual(1);
    expect(figures.gapsReceived.maxNs ?? 0).toBeLessThan(500e6);
    expect(figures.stalls.filter((stall) => stall.gapNs > 500e6)).toEqual([]);
  });
});

describe('upload', () => {
  test('an engine that does not read holds back the client, not memory', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      exchange.connection.socket.pause();
      await sleep(1_200);
      exchange.connection.socket.resume();
      await exchange.untilRequestEnd(20_000);
      await exchange.write(head('200 OK', 'content-length: 2'), 'ok');
    });
    const client = await bench.client();
    const before = bench.sidecar.rssBytes();
    const total = 64 * MIB;
    client.request(`POST /up HTTP/1.1\r\nhost: x\r\ncontent-length: ${total}\r\n\r\n`);
    const sending = (async () => {
      for (let sent = 0; sent < total; sent += MIB) await client.send(Buffer.alloc(MIB, 1));
    })();
    await plan.exchange;
    await sleep(1_000);
    expect(bench.sidecar.rssBytes() - before).toBeLessThan(32 * MIB);
    await sending;
    expect((await client.response(0, 20_000)).status).toBe(200);
    expect((await plan.exchange).request.bodyBytes).toBe(total);
  });
});
