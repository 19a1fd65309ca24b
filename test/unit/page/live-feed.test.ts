// Goal: the page gets its connection back by itself, says how it stands, and is still while nobody looks. Method: the
// browser's parts are played: sources that say what the test wants, a clock and timers that the test moves.
import { describe, expect, test } from 'vitest';
import { PAGE_RETRY_MAX_MS, PAGE_SILENCE_MAX_MS } from '../../../src/base/page-limits.ts';
import { LiveFeed, retryDelayMs, type EventName, type FeedPorts } from '../../../src/page/feed/live-feed.ts';
import { liveBeat, liveHello, liveState } from '../../support/live-events.ts';

class Played implements FeedPorts {
  atEpochMs = 1_000;
  refused = false;
  /** Sources that were opened, the latest last. */
  readonly sources: { say: (name: EventName, data: unknown) => void; fail: () => void; isClosed: boolean }[] = [];
  #timers: { atEpochMs: number; call: () => void }[] = [];

  open(onEvent: (name: EventName, data: string) => void, onFault: () => void): () => void {
    const source = {
      say: (name: EventName, data: unknown) => onEvent(name, typeof data === 'string' ? data : JSON.stringify(data)),
      fail: onFault,
      isClosed: false,
    };
    this.sources.push(source);
    return () => {
      source.isClosed = true;
    };
  }

  isRefused(): Promise<boolean> {
    return Promise.resolve(this.refused);
  }

  nowEpochMs(): number {
    return this.atEpochMs;
  }

  later(delayMs: number, call: () => void): () => void {
    const timer = { atEpochMs: this.atEpochMs + delayMs, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  random(): number {
    return 1;
  }

  pass(lengthMs: number): void {
    this.atEpochMs += lengthMs;
    const due = this.#timers.filter(({ atEpochMs }) => atEpochMs <= this.atEpochMs);
    this.#timers = this.#timers.filter((each) => !due.includes(each));
    for (const { call } of due) call();
  }

  get timerCount(): number {
    return this.#timers.length;
  }

  get latest() {
    const source = this.sources.at(-1);
    if (source === undefined) throw new Error('no source was opened');
    return source;
  }
}

function started(): { ports: Played; feed: LiveFeed; word: () => string } {
  const ports = new Played();
  const feed = new LiveFeed(ports, () => undefined);
  feed.resume();
  return { ports, feed, word: () => feed.read().link.word };
}

function live(): ReturnType<typeof started> {
  const all = started();
  all.ports.latest.say('hello', liveHello('p1', liveBeat(1)));
  return all;
}

/** Lets a promise that is already kept be heard of. */
async function answered(): Promise<void> {
  await Promise.resolve();
  await Promise.resolve();
}

describe('the connection', () => {
  test('is connecting until the first event and live after it', () => {
    const { ports, feed, word } = started();
    expect(word()).toBe('connecting');
    ports.latest.say('hello', liveHello('p1', liveBeat(1)));
    ports.latest.say('beat', liveBeat(2));
    ports.latest.say('state', liveState(5));
    expect(word()).toBe('live');
    expect(feed.read().model).toMatchObject({ seq: 2, state: { atEpochMs: 5 } });
  });

  test('is lost with its source, keeps what was known and since when, and is opened again by and by', async () => {
    const { ports, feed, word } = live();
    ports.pass(10);
    ports.latest.fail();
    await answered();
    expect(word()).toBe('lost');
    expect(ports.sources[0]?.isClosed).toBe(true);
    expect(feed.read().model?.seq).toBe(1);
    expect(feed.read().link).toEqual({ word: 'lost', sinceEpochMs: 1_010, retryAtEpochMs: 1_510 });
    ports.pass(499);
    expect(ports.sources.length).toBe(1);
    ports.pass(1);
    expect(ports.sources.length).toBe(2);
    expect(word()).toBe('lost');
    ports.latest.fail();
    expect(feed.read().link).toEqual({ word: 'lost', sinceEpochMs: 1_010, retryAtEpochMs: 2_510 });
  });

  test('waits less again after it was there', () => {
    const { ports, feed } = live();
    ports.latest.fail();
    ports.pass(500);
    ports.latest.fail();
    ports.pass(1_000);
    ports.latest.say('hello', liveHello('p1', liveBeat(9)));
    ports.latest.fail();
    expect(feed.read().link.retryAtEpochMs).toBe(ports.atEpochMs + 500);
  });

  test('is refused where the sidecar is there and lets nobody more watch, until it is not', async () => {
    const { ports, word } = started();
    ports.refused = true;
    ports.latest.fail();
    await answered();
    expect(word()).toBe('refused');
    ports.pass(500);
    ports.refused = false;
    ports.latest.fail();
    expect(word()).toBe('refused');
    await answered();
    expect(word()).toBe('lost');
  });

  test('does not take an answer about an attempt that is over', async () => {
    const { ports, feed, word } = started();
    ports.refused = true;
    ports.latest.fail();
    feed.resume();
    ports.latest.say('hello', liveHello('p1', liveBeat(1)));
    await answered();
    expect(word()).toBe('live');
  });

  test('says that another process answers, and for a while only', () => {
    const { ports, feed } = live();
    ports.latest.fail();
    ports.pass(500);
    ports.latest.say('hello', liveHello('p2', liveBeat(1)));
    expect(feed.read().restartedAtEpochMs).toBe(1_500);
    ports.pass(1_000);
    ports.latest.say('beat', liveBeat(2));
    expect(feed.read().restartedAtEpochMs).toBe(1_500);
    ports.pass(10_000);
    ports.latest.say('beat', liveBeat(3));
    for (let minute = 0; minute < 12; minute += 1) {
      ports.pass(10_000);
      ports.latest.say('beat', liveBeat(4 + minute));
    }
    expect(feed.read().restartedAtEpochMs).toBeUndefined();
  });

  test('says nothing of a restart when the same process answers again', () => {
    const { ports, feed } = live();
    ports.latest.fail();
    ports.pass(500);
    ports.latest.say('hello', liveHello('p1', liveBeat(4)));
    expect(feed.read().restartedAtEpochMs).toBeUndefined();
  });

  test('is opened anew when a beat was missed or cannot be read', () => {
    for (const wrong of [liveBeat(3), '{"seq":', liveBeat(99)]) {
      const { ports, word } = live();
      ports.latest.say('beat', wrong);
      expect(word()).toBe('connecting');
      expect(ports.latest.isClosed).toBe(true);
      ports.pass(500);
      expect(ports.sources.length).toBe(2);
    }
  });

  test('is busy while the sidecar says so, and live with the next beat', () => {
    const { ports, word } = live();
    ports.latest.say('busy', { atEpochMs: 3 });
    expect(word()).toBe('busy');
    ports.latest.say('beat', liveBeat(2));
    expect(word()).toBe('live');
  });

  test('counts as lost when nothing comes for long, and not before', () => {
    const { ports, word } = live();
    ports.pass(PAGE_SILENCE_MAX_MS - 1);
    expect(word()).toBe('live');
    ports.latest.say('beat', liveBeat(2));
    ports.pass(PAGE_SILENCE_MAX_MS - 1);
    expect(word()).toBe('live');
    ports.pass(1);
    expect(word()).toBe('lost');
  });

  test('is let go of while nobody looks, and opened at once when somebody does', () => {
    const { ports, feed, word } = live();
    feed.pause();
    expect(word()).toBe('paused');
    expect(ports.latest.isClosed).toBe(true);
    expect(ports.timerCount).toBe(0);
    ports.latest.say('beat', liveBeat(2));
    ports.latest.fail();
    expect(word()).toBe('paused');
    feed.resume();
    expect(ports.sources.length).toBe(2);
    ports.latest.say('hello', liveHello('p1', liveBeat(50)));
    expect(word()).toBe('live');
  });

  test('is over when it is stopped', () => {
    const { ports, feed } = live();
    feed.stop();
    expect(ports.latest.isClosed).toBe(true);
    expect(ports.timerCount).toBe(0);
  });
});

describe('the wait between two tries', () => {
  test('doubles up to its cap, half of it by chance', () => {
    expect([0, 1, 2, 3].map((attempt) => retryDelayMs(attempt, 1))).toEqual([500, 1_000, 2_000, 4_000]);
    expect([0, 1, 2, 3].map((attempt) => retryDelayMs(attempt, 0))).toEqual([250, 500, 1_000, 2_000]);
    expect(retryDelayMs(1_000, 1)).toBe(PAGE_RETRY_MAX_MS);
  });
});
