// A hundred new streams within 20 ms, each on a connection of its own, scenario (h): how soon the first chunk of each
// is there, and what a new stream costs with all that follows from it.
import { sleep } from '../../../support/signal.ts';
import { msOf, percentile } from '../../harness/stats.ts';
import { openAccount, perRequest } from '../account.ts';
import type { Running } from '../contenders.ts';
import type { Scenario, Stage } from '../figures.ts';

const STREAM_COUNT = 100;
const WITHIN_MS = 20;
const BURST_COUNT = 5;
/** By then whatever a burst left to do behind its streams is done. */
const AFTERMATH_MS = 500;

/** Connect → first chunk, ns, of each stream. */
async function playBurst({ load }: Stage, running: Running): Promise<number[]> {
  const streams = Array.from({ length: STREAM_COUNT }, async (_, index) => {
    await sleep((index * WITHIN_MS) / STREAM_COUNT);
    const stream = load.open(running, {
      onAnswer(self) {
        self.chunk();
        self.answer?.end();
      },
    });
    await stream.ended;
    return (stream.firstAtNs ?? NaN) - stream.openedAtNs;
  });
  return Promise.all(streams);
}

export const burst: Scenario = {
  letter: 'h',
  title: `${STREAM_COUNT} new streams within ${WITHIN_MS} ms`,
  async play(stage, running) {
    const firstNs: number[] = [];
    const close = openAccount(running.pids);
    for (let nth = 0; nth < BURST_COUNT * stage.scale; nth += 1) {
      firstNs.push(...(await playBurst(stage, running)));
      await sleep(AFTERMATH_MS);
    }
    const costs = perRequest(close(), firstNs.length);
    return { firstP50Ms: msOf(percentile(firstNs, 50)), firstP99Ms: msOf(percentile(firstNs, 99)), ...costs };
  },
};
