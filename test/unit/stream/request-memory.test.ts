// Goal: what is known of a request, which lives as long as its exchange, holds on to no part of its prompt.
// Method: many readings of requests with long prompts are kept, and the heap is looked at after a collection.
import { expect, test } from 'vitest';
import { liveBytes } from '../../support/live-heap.ts';
import { readRequest, type RequestReading } from '../../../src/stream/request-reader.ts';

const READING_COUNT = 64;
const PROMPT_BYTES = 200_000;

function bodyOf(index: number): Buffer {
  const content = `${index} `.repeat(PROMPT_BYTES).slice(0, PROMPT_BYTES);
  return Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }], model: `model-${index}`, stream: true }));
}

test.each([
  ['whole', (body: Buffer) => ({ head: body, totalBytes: body.length })],
  [
    'in two ends',
    (body: Buffer) => ({ head: body.subarray(0, 65_536), tail: body.subarray(-65_536), totalBytes: 1e6 }),
  ],
])('readings of requests that were copied %s hold no prompt', async (_, copyOf) => {
  const read = (index: number): RequestReading => readRequest(copyOf(bodyOf(index)), 'application/json', undefined);
  // What the first one compiles and caches is not counted.
  const kept = [read(0)];
  const before = await liveBytes();
  for (let index = 1; index <= READING_COUNT; index += 1) kept.push(read(index));
  expect(((await liveBytes()) - before) / READING_COUNT).toBeLessThan(PROMPT_BYTES / 20);
  expect(kept.map((reading) => reading.model)).toEqual(kept.map((_reading, index) => `model-${index}`));
});
