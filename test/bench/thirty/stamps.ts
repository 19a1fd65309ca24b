// T16: stamps that rubato's own lateness may have spoiled say so, and few that are right are doubted. How late each
// one was is known from the engine's own; the sidecar is stopped by signals, kept busy, or left alone.
import { TimeBench, type TimedRun } from '../../support/time-bench.ts';
import type { Check, Finding } from './finding.ts';
import { pause } from './ways.ts';

const BUSY_RELAY = new URL('../../support/busy-relay.ts', import.meta.url).pathname;
const LATE_NS = 2e6;
/** Below this a stamp is good enough for any histogram. */
const BAD_NS = 1e6;
const UNMARKED_MAX_SHARE = 0.01;
const FALSE_MAX_SHARE = 0.05;
const RUN_COUNT = 4;
const EVENT_COUNT = 150;
const EVERY_MS = 20;
/** What a gap that counts may be off by: 5 % of itself, or 1 ms, at each end, and what a wake-up takes. */
const GAP_OFF_MAX_NS = 4e6;
const GAP_OFF_MAX_SHARE = 0.12;

async function suspended(bench: TimeBench): Promise<TimedRun> {
  const running = bench.run(EVENT_COUNT, EVERY_MS);
  for (const [afterMs, forMs] of [
    [200, 100],
    [350, 500],
    [250, 900],
  ] as const) {
    await pause(afterMs);
    await bench.suspend(forMs);
  }
  return running;
}

function lateFindings(what: string, runs: readonly TimedRun[]): Finding[] {
  const late = runs.flatMap(({ looks }) => looks).filter(({ lateNs }) => lateNs > LATE_NS);
  const unmarked = late.filter(({ boundNs }) => boundNs <= BAD_NS).length;
  const spoiled = runs.filter(
    ({ figures, sentGapMaxNs }) =>
      (figures.gapsReceived.maxNs ?? 0) > sentGapMaxNs * (1 + GAP_OFF_MAX_SHARE) + GAP_OFF_MAX_NS,
  ).length;
  return [
    {
      id: 'T16',
      what: `${what}: share of stamps late by more than 2 ms that are not marked`,
      value: unmarked / late.length,
      target: UNMARKED_MAX_SHARE,
      unit: '',
      note: `${unmarked} of ${late.length}`,
    },
    {
      id: 'T16',
      what: `${what}: streams in whose gaps our lateness counts`,
      value: spoiled,
      target: 0,
      unit: `of ${runs.length}`,
    },
  ];
}

async function runsOf(bench: TimeBench, run: (bench: TimeBench) => Promise<TimedRun>): Promise<TimedRun[]> {
  const runs: TimedRun[] = [];
  for (let nth = 0; nth < RUN_COUNT; nth += 1) runs.push(await run(bench));
  return runs;
}

export const stamps: Check = {
  ids: ['T16'],
  about: 'suspensions, a busy relay, garbage, and none of it',
  async run() {
    const findings: Finding[] = [];
    const quiet = await TimeBench.start();
    findings.push(...lateFindings('suspended', await runsOf(quiet, suspended)));
    const looks = (await runsOf(quiet, (bench) => bench.run(EVENT_COUNT, EVERY_MS))).flatMap((run) => run.looks);
    await quiet.stop();
    const doubted = looks.filter(({ lateNs, boundNs }) => boundNs > BAD_NS && lateNs < BAD_NS).length;
    for (const busy of ['compute', 'litter']) {
      const bench = await TimeBench.start({ nodeArgs: ['--import', BUSY_RELAY], env: { TEST_BUSY: busy } });
      const runs = await runsOf(bench, (each) => each.run(EVENT_COUNT, EVERY_MS));
      await bench.stop();
      findings.push(...lateFindings(busy === 'compute' ? 'busy for 5 to 100 ms' : 'much garbage', runs));
    }
    findings.push({
      id: 'T16',
      what: 'left alone: share of good stamps that are doubted',
      value: doubted / looks.length,
      target: FALSE_MAX_SHARE,
      unit: '',
      note: `${doubted} of ${looks.length}`,
    });
    return findings;
  },
};
