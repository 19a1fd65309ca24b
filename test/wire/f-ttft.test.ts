// Goal: TTFT holds no wait of rubato's own making, is written once, and its parts sum to it (kind F).
// Method: many streams at once against an engine that opens all of them and ends none early; long
// streams whose first token must still be the first at the end.
import { describe, expect, test } from 'vitest';
import { expectGapsToBalance, expectSplitToSum, gapCount } from '../support/answer.ts';
import { useBench } from '../support/bench.ts';
import { expectUntilWrite } from '../support/causal.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, c, chatRequest, COMPLETIONS_TARGET, D, delta, DONE, END, HEAD, T } from '../support/script.ts';
import { sumOf } from '../support/prometheus.ts';
import type { RecordEntry } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const bench = useBench();
const NS_PER_MS = 1e6;

describe('F2', () => {
  test.each([131, 300])('F2 %i streams at once are %i connections to the engine, and nobody waits', async (count) => {
    let endAll = (): void => undefined;
    const allEnd = new Promise<void>((resolve) => {
      endAll = resolve;
    });
    const clients = await Promise.all(Array.from({ length: count }, () => bench.client()));
    const plans = clients.map((client, index) => {
      const plan = bench.engine.plan(async (exchange) => {
        await exchange.write(HEAD, c(D('a')));
        await allEnd;
        await exchange.write(c(DONE), END);
      });
      client.request(chatRequest({ model: `${count}-${index}`, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
      return plan;
    });
    // No stream ends before every stream has begun: a queue would wait here for ever.
    await Promise.all(clients.map((client) => client.bodyBytes(D('a').length)));
    const inUse = bench.engine.openConnections.filter((connection) => connection.exchanges.length > 0);
    expect(inUse.length).toBeGreaterThanOrEqual(count);
    const exchanges = await Promise.all(plans.map((plan) => plan.exchange));
    expect(new Set(exchanges.map((exchange) => exchange.connection)).size).toBe(count);
    endAll();
    await Promise.all(clients.map((client) => client.response()));
    const ours = (): RecordEntry[] =>
      bench.sidecar.records().filter(({ record }) => record.request.model?.startsWith(`${count}-`));
    await poll('a record of each', () => (ours().length === count ? true : undefined));
    for (const entry of ours()) {
      expect(entry.record.end.outcome).toBe('ok');
      expectSplitToSum(entry);
      expect(entry.figures.split?.rubato.waitNs).toBeUndefined();
    }
  });

  test('N2 one long stream holds up none of fifty short requests beside it', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const stream = bench.run({
      script: async (exchange) => {
        await exchange.write(HEAD, c(D('a')));
        await ended;
        await exchange.write(c(DONE), END);
      },
    });
    const before = bench.sidecar.records().length;
    const tookMs: number[] = [];
    // The stream is open until all of them are answered, so whoever waited for it would wait for ever.
    for (let index = 0; index < 50; index += 1) {
      const startedAtMs = performance.now();
      const { response } = await bench.run({ script: [at(0, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')] });
      tookMs.push(performance.now() - startedAtMs);
      expect(response.body.toString()).toBe('ok');
    }
    expect(tookMs.toSorted((one, other) => one - other)[25]).toBeLessThan(50);
    for (const { figures } of await bench.sidecar.recordsAfter(before, 50))
      expect(figures.split?.rubato.waitNs).toBeUndefined();
    end();
    const { exchange, response } = await stream;
    expect(response.complete).toBe(true);
    expect(exchange.connection.exchanges.filter((other) => other.headAtNs > exchange.headAtNs)).toEqual([]);
  });
});

describe('F4', () => {
  test('F4 TTFT is written once and not overwritten by later tokens or the end', async () => {
    const count = async (): Promise<number> => sumOf(await bench.sidecar.metrics(), 'rubato_ttft_seconds_count') ?? 0;
    const before = await count();
    const more = Array.from({ length: 50 }, (_, index) => at(220 + index * 20, c(D('b'))));
    const run = await bench.check({ script: [at(0, HEAD), at(200, c(D('a'))), ...more, at(1230, c(DONE), END)] });
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expectGapsToBalance(run);
    expect(gapCount(run) + run.figures.coalescedCount).toBe(50);
    expectSplitToSum(run);
    const recorded = bench.sidecar.records().filter((entry) => entry.figures.ttftNs !== undefined).length;
    expect(await count()).toBe(recorded);
    expect(await count()).toBeGreaterThan(before);
  });

  test.each([
    ['completions', COMPLETIONS_TARGET, T, T],
    ['text after reasoning', undefined, (x: string) => delta({ reasoning: x }), D],
    [
      'a tool call after text',
      undefined,
      D,
      (x: string) => delta({ tool_calls: [{ index: 0, function: { name: x } }] }),
    ],
    [
      'a second choice after the first',
      undefined,
      D,
      (x: string) => delta({ content: x }).replace('"index":0', '"index":1'),
    ],
  ] as const)('F4 TTFT stays that of the first fragment: %s', async (_, target, first, later) => {
    const run = await bench.check({
      script: [
        at(0, HEAD),
        at(60, c(first('a'))),
        at(200, c(later('b'))),
        at(300, c(later('c'))),
        at(500, c(DONE), END),
      ],
      ...(target === undefined ? {} : { target }),
    });
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expectUntilWrite(run, run.figures.lastTokenNs, 2);
  });

  test('F4 a slow upload is in TTFT and in the part that names it', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd();
      await exchange.write(HEAD, c(D('a')), c(DONE), END);
    });
    const client = await bench.client();
    const bytes = chatRequest({ model: 'slow-upload', lines: [`${PLAN_FIELD}: ${plan.id}`] });
    client.request(bytes.subarray(0, -10));
    await sleep(200);
    await client.send(bytes.subarray(-10));
    await client.response();
    const entry = await bench.sidecar.record('the slow upload', (record) => record.request.model === 'slow-upload');
    expect(entry.figures.split?.network.uploadNs).toBeGreaterThanOrEqual(190 * NS_PER_MS);
    expect(entry.figures.split?.engineNs).toBeLessThan(190 * NS_PER_MS);
    expectSplitToSum(entry);
  });
});
