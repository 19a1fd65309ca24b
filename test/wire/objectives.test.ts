// Goal: what a class promises in YAML, and what a client asks for by header, is judged on the wire: in /metrics, in
// /api/summary, in the record file, and by a replay of it alike; SIGHUP changes promises, and an open stream keeps its
// own. Method: the sidecar as its users run it before an engine whose delays are far beyond, or far within, the limits.
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Summary } from '../../src/telemetry/summary.ts';
import { configFile } from '../support/config-file.ts';
import { rubato } from '../support/program.ts';
import { sumOf } from '../support/prometheus.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { c, chatRequest, D, DONE, END, HEAD, head } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const FAR_MS = 60_000;
const LATE_MS = 300;
const SOON_MS = 100;
/** Each goes on from where the one before it left the counters. */
const ONCE = { retry: 0 };

const yaml = (ttftMs: number): string => `
classes:
  - name: interactive
    objectives:
      - { objective: ttft, max_ms: ${ttftMs}, target: 0.5 }
      - { objective: tpot, max_ms: ${FAR_MS}, target: 0.5 }
      - { objective: valid, target: 0.9 }
  - name: batch
    objectives:
      - { objective: gap_max, max_ms: ${FAR_MS}, target: 0.5 }
      - { objective: gap_pooled_p90, max_ms: ${FAR_MS} }
`;

const path = configFile(yaml(FAR_MS));
let engine: RawEngine;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await RawEngine.start();
  sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, args: ['--config', path] });
});

afterAll(async () => {
  await sidecar.stop();
  await engine.stop();
});

const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } })}\n\n`;

interface Ask {
  readonly model: string;
  readonly class?: string;
  readonly lines?: readonly string[];
  readonly firstMs?: number;
}

/** Two tokens and their count; resolves when the answer is whole. */
async function ask({ model, class: name = 'interactive', lines = [], firstMs = 0 }: Ask): Promise<void> {
  const plan = engine.plan(async (exchange) => {
    await sleep(firstMs);
    await exchange.write(HEAD, c(D('a')));
    await sleep(20);
    await exchange.write(c(D('b')), c(USAGE + DONE), END);
  });
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`, `x-traffic-class: ${name}`, ...lines] }));
  expect((await client.response()).complete).toBe(true);
  client.close();
}

async function fail(model: string): Promise<void> {
  const plan = engine.plan(async (exchange) => {
    await exchange.write(head('500 Oh', 'content-type: application/json', 'content-length: 2'), '{}');
  });
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`, 'x-traffic-class: interactive'] }));
  expect((await client.response()).status).toBe(500);
  client.close();
}

test('objectives of a class and of a client, from YAML and head to every report', ONCE, async () => {
  await ask({ model: 'kept' });
  await ask({ model: 'wished', lines: ['x-slo-ttft-ms: 0.001', 'x-slo-tpot-ms: soon'] });
  await fail('failed');
  await ask({ model: 'gappy', class: 'batch' });
  const entries = await sidecar.untilRecords(4);
  const samples = await sidecar.metrics();
  const slo = (objective: string, met: string) =>
    sumOf(samples, 'rubato_slo_exchanges_total', { class: 'interactive', objective, met });
  expect([slo('ttft', 'true'), slo('ttft', 'false'), slo('ttft', 'unknown')]).toEqual([2, 1, 0]);
  expect([slo('tpot', 'true'), slo('valid', 'true'), slo('valid', 'false')]).toEqual([2, 2, 1]);
  expect([slo('asked_ttft', 'false'), slo('asked_tpot', 'true')]).toEqual([1, undefined]);
  const of = (name: string, labels = {}) => sumOf(samples, name, { class: 'interactive', ...labels });
  expect([of('rubato_good_exchanges_total'), of('rubato_demand_exchanges_total')]).toEqual([1, 3]);
  expect([of('rubato_good_tokens_total'), of('rubato_demand_tokens_total')]).toEqual([2, 4]);
  expect(of('rubato_demand_ttft_seconds_bucket', { le: '600' })).toBe(2);
  expect(of('rubato_demand_ttft_seconds_count')).toBe(3);
  // On a busy machine the one gap there is may have ends that cannot be trusted; then it is counted as that.
  const gaps = sumOf(samples, 'rubato_slo_gaps_total', { class: 'batch', objective: 'gap_pooled_p90' });
  expect([gaps, sumOf(samples, 'rubato_slo_exchanges_total', { objective: 'gap_max' })]).toEqual([1, 1]);
  const { classes } = JSON.parse((await sidecar.admin('/api/summary')).text) as Summary;
  expect(classes.find((each) => each.class === 'interactive')).toMatchObject({
    objectives: expect.arrayContaining([
      expect.objectContaining({
        objective: 'ttft',
        targetRatio: 0.5,
        sinceStart: { metCount: 2, missedCount: 1, unknownCount: 0, metRatio: 0.666667, budgetLeftRatio: 0.333333 },
      }),
    ]),
    goodput: { sinceStart: { demandExchangeCount: 3, goodExchangeCount: 1 } },
  });
  const wished = entries.find(({ record }) => record.request.model === 'wished')?.record.request;
  expect(wished?.asked).toEqual({ ttftNs: 1_000, unreadable: ['tpot'] });
});

test('SIGHUP changes what is promised; a stream that is open keeps what it was opened with', ONCE, async () => {
  const open = ask({ model: 'before', firstMs: LATE_MS + SOON_MS });
  await poll('the exchange', async () =>
    (await sidecar.admin('/api/streams')).text.includes('"phase":"head"') ? true : undefined,
  );
  writeFileSync(path, yaml(SOON_MS));
  process.kill(sidecar.pid, 'SIGHUP');
  await poll('word of it', () =>
    sidecar.logs.some(({ msg }) => msg === 'the configuration was read anew') ? true : undefined,
  );
  await ask({ model: 'after', firstMs: LATE_MS });
  await open;
  const ttft = async (model: string): Promise<unknown> => {
    const entry = await sidecar.record(model, ({ request }) => request.model === model);
    return (entry as { slo?: { objectives: object[] } }).slo?.objectives[0];
  };
  expect([await ttft('before'), await ttft('after')]).toMatchObject([{ met: 'true' }, { met: 'false' }]);
});

test('a replay of the record file comes to the same verdicts', ONCE, async () => {
  const { status, stdout } = await rubato(['replay', sidecar.recordFile]);
  expect([status, stdout]).toEqual([0, expect.stringContaining('6 of 6 records give the same figures bit for bit.')]);
  expect(stdout).toContain('missed asked_ttft');
  expect(stdout).toMatch(/ good +equal/);
});
