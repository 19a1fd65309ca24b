// The feed as a hook: one connection a page, let go while the document is hidden, and told to the views at most once
// a frame. Must not know what they draw.
import { useEffect, useState } from 'preact/hooks';
import { BROWSER_PORTS } from './browser-ports.ts';
import { LiveFeed, type Snapshot } from './live-feed.ts';

export interface Live {
  readonly snapshot: Snapshot;
  /** Tries at once instead of waiting. */
  readonly retry: () => void;
}

export function useLive(): Live {
  const [live, setLive] = useState<Live>(() => ({
    snapshot: { link: { word: 'connecting', sinceEpochMs: Date.now() } },
    retry: () => undefined,
  }));
  useEffect(() => {
    let frame: number | undefined;
    const feed = new LiveFeed(BROWSER_PORTS, () => {
      // No frames come while the document is hidden, and nobody needs one.
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        setLive({ snapshot: feed.read(), retry });
      });
    });
    const retry = (): void => {
      feed.resume();
    };
    const follow = (): void => {
      if (document.hidden) feed.pause();
      else feed.resume();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      if (frame !== undefined) cancelAnimationFrame(frame);
      feed.stop();
    };
  }, []);
  return live;
}
