// Goal: what the main thread holds of an open stream has a bound that does not depend on its prompt.
// Method: streams that are open side by side, with and without long prompts; the heap is looked at after collections.
import { expect, test } from 'vitest';
import { liveBytes } from '../../support/live-heap.ts';
import { createStage, text } from './tape-play.ts';

const STREAM_COUNT = 100;
const CHUNK_COUNT = 20;
/** Such a stream takes 10 KiB; the rest is for what V8 counts differently from release to release. */
const OPEN_MAX_BYTES = 16 * 1024;

/** Bytes of each of so many streams that are open. */
async function openBytes(promptBytes: number): Promise<number> {
  const { observer, exchange } = createStage({ sinks: [{ name: 'none', onReport: () => undefined }] });
  const open = (number: number): void => {
    const content = `${number} `.repeat(promptBytes).slice(0, promptBytes);
    const play = exchange(number, { fields: ['Host', `engine-${number}`, 'Content-Type', 'application/json'] })
      .request({ model: `m${number % 10}`, stream: true, messages: [{ role: 'user', content }] })
      .head(50);
    for (let chunk = 0; chunk < CHUNK_COUNT; chunk += 1) play.chunk(100 + 20 * chunk, text(` word ${chunk}`));
  };
  for (let number = 1; number <= 50; number += 1) open(number);
  const before = await liveBytes();
  for (let number = 51; number <= 50 + STREAM_COUNT; number += 1) open(number);
  const bytes = ((await liveBytes()) - before) / STREAM_COUNT;
  expect([...observer.openObserved()]).toHaveLength(50 + STREAM_COUNT);
  return bytes;
}

test.each([20, 50_000])('an open stream whose prompt has %i bytes takes a few KiB', async (promptBytes) => {
  expect(await openBytes(promptBytes)).toBeLessThan(OPEN_MAX_BYTES);
});
