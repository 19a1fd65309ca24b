// The browser's side of the connection to the feed: an EventSource, timers, chance. Decides nothing.
import type { EventName, FeedPorts } from './live-feed.ts';

/** Relative: the page may stand behind a prefix. */
const FEED_URL = './api/live';
const EVENT_NAMES: readonly EventName[] = ['hello', 'beat', 'state', 'busy'];

export const BROWSER_PORTS: FeedPorts = {
  open(onEvent, onFault) {
    const source = new EventSource(FEED_URL);
    for (const name of EVENT_NAMES)
      source.addEventListener(name, (event: MessageEvent<string>) => {
        onEvent(name, event.data);
      });
    // Its own way of trying again knows no growing wait and does not say whether it was refused: ours does both.
    source.addEventListener('error', () => {
      source.close();
      onFault();
    });
    return () => {
      source.close();
    };
  },
  async isRefused() {
    try {
      const { status } = await fetch(FEED_URL, { method: 'HEAD' });
      return status === 503;
    } catch {
      // Not there at all is no refusal.
      return false;
    }
  },
  nowEpochMs: () => Date.now(),
  later(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
  random: () => Math.random(),
};
