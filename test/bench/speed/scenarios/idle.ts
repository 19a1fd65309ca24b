// Two thousand streams that are open and wait, scenario (g): memory of each, beyond the process before they came.
// `memory` in the folder above asks the same after many chunks and with other heaps.
import { sleep } from '../../../support/signal.ts';
import { residentKib } from '../../harness/processes.ts';
import { openWaiting, untilBegun } from '../../harness/waiting-streams.ts';
import type { Scenario } from '../figures.ts';

const STREAM_COUNT = 2_000;
const SETTLE_MS = 2_000;

export const idle: Scenario = {
  letter: 'g',
  title: `${STREAM_COUNT} streams that wait after their first chunk`,
  isFresh: true,
  async play({ load, scale }, running) {
    await sleep(SETTLE_MS);
    const beforeKib = residentKib(running.pids);
    const count = Math.round(STREAM_COUNT * scale);
    const streams = await openWaiting(load, running, count);
    await untilBegun(streams);
    await sleep(SETTLE_MS);
    const kibPerStream = (residentKib(running.pids) - beforeKib) / count;
    for (const stream of streams) stream.answer?.end();
    await Promise.all(streams.map((stream) => stream.ended));
    return running.pids.length === 0 ? {} : { kibPerStream };
  },
};
