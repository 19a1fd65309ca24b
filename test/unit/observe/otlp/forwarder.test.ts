// Goal: the queue to the collector is bounded and loses its oldest, what cannot be sent is tried once
// more and counted, and the end waits for what can still go. Method: senders that answer on command.
import { describe, expect, test } from 'vitest';
import { OTLP_SENDS_MAX_COUNT } from '../../../../src/base/otlp-limits.ts';
import { noCounts } from '../../../../src/observe/otlp/counts.ts';
import { Forwarder, type SendResult } from '../../../../src/observe/otlp/forwarder.ts';
import type { Payload } from '../../../../src/observe/otlp/signals.ts';

const SENT: SendResult = { sent: true };
const LATER: SendResult = { sent: false, fault: 'busy', again: true, afterMs: 0 };
const NEVER: SendResult = { sent: false, fault: 'status 400', again: false };

function payload(text: string): Payload {
  return { signal: 'logs', type: 'application/x-protobuf', encoding: undefined, bytes: Buffer.from(text) };
}

function setUp(answers: readonly SendResult[] | 'hold', limits: { maxBytes?: number; maxCount?: number } = {}) {
  const counts = noCounts();
  const tried: string[] = [];
  const faults: string[] = [];
  const held: ((result: SendResult) => void)[] = [];
  let closed = 0;
  const sender = {
    send({ bytes }: Payload): Promise<SendResult> {
      tried.push(bytes.toString());
      if (answers !== 'hold') return Promise.resolve(answers[tried.length - 1] ?? SENT);
      return new Promise((resolve) => held.push(resolve));
    },
    close() {
      closed += 1;
    },
  };
  const forwarder = new Forwarder({
    senders: { traces: undefined, metrics: sender, logs: sender },
    counts,
    onLost: (fault) => faults.push(fault),
    onSent: () => undefined,
    ...limits,
  });
  return { forwarder, counts, tried, faults, held, closedCount: () => closed };
}

test('so many go at once, and the rest in their order', async () => {
  const { forwarder, counts, tried, held } = setUp('hold');
  for (const text of 'abcdefg') forwarder.add(payload(text));
  expect(tried).toEqual(['a', 'b', 'c', 'd'].slice(0, OTLP_SENDS_MAX_COUNT));
  const closing = forwarder.close();
  while (counts.forwarded.logs < 7) {
    for (const answer of held.splice(0)) answer(SENT);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closing;
  expect([tried.join(''), counts.dropped.queue]).toEqual(['abcdefg', 0]);
});

describe('a queue that is full', () => {
  test.each([
    ['in number', { maxCount: 2 }],
    ['in bytes', { maxBytes: 2 }],
  ])('%s loses its oldest', async (_, limits) => {
    const { forwarder, counts, tried, held } = setUp('hold', limits);
    for (const text of 'abcdefgh') forwarder.add(payload(text));
    expect([counts.dropped.queue, forwarder.queuedBytes]).toEqual([2, 2]);
    held.shift()?.(SENT);
    await new Promise((resolve) => setImmediate(resolve));
    expect(tried).toEqual(['a', 'b', 'c', 'd', 'g']);
    for (const answer of held.splice(0)) answer(SENT);
    await new Promise((resolve) => setImmediate(resolve));
    for (const answer of held.splice(0)) answer(SENT);
    await forwarder.close();
  });
});

test('what may work later is sent once more, and what may not is not', async () => {
  const { forwarder, counts, tried, faults, closedCount } = setUp([LATER, SENT, LATER, LATER, NEVER]);
  for (const text of ['a', 'b', 'c']) {
    const doneCount = (): number => counts.forwarded.logs + counts.dropped.collector;
    const before = doneCount();
    forwarder.add(payload(text));
    while (doneCount() === before) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(tried).toEqual(['a', 'a', 'b', 'b', 'c']);
  expect([counts.forwarded.logs, counts.dropped.collector, faults]).toEqual([1, 2, ['busy', 'status 400']]);
  await forwarder.close();
  expect(closedCount()).toBe(1);
});

test('the end does not wait for a collector that hangs', async () => {
  const { forwarder, counts } = setUp('hold');
  for (const text of 'abcdef') forwarder.add(payload(text));
  const startMs = performance.now();
  await forwarder.close();
  expect(performance.now() - startMs).toBeLessThan(4_000);
  expect(counts.dropped.queue).toBe(2);
});
