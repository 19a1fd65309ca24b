// Goal: questions keep their pace, are asked on demand but not too often, and never twice at a time.
// Method: fake timers; the clock they drive is the one the loop reads.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PollLoop, type Reason } from '../../../../src/observe/engine-metrics/poll-loop.ts';

let asked: Reason[];
let answer: () => void;
let fail: (fault: Error) => void;
let faults: unknown[];
let loop: PollLoop;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'hrtime'] });
  asked = [];
  faults = [];
  loop = new PollLoop(
    (reason) => {
      asked.push(reason);
      return new Promise((resolve, reject) => {
        answer = resolve;
        fail = reject;
      });
    },
    (fault) => faults.push(fault),
    5_000,
  );
});

afterEach(() => {
  loop.close();
  vi.useRealTimers();
});

async function answered(ms: number): Promise<void> {
  answer();
  await vi.advanceTimersByTimeAsync(ms);
}

test('the first question comes at once, the next ones at their pace', async () => {
  loop.start();
  loop.start();
  expect(asked).toEqual(['pace']);
  await answered(4_999);
  expect(asked).toHaveLength(1);
  await answered(1);
  expect(asked).toHaveLength(2);
});

test('a question that hangs is not asked again', async () => {
  loop.start();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked).toHaveLength(1);
  await answered(5_000);
  expect(asked).toHaveLength(2);
});

test('demands in a row make one question, and the next comes half a second later', async () => {
  loop.soon(100);
  loop.soon(100);
  await vi.advanceTimersByTimeAsync(99);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual(['demand']);
  await answered(0);
  loop.soon(100);
  await vi.advanceTimersByTimeAsync(499);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(2);
});

test('a demand during a question waits until after it, for it began too early', async () => {
  loop.start();
  loop.soon(100);
  await vi.advanceTimersByTimeAsync(200);
  expect(asked).toEqual(['pace']);
  await answered(600);
  expect(asked).toEqual(['pace', 'demand']);
});

test('a fault of ours is told, and the next question is asked all the same', async () => {
  loop.start();
  fail(new Error('ours'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect([faults, asked.length]).toEqual([[new Error('ours')], 2]);
});

test('after its end nothing is asked', async () => {
  loop.soon(100);
  loop.close();
  loop.start();
  loop.soon(1);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked).toEqual([]);
});
