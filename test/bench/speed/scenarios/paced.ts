// Streams at a steady pace, on a schedule that waits for nobody: scenarios (a), (b) and (f).
import { msOf, percentile } from '../../harness/stats.ts';
import type { Delays, PacedPlan } from '../../harness/load.ts';
import { eventChunk } from '../../harness/light-engine.ts';
import { openAccount, perChunk, type Account } from '../account.ts';
import type { Running } from '../contenders.ts';
import type { Scenario, Stage, Values } from '../figures.ts';

/** An event as long as those of answers with logprobs of many candidates, or with images. */
const LARGE_EVENT = eventChunk('x'.repeat(64 * 1024));

/** Streams of three seconds end and begin within the window: what an exchange costs is in the cost of its chunks. */
const STEADY: PacedPlan = { streamCount: 100, chunkCount: 150, everyMs: 20, forMs: 6_000 };
const MANY: PacedPlan = { streamCount: 1_000, chunkCount: 40, everyMs: 100, forMs: 6_000 };
const LARGE: PacedPlan = { streamCount: 20, chunkCount: 40, everyMs: 50, forMs: 5_000, event: LARGE_EVENT };

export async function playPaced(stage: Stage, running: Running, plan: PacedPlan): Promise<[Delays, Account]> {
  let close = openAccount(running.pids);
  let account: Account | undefined;
  const forMs = Math.max(1_000, plan.forMs * stage.scale);
  const delays = await stage.load.paced(running, { ...plan, forMs }, (edge) => {
    if (edge === 'start') close = openAccount(running.pids);
    else account = close();
  });
  return [delays, account ?? close()];
}

export function delayValues({ chunkNs, lateNs, joinedCount }: Delays): Values {
  const ms = (values: readonly number[], percent: number): number => msOf(percentile(values, percent));
  return {
    chunkP50Ms: ms(chunkNs, 50),
    chunkP99Ms: ms(chunkNs, 99),
    chunkP999Ms: ms(chunkNs, 99.9),
    lateP99Ms: ms(lateNs, 99),
    readsPerEvent: 1 - joinedCount / chunkNs.length,
  };
}

export function paced(letter: string, title: string, plan: PacedPlan): Scenario {
  return {
    letter,
    title,
    async play(stage, running) {
      const [delays, account] = await playPaced(stage, running, plan);
      const costs = perChunk(account, delays.chunkNs.length);
      return { ...delayValues(delays), firstP50Ms: msOf(percentile(delays.firstNs, 50)), ...costs };
    },
  };
}

export const steady = paced('a', '100 streams × 50 chunks/s', STEADY);
export const many = paced('b', '1,000 streams × 10 chunks/s', MANY);
export const large = paced('f', '20 streams × 20 events/s of 64 KiB', LARGE);
