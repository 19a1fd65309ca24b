// One stream at a time over a connection that is kept, scenario (d): what a proxy adds to the first chunk and to
// later ones when nothing else goes on.
import { sleep } from '../../../support/signal.ts';
import { msOf, percentile } from '../../harness/stats.ts';
import { openAccount } from '../account.ts';
import { keepConnection } from '../kept-connections.ts';
import type { Scenario } from '../figures.ts';

const STREAM_COUNT = 60;
const CHUNK_COUNT = 6;
const CHUNK_EVERY_MS = 10;
/** A reader thinks; it also lets each side see the end of an answer before the next request comes. */
const PAUSE_MS = 20;

export const single: Scenario = {
  letter: 'd',
  title: 'one stream at a time over a kept connection',
  async play({ load, scale }, running) {
    const over = await keepConnection(running.port);
    const [firstNs, chunkNs]: [number[], number[]] = [[], []];
    const close = openAccount(running.pids);
    for (let nth = 0; nth < STREAM_COUNT * scale; nth += 1) {
      const stream = load.open(running, { over, onAnswer: (self) => self.chunk() });
      for (let chunk = 1; chunk < CHUNK_COUNT; chunk += 1) {
        await Promise.race([sleep(CHUNK_EVERY_MS), stream.ended]);
        // A slow way may not have brought the request yet.
        if (stream.answer !== undefined) stream.chunk();
      }
      await untilAnswered(stream);
      stream.answer?.end();
      await stream.ended;
      firstNs.push((stream.firstAtNs ?? NaN) - stream.openedAtNs);
      chunkNs.push(...stream.delaysNs.slice(1));
      await sleep(PAUSE_MS);
    }
    const { shares } = close();
    over.destroy();
    return {
      firstP50Ms: msOf(percentile(firstNs, 50)),
      firstP99Ms: msOf(percentile(firstNs, 99)),
      chunkP50Ms: msOf(percentile(chunkNs, 50)),
      chunkP99Ms: msOf(percentile(chunkNs, 99)),
      ...shares,
    };
  },
};

async function untilAnswered(stream: { readonly answer: unknown; readonly ended: Promise<void> }): Promise<void> {
  while (stream.answer === undefined) await Promise.race([sleep(1), stream.ended]);
}
