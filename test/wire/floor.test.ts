// Goal: beside the steps that are measured stands what the hardware allows for the batch and context that were seen,
// in /api/summary, on /metrics and in the log at the start; and the same figures come from the command line.
// Method: a reference engine under streams of known prompts, the sidecar and the command as their users run them.
import { afterAll, afterEach, expect, test } from 'vitest';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../src/client/stream-client.ts';
import type { FloorState } from '../../src/judge/floor/live.ts';
import { rubato } from '../support/program.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';

const STREAMS = 3;
const TOKENS = 400;

const closers: (() => Promise<void>)[] = [];
const faults: (() => string | undefined)[] = [];
afterEach(() => expect(faults.map((fault) => fault())).toEqual(faults.map(() => undefined)));
afterAll(async () => void (await Promise.all(closers.map((close) => close()))));

async function engineOf(): Promise<ReferenceEngine> {
  const engine = await startReferenceEngine({ persona: 'vllm', models: ['m'] });
  closers.push(() => engine.close());
  return engine;
}

async function sidecarAt(upstream: string, ...args: readonly string[]): Promise<Sidecar> {
  const sidecar = await Sidecar.start({ upstream, args });
  closers.push(() => sidecar.stop());
  faults.push(() => sidecar.fault);
  return sidecar;
}

function chat(port: number): Promise<unknown> {
  return sendRequest({
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    body: JSON.stringify({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
      max_tokens: TOKENS,
      messages: [{ role: 'user', content: 'word '.repeat(200) }],
    }),
  });
}

async function floorsOf(sidecar: Sidecar): Promise<readonly FloorState[]> {
  return (JSON.parse((await sidecar.admin('/api/summary')).text) as { floor: readonly FloorState[] }).floor;
}

/** What the command says of the same load, in ms. */
async function said(batch: number, context: number): Promise<number> {
  const load = ['--batch', String(Math.round(batch)), '--context', String(Math.round(context))];
  const told = await rubato(['floor', '--model', 'llama-3.1-8b', '--hardware', 'h100-sxm', ...load, '--json']);
  expect([told.status, told.stderr]).toEqual([0, '']);
  return (JSON.parse(told.stdout) as { step_ms: number }).step_ms;
}

test.each([
  ['seen', []],
  ['engine', ['--engine-metrics', 'auto', '--engine-metrics-interval', '0.5']],
] as const)('a measured step stands beside its floor, by a batch that is %s', async (basis, args) => {
  const engine = await engineOf();
  const pair = ['--engine-model', 'llama-3.1-8b', '--engine-hardware', 'h100-sxm'];
  const sidecar = await sidecarAt(engine.url, ...pair, ...args);
  expect(sidecar.logs).toContainEqual(
    expect.objectContaining({ route: 'default', model: 'llama-3.1-8b', hardware: 'h100-sxm', least_step_ms: 4.79 }),
  );
  expect(await floorsOf(sidecar)).toEqual([expect.not.objectContaining({ floorNs: expect.anything() as unknown })]);

  // The engine's metrics are looked for once an answer has streamed well.
  await chat(sidecar.listenPort);
  const found = new AbortController();
  const readers = Array.from({ length: STREAMS }, async () => {
    // An answer takes less than a second, and the batch is looked at once a second.
    while (!found.signal.aborted) await chat(sidecar.listenPort);
  });
  const floor = await poll(
    'a floor and a step',
    async () => (await floorsOf(sidecar)).find((each) => each.timesFloor !== undefined && each.basis === basis),
    15_000,
  ).finally(() => found.abort());
  await Promise.all(readers);
  expect(floor).toMatchObject({ route: 'default', model: 'llama-3.1-8b', mode: 'roofline' });
  const { batchCount = 0, contextTokens = 0, floorNs = 0, stepNs = 0, timesFloor = 0 } = floor;
  expect(batchCount).toBeGreaterThanOrEqual(1);
  expect(batchCount).toBeLessThanOrEqual(STREAMS);
  // Two hundred words and a few tokens of the template, and no more than all of the answer.
  expect(contextTokens).toBeGreaterThan(200);
  expect(contextTokens).toBeLessThan(1000 + TOKENS);
  expect(timesFloor).toBe(stepNs / floorNs);
  expect(Math.abs(floorNs / 1e6 - (await said(batchCount, contextTokens)))).toBeLessThan(0.05);

  const samples = (await sidecar.metrics()).filter(({ name }) => name.startsWith('rubato_floor_'));
  expect(samples.map(({ name, labels }) => [name, labels['route']])).toEqual([
    ['rubato_floor_step_seconds', 'default'],
    ['rubato_floor_measured_step_seconds', 'default'],
    ['rubato_floor_times_ratio', 'default'],
    ['rubato_floor_bandwidth_ratio', 'default'],
    ['rubato_floor_batch', 'default'],
    ['rubato_floor_context', 'default'],
  ]);
});

test('without a model and hardware there is no floor, and nothing of it is shown', async () => {
  const engine = await engineOf();
  const sidecar = await sidecarAt(engine.url);
  await chat(sidecar.listenPort);
  expect(await floorsOf(sidecar)).toEqual([]);
  expect((await sidecar.metrics()).filter(({ name }) => name.startsWith('rubato_floor'))).toEqual([]);
});
