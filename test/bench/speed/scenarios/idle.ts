// Two thousand streams that are open and wait, scenario (g): memory of each, beyond the process before they came.
// `memory` in the folder above asks the same after many chunks and with other heaps.
import { sleep } from '../../../support/signal.ts';
import type { LoadStream } from '../../harness/load.ts';
import { residentKib } from '../../harness/processes.ts';
import type { Scenario } from '../figures.ts';

const STREAM_COUNT = 2_000;
/** More than a few hundred handshakes at once would measure the kernel's backlog. */
const AT_ONCE_COUNT = 50;
const EVERY_MS = 30;
const SETTLE_MS = 2_000;
const BEGIN_MAX_MS = 30_000;

/** Each has its first chunk. */
async function allBegun(streams: readonly LoadStream[]): Promise<void> {
  const failed = Promise.race(streams.map((stream) => stream.ended));
  const untilMs = performance.now() + BEGIN_MAX_MS;
  while (streams.some(({ firstAtNs }) => firstAtNs === undefined)) {
    if (performance.now() > untilMs) throw new Error(`not all streams began within ${BEGIN_MAX_MS / 1_000} s`);
    await Promise.race([failed, sleep(EVERY_MS)]);
  }
}

export const idle: Scenario = {
  letter: 'g',
  title: `${STREAM_COUNT} streams that wait after their first chunk`,
  isFresh: true,
  async play({ load, scale }, running) {
    await sleep(SETTLE_MS);
    const beforeKib = residentKib(running.pids);
    const count = Math.round(STREAM_COUNT * scale);
    const streams: LoadStream[] = [];
    while (streams.length < count) {
      for (let nth = 0; nth < AT_ONCE_COUNT && streams.length < count; nth += 1) {
        streams.push(load.open(running, { onAnswer: (self) => self.chunk() }));
      }
      await sleep(EVERY_MS);
    }
    await allBegun(streams);
    await sleep(SETTLE_MS);
    const kibPerStream = (residentKib(running.pids) - beforeKib) / count;
    for (const stream of streams) stream.answer?.end();
    await Promise.all(streams.map((stream) => stream.ended));
    return running.pids.length === 0 ? {} : { kibPerStream };
  },
};
