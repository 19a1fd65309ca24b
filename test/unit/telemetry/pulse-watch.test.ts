// Goal: a relay is dead when its heart stands still, and not because nobody looked.
// Method: numbers in shared memory counted up by hand, moments given as arguments.
import { expect, test } from 'vitest';
import { PulseWatch } from '../../../src/telemetry/pulse-watch.ts';

const SECOND_NS = 1e9;

function heart(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

test('a heart that beats is well, one that stands still for ten seconds is not', () => {
  const [one, two] = [heart(), heart()];
  const watch = new PulseWatch();
  watch.set([
    { name: 'relay-0', beats: one },
    { name: 'relay-1', beats: two },
  ]);
  for (let second = 0; second < 10; second += 1) {
    Atomics.add(one, 0, 1);
    expect(watch.health(second * SECOND_NS).ok).toBe(true);
  }
  Atomics.add(one, 0, 1);
  expect(watch.health(10 * SECOND_NS)).toEqual({
    ok: false,
    relays: [
      { name: 'relay-0', ok: true, heartbeatAgeMs: 0 },
      { name: 'relay-1', ok: false, heartbeatAgeMs: 10_000 },
    ],
  });
});

test('time in which the whole process was suspended is no age of a heartbeat', () => {
  const beats = heart();
  const watch = new PulseWatch();
  watch.set([{ name: 'relay-0', beats }]);
  watch.health(0);
  Atomics.add(beats, 0, 1);
  watch.health(SECOND_NS);
  const { relays } = watch.health(3_600 * SECOND_NS);
  expect(relays).toEqual([{ name: 'relay-0', ok: true, heartbeatAgeMs: 2_000 }]);
});

test('a relay without a successor is not well, and its successor has a life of its own', () => {
  const watch = new PulseWatch();
  watch.set([{ name: 'relay-0', beats: heart() }]);
  for (let second = 0; second <= 9; second += 1) watch.look(second * SECOND_NS);
  watch.set([{ name: 'relay-0', beats: undefined }]);
  expect(watch.health(9 * SECOND_NS).ok).toBe(false);
  watch.set([{ name: 'relay-0', beats: heart() }]);
  expect(watch.health(10 * SECOND_NS).relays[0]).toEqual({ name: 'relay-0', ok: true, heartbeatAgeMs: 0 });
});

test('others that are told anew keep their age', () => {
  const [one, two] = [heart(), heart()];
  const watch = new PulseWatch();
  watch.set([{ name: 'relay-0', beats: one }]);
  for (let second = 0; second <= 5; second += 1) watch.look(second * SECOND_NS);
  // As it comes over a message: another array over the same memory.
  watch.set([
    { name: 'relay-0', beats: new Int32Array(one.buffer) },
    { name: 'relay-1', beats: two },
  ]);
  expect(watch.health(6 * SECOND_NS).relays.map(({ heartbeatAgeMs }) => heartbeatAgeMs)).toEqual([6_000, 0]);
});

test('without relays nothing is well', () => {
  expect(new PulseWatch().health(0)).toEqual({ ok: false, relays: [] });
});
