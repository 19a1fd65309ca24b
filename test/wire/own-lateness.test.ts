// Goal: a limit on the engine's silence is on the engine's, not on ours: after the process was stopped (a paused
// machine, a throttled container) nothing is cut whose bytes waited, and real silence still is.
// Method: SIGSTOP and SIGCONT for longer than the limits, under streams and before heads.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { PLAN_FIELD, type Script } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const LIMIT_MS = 400;
const STOPPED_MS = 900;
const bench = useBench({ args: ['--timeout-head', '0.4', '--timeout-idle', '0.4'] });

async function suspend(ms: number): Promise<void> {
  process.kill(bench.sidecar.pid, 'SIGSTOP');
  await sleep(ms);
  process.kill(bench.sidecar.pid, 'SIGCONT');
}

async function runSuspended(model: string, script: Script, fromMs: number) {
  const plan = bench.engine.plan(script);
  const client = await bench.client();
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  await plan.exchange;
  await sleep(fromMs);
  await suspend(STOPPED_MS);
  const response = await client.response();
  const { record } = await bench.sidecar.record(model, ({ request }) => request.model === model);
  return { response, record };
}

const events = (fromMs: number, toMs: number) =>
  Array.from({ length: (toMs - fromMs) / 20 }, (_, index) => at(fromMs + index * 20, c(D('a'))));

describe('while rubato is stopped', () => {
  test('a stream that goes on is not cut', async () => {
    const script = [at(0, HEAD), ...events(0, 1_400), at(1_400, c(DONE), END)];
    const { response, record } = await runSuspended('goes-on', script, 100);
    expect([response.complete, record.end.outcome]).toEqual([true, 'ok']);
  });

  test('a stream that ends is whole', async () => {
    const script = [at(0, HEAD, c(D('a'))), at(200, c(D('b')), c(DONE), END)];
    const { response, record } = await runSuspended('ended', script, 50);
    expect([response.complete, record.end.outcome]).toEqual([true, 'ok']);
  });

  test('a head that comes is no time-out', async () => {
    const script = [at(250, HEAD, c(D('a')), c(DONE), END)];
    const { response, record } = await runSuspended('head', script, 50);
    expect([response.status, record.end.outcome]).toEqual([200, 'ok']);
  });

  test('an engine that was stopped with us has time to go on', async () => {
    // Both are silent for as long as they are stopped; the engine speaks some time after we run again.
    const script = [at(0, HEAD, c(D('a'))), at(50 + STOPPED_MS + 200, c(DONE), END)];
    const { response, record } = await runSuspended('both', script, 50);
    expect([response.complete, record.end.outcome]).toEqual([true, 'ok']);
  });
});

test('real silence is a time-out, stopped or not', async () => {
  const { response, record } = await runSuspended('silent', [at(0, HEAD, c(D('a'))), at(5_000, END)], 50);
  expect([response.complete, record.end.outcome]).toEqual([false, 'timeout_idle']);
  expect((record.marks.clientEndAtNs ?? 0) / 1e6).toBeGreaterThanOrEqual(LIMIT_MS);
});
