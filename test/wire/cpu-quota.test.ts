// Goal: a sidecar whose container has too little CPU says so, and books none of it on the engine.
// Method: a control group with a real quota, made tight while streams run; skipped where none can be made.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QuotaGroup } from '../support/quota-group.ts';
import { TimeBench } from '../support/time-bench.ts';
import { sleep } from '../support/signal.ts';

const JOIN = new URL('../support/join-cgroup.ts', import.meta.url).pathname;

let group: QuotaGroup | undefined;
let bench: TimeBench | undefined;
beforeAll(async () => {
  group = QuotaGroup.make();
  if (group === undefined) return;
  group.allow(8);
  bench = await TimeBench.start({ nodeArgs: ['--import', JOIN], env: { TEST_CGROUP: group.folder } });
});
afterAll(async () => {
  await bench?.stop();
  group?.remove();
});

test('F41 throttling by the quota is a doubt, a counter and one warning, and no stall of the engine', async ({
  skip,
}) => {
  if (group === undefined || bench === undefined) return skip('no control group can be made here');
  const { sidecar } = bench;
  await bench.run(20, 20);
  group.allow(0.02);
  const running = bench.run(150, 20);
  await sleep(2_500);
  group.allow(8);
  const { record, figures, looks, sentGapMaxNs } = await running;
  expect(record.doubts).toEqual(expect.arrayContaining(['cpu_throttled', 'loop_lag']));
  const late = looks.filter(({ lateNs }) => lateNs > 2e6);
  expect(late.filter(({ boundNs }) => boundNs > 1e6).length / late.length).toBeGreaterThanOrEqual(0.95);
  expect(figures.taintedCounts.cpu).toBeGreaterThan(0);
  expect(figures.stalls.filter(({ gapNs }) => gapNs >= sentGapMaxNs + 60e6)).toEqual([]);
  const samples = await sidecar.metrics();
  expect(samples.find(({ name }) => name === 'rubato_self_cpu_throttled_seconds_total')?.value).toBeGreaterThan(0.1);
  expect(sidecar.logs.filter((line) => /CPU quota/.test(String(line['msg'])))).toHaveLength(1);
});
