// How many chunks a second go through at most, scenario (c): each stream gets its next chunk as soon as the last one
// came, so there is one on the way a stream and never more.
import { sleep } from '../../../support/signal.ts';
import { openAccount, perChunk } from '../account.ts';
import type { LoadStream } from '../../harness/load.ts';
import type { Scenario } from '../figures.ts';

const STREAM_COUNT = 100;
const RAMP_MS = 1_000;
const FOR_MS = 3_000;

export const saturation: Scenario = {
  letter: 'c',
  title: `saturation: ${STREAM_COUNT} streams, each gets its next chunk when the last one came`,
  async play({ load, scale }, running) {
    let chunkCount = 0;
    let over = false;
    const next = (stream: LoadStream): void => {
      chunkCount += 1;
      if (over) stream.answer?.end();
      else stream.chunk();
    };
    const streams = Array.from({ length: STREAM_COUNT }, () => load.open(running, { onAnswer: next, onChunk: next }));
    const ended = Promise.all(streams.map((stream) => stream.ended));
    const pause = (ms: number): Promise<unknown> => Promise.race([ended, sleep(ms)]);
    await pause(RAMP_MS);
    const before = chunkCount;
    const close = openAccount(running.pids);
    await pause(FOR_MS * scale);
    const account = close();
    const count = chunkCount - before;
    over = true;
    await ended;
    return { chunksPerSecond: count / account.seconds, ...perChunk(account, count) };
  },
};
