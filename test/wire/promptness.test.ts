// Goal: nothing is held: a head leaves before its body exists, and every byte of a stream before the next one (T02, T04).
// Method: an engine that writes its head long before its body, and a stream byte by byte; medians over many, one-sided,
// and always less than the time until the engine would write again.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD, head } from '../support/script.ts';

const bench = useBench();
/** The target is 10 ms for a head and 2 ms for a byte on an idle machine. */
const MEDIAN_MAX_MS = 20;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity;

test.each([
  ['of a stream', HEAD, c(DONE).toString() + END],
  ['of stated length', head('200 OK', 'content-type: application/json', 'content-length: 2'), '{}'],
  ['of an error', head('503 Busy', 'content-length: 2'), 'no'],
])('T02 a head %s leaves long before its body', async (_what, top, rest) => {
  const tookMs: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    const plan = bench.engine.plan([at(0, top), at(600, rest)]);
    const client = await bench.client();
    client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    const response = await client.responseHead();
    const [write] = (await plan.exchange).writes;
    tookMs.push(((response.head?.atNs ?? Infinity) - (write?.atNs ?? 0)) / 1e6);
    expect((await client.response()).complete).toBe(true);
  }
  expect(Math.max(...tookMs)).toBeLessThan(500);
  expect(median(tookMs)).toBeLessThan(MEDIAN_MAX_MS);
});

test('T04 each byte of a stream leaves before the next one comes', async () => {
  const bytes = Buffer.concat([c(D('a')), c(DONE), Buffer.from(END)]);
  const everyMs = 8;
  const steps = Array.from({ length: bytes.length }, (_, index) =>
    at(20 + index * everyMs, bytes.subarray(index, index + 1)),
  );
  const run = await bench.check({ script: [at(0, HEAD), ...steps] });
  const { writes } = run.exchange;
  // Bytes of the framing need not be passed on; those of the body are, each by itself.
  const { marks } = run.response;
  expect(marks.length).toBeGreaterThan(D('a').length * 0.8);
  const sentAtNs = new Map<number, number>();
  run.exchange.answer?.marks.forEach(({ bodyBytes, atNs }) => sentAtNs.set(bodyBytes, atNs));
  const tookMs = marks.flatMap(({ bodyBytes, atNs }) => {
    const sent = sentAtNs.get(bodyBytes);
    return sent === undefined ? [] : [(atNs - sent) / 1e6];
  });
  expect(tookMs.length).toBeGreaterThan(D('a').length * 0.8);
  expect(median(tookMs)).toBeLessThan(everyMs);
  expect(writes.length).toBe(bytes.length + 1);
});
