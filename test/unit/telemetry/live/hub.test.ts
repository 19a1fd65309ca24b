// Goal: one question serves all watchers, each gets first all and then what is new, nobody who is slow is given more,
// and a main thread that is silent is reported and asked no further. Method: timers that are moved on by hand, watchers
// that are lists.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ADMIN_ANSWER_WAIT_MS } from '../../../../src/base/admin-limits.ts';
import {
  LIVE_ASK_LEAST_MS,
  LIVE_BEAT_MS,
  LIVE_STATE_MS,
  LIVE_UNSENT_MAX_BYTES,
  LIVE_WATCHERS_MAX_COUNT,
} from '../../../../src/base/live-limits.ts';
import { LiveHub } from '../../../../src/telemetry/live/hub.ts';
import type { EventSink, LiveEvents, LiveWants } from '../../../../src/telemetry/live/messages.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class List implements EventSink {
  heldBytes = 0;
  readonly got: string[] = [];

  write(bytes: Uint8Array): void {
    this.got.push(new TextDecoder().decode(bytes).split('\n', 1)[0] ?? '');
  }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A main thread that answers at once, as long as it `answers`. */
function setUp() {
  const wanted: LiveWants[] = [];
  const main = { answers: true };
  const hub = new LiveHub((wants) => {
    wanted.push(wants);
    if (main.answers) queueMicrotask(() => hub.answered(eventsOf(wants)));
  });
  return { hub, wanted, main };
}

function eventsOf({ hello, beat, state }: LiveWants): LiveEvents {
  return {
    ...(hello && { hello: bytes('hello') }),
    ...(beat && { beat: bytes('beat') }),
    ...(state && { state: bytes('state') }),
  };
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test('the first watcher is told all at once, then of each beat, and of each state with the fourth', async () => {
  const { hub, wanted } = setUp();
  const list = new List();
  hub.enter(list);
  await pass(1);
  expect(wanted).toEqual([{ hello: true, beat: false, state: false, watcherCount: 1 }]);
  await pass(LIVE_BEAT_MS);
  expect(list.got).toEqual(['retry: 1000', 'hello', 'beat', 'state']);
  await pass(LIVE_STATE_MS);
  expect(list.got.slice(4)).toEqual(['beat', 'beat', 'beat', 'beat', 'state']);
});

test('whoever comes later gets all soon, while the others go on; main is asked once for both', async () => {
  const { hub, wanted } = setUp();
  const [first, second] = [new List(), new List()];
  hub.enter(first);
  await pass(1);
  hub.enter(second);
  await pass(LIVE_ASK_LEAST_MS - 2);
  expect(wanted).toHaveLength(1);
  await pass(2);
  expect(wanted[1]).toEqual({ hello: true, beat: true, state: true, watcherCount: 2 });
  expect(first.got).toEqual(['retry: 1000', 'hello', 'beat', 'state']);
  expect(second.got).toEqual(['retry: 1000', 'hello']);
  await pass(LIVE_BEAT_MS);
  expect(second.got).toEqual(['retry: 1000', 'hello', 'beat']);
  expect(wanted).toHaveLength(3);
});

test('nothing is asked once the last one has left', async () => {
  const { hub, wanted } = setUp();
  const leave = hub.enter(new List());
  await pass(1);
  leave();
  await pass(10_000);
  expect(wanted).toHaveLength(1);
});

test('one with too much waiting for it is given nothing, and all anew when it has taken everything', async () => {
  const { hub } = setUp();
  const [slow, quick] = [new List(), new List()];
  hub.enter(slow);
  hub.enter(quick);
  await pass(1);
  slow.heldBytes = LIVE_UNSENT_MAX_BYTES + 1;
  await pass(4 * LIVE_BEAT_MS);
  expect(slow.got).toEqual(['retry: 1000', 'hello']);
  expect(quick.got.filter((event) => event === 'beat')).toHaveLength(4);
  slow.heldBytes = 100_000;
  await pass(LIVE_BEAT_MS);
  expect(slow.got).toEqual(['retry: 1000', 'hello']);
  slow.heldBytes = 0;
  await pass(2 * LIVE_BEAT_MS);
  expect(slow.got.slice(2, 4)).toEqual(['hello', 'beat']);
});

test('one with less than that waiting for it misses nothing', async () => {
  const { hub } = setUp();
  const list = new List();
  hub.enter(list);
  await pass(1);
  list.heldBytes = LIVE_UNSENT_MAX_BYTES;
  await pass(2 * LIVE_BEAT_MS);
  expect(list.got.slice(2)).toEqual(['beat', 'state', 'beat']);
});

test('while nobody can take anything main is asked for nothing', async () => {
  const { hub, wanted } = setUp();
  const list = new List();
  hub.enter(list);
  await pass(1);
  list.heldBytes = LIVE_UNSENT_MAX_BYTES + 1;
  await pass(LIVE_BEAT_MS);
  const count = wanted.length;
  await pass(10 * LIVE_BEAT_MS);
  expect(wanted).toHaveLength(count);
});

test('a main thread that does not answer is asked no second time; watchers are told, and then everything goes on', async () => {
  const { hub, wanted, main } = setUp();
  const list = new List();
  hub.enter(list);
  await pass(1);
  main.answers = false;
  await pass(LIVE_BEAT_MS);
  expect(wanted).toHaveLength(2);
  await pass(ADMIN_ANSWER_WAIT_MS - 10);
  expect(list.got).toEqual(['retry: 1000', 'hello']);
  const late = new List();
  hub.enter(late);
  await pass(20);
  expect([list.got.at(-1), late.got.at(-1)]).toEqual(['event: busy', 'event: busy']);
  await pass(ADMIN_ANSWER_WAIT_MS);
  expect(list.got.filter((event) => event === 'event: busy')).toHaveLength(2);
  expect(wanted).toHaveLength(2);
  main.answers = true;
  hub.answered(eventsOf(wanted[1] as LiveWants));
  await pass(LIVE_BEAT_MS);
  expect(list.got.slice(-2)).toEqual(['state', 'beat']);
  expect(late.got.slice(-2)).toEqual(['hello', 'beat']);
});

test('events that main failed to make are asked for again in time', async () => {
  const { hub, wanted, main } = setUp();
  const list = new List();
  main.answers = false;
  hub.enter(list);
  await pass(1);
  hub.answered({});
  main.answers = true;
  await pass(LIVE_ASK_LEAST_MS);
  expect(wanted).toHaveLength(2);
  expect(list.got).toEqual(['retry: 1000', 'hello']);
});

test('it is full with so many and no more, until one leaves', () => {
  const { hub } = setUp();
  const leaves = Array.from({ length: LIVE_WATCHERS_MAX_COUNT }, () => {
    expect(hub.isFull).toBe(false);
    return hub.enter(new List());
  });
  expect(hub.isFull).toBe(true);
  leaves[3]?.();
  expect(hub.isFull).toBe(false);
});
