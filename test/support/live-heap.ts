// What this thread's heap holds of what is alive. For tests of what is let go of.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sleep } from './signal.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const LOOK_COUNT = 10;
const LOOK_MS = 20;

/** Bytes; the least of several looks, as V8 gives buffers back on another thread some time after a collection. */
export async function liveBytes(): Promise<number> {
  let leastBytes = Infinity;
  for (let look = 0; look < LOOK_COUNT; look += 1) {
    collect();
    await sleep(LOOK_MS);
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    leastBytes = Math.min(leastBytes, heapUsed + arrayBuffers);
  }
  return leastBytes;
}
