// Many streams that have their first chunk and wait: opened a few at a time, and known to be there.
import { sleep } from '../../support/signal.ts';
import type { Load } from './load.ts';
import type { Address, LoadStream } from './load-stream.ts';

/** More than a few hundred handshakes at once would measure the kernel's backlog. */
const AT_ONCE_COUNT = 50;
const EVERY_MS = 30;
const BEGIN_MAX_MS = 30_000;

/** Each gets its first chunk as soon as the engine has its request, and no other. */
export async function openWaiting(load: Load, to: number | Address, count: number): Promise<LoadStream[]> {
  const streams: LoadStream[] = [];
  while (streams.length < count) {
    for (let nth = 0; nth < AT_ONCE_COUNT && streams.length < count; nth += 1) {
      streams.push(load.open(to, { onAnswer: (self) => self.chunk() }));
    }
    await sleep(EVERY_MS);
  }
  return streams;
}

/** Until each has its first chunk; rejects when one fails first, or when that takes too long. */
export async function untilBegun(streams: readonly LoadStream[]): Promise<void> {
  const failed = Promise.race(streams.map((stream) => stream.ended));
  const untilMs = performance.now() + BEGIN_MAX_MS;
  while (streams.some(({ firstAtNs }) => firstAtNs === undefined)) {
    if (performance.now() > untilMs) throw new Error(`not all streams began within ${BEGIN_MAX_MS / 1_000} s`);
    await Promise.race([failed, sleep(EVERY_MS)]);
  }
}
