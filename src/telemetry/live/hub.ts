// The admin port's side of the live feed: who watches, and what each has seen. Asks the main thread once for all of
// them, never a second time before it has answered, and hands the same bytes to each. Knows no figures.
//
//   new watcher ── hello ──► current ── beat, state, beat … ──► current
//                    ▲                                            │ too much waits for it: left out
//                    └────────────── all of it is taken ◄─────────┘
import { ADMIN_ANSWER_WAIT_MS } from '../../base/admin-limits.ts';
import { epochMs, nowMs } from '../../base/clock.ts';
import {
  LIVE_ASK_LEAST_MS,
  LIVE_BEAT_MS,
  LIVE_RETRY_MS,
  LIVE_STATE_MS,
  LIVE_UNSENT_MAX_BYTES,
  LIVE_WATCHERS_MAX_COUNT,
} from '../../base/live-limits.ts';
import { eventBytes } from './event-bytes.ts';
import type { LiveBusy } from './frame.ts';
import type { EventSink, LiveEvents, LiveWants } from './messages.ts';

/** Head and first line of the stream. */
const START_MAX_BYTES = 1_024;

interface Watcher {
  readonly sink: EventSink;
  /** It has got a `hello` and every beat since then. */
  isCurrent: boolean;
}

export class LiveHub {
  readonly #ask: (wants: LiveWants) => void;
  readonly #watchers = new Set<Watcher>();
  /** The main thread has not answered yet. */
  #isAsked = false;
  #askedAtMs = -Infinity;
  #stateAtMs = -Infinity;
  #busyAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  /** `ask` hands a question to the main thread; its answer comes by {@link LiveHub.answered}. */
  constructor(ask: (wants: LiveWants) => void) {
    this.#ask = ask;
  }

  get isFull(): boolean {
    return this.#watchers.size >= LIVE_WATCHERS_MAX_COUNT;
  }

  /** Takes a watcher in; the function that is returned lets it go. */
  enter(sink: EventSink): () => void {
    const watcher: Watcher = { sink, isCurrent: false };
    this.#watchers.add(watcher);
    sink.write(RETRY);
    this.#plan();
    return () => this.#leave(watcher);
  }

  /** The main thread's answer; without events when it failed to make them, and then it is asked anew in time. */
  answered({ hello, beat, state }: LiveEvents): void {
    this.#isAsked = false;
    for (const watcher of this.#watchers) {
      const { sink } = watcher;
      if (watcher.isCurrent && sink.heldBytes > LIVE_UNSENT_MAX_BYTES) watcher.isCurrent = false;
      if (watcher.isCurrent) {
        if (beat !== undefined) sink.write(beat);
        if (state !== undefined) sink.write(state);
      } else if (hello !== undefined && isReadyForHello(watcher)) {
        sink.write(hello);
        watcher.isCurrent = true;
      }
    }
    this.#plan();
  }

  #leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Has the next question asked when it is due: soon for who has nothing yet, else at the next beat. */
  #plan(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#watchers.size === 0) return;
    const askAtMs = this.#askedAtMs + (this.#wantsHello() ? LIVE_ASK_LEAST_MS : LIVE_BEAT_MS);
    const dueAtMs = this.#isAsked ? Math.max(this.#askedAtMs, this.#busyAtMs) + ADMIN_ANSWER_WAIT_MS : askAtMs;
    this.#timer = setTimeout(() => this.#turn(), Math.max(0, dueAtMs - nowMs()));
  }

  #turn(): void {
    if (this.#isAsked) this.#tellBusy();
    else this.#askNow();
    this.#plan();
  }

  #askNow(): void {
    const atMs = nowMs();
    this.#askedAtMs = atMs;
    const hello = this.#wantsHello();
    const beat = [...this.#watchers].some(({ isCurrent }) => isCurrent);
    // Nobody can take anything now.
    if (!hello && !beat) return;
    const state = beat && atMs - this.#stateAtMs >= LIVE_STATE_MS - LIVE_BEAT_MS / 2;
    if (state) this.#stateAtMs = atMs;
    this.#isAsked = true;
    this.#ask({ hello, beat, state, watcherCount: this.#watchers.size });
  }

  #wantsHello(): boolean {
    return [...this.#watchers].some((watcher) => isReadyForHello(watcher));
  }

  #tellBusy(): void {
    this.#busyAtMs = nowMs();
    const busy: LiveBusy = { atEpochMs: epochMs() };
    const bytes = eventBytes('busy', busy);
    // Whoever does not read would only get more to read.
    for (const { sink } of this.#watchers) if (sink.heldBytes <= LIVE_UNSENT_MAX_BYTES) sink.write(bytes);
  }
}

/** What still waits for it is no more than the beginning of the stream. */
function isReadyForHello({ isCurrent, sink }: Watcher): boolean {
  return !isCurrent && sink.heldBytes <= START_MAX_BYTES;
}

const RETRY = new TextEncoder().encode(`retry: ${LIVE_RETRY_MS}\n\n`);
