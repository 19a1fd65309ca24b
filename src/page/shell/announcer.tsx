// The one place of the page that a screen reader is told of by itself. What is said, and how rarely, is tell.ts's.
import { useEffect, useState } from 'preact/hooks';
import type { Snapshot } from '../feed/live-feed.ts';
import { NOTHING_TOLD, tellNext } from './tell.ts';

export function Announcer({ snapshot }: { readonly snapshot: Snapshot }) {
  const [told, setTold] = useState(NOTHING_TOLD);
  useEffect(() => {
    setTold((before) => tellNext(before, snapshot, Date.now()));
  }, [snapshot]);
  return (
    <p class="sr-only" role="status" aria-live="polite">
      {told.text}
    </p>
  );
}
