// Which rows of a long list are in sight: only those are made, so that five hundred cost no more than thirty. Rows
// are of one height. Must not know what stands in them.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Rows beyond each edge, for the keyboard's next step and for a quick turn of the wheel. */
const MARGIN_COUNT = 6;

export interface Window {
  readonly fromRow: number;
  /** Behind the last one. */
  readonly toRow: number;
}

export function windowOf(scrollPx: number, heightPx: number, rowPx: number, rowCount: number): Window {
  const first = Math.floor(scrollPx / rowPx) - MARGIN_COUNT;
  const last = Math.ceil((scrollPx + heightPx) / rowPx) + MARGIN_COUNT;
  // A list that became shorter is scrolled beyond its end until the browser notices.
  const toRow = Math.min(rowCount, Math.max(last, 0));
  return { fromRow: Math.max(0, Math.min(first, toRow - (last - first))), toRow };
}

export function useWindow(scroller: RefObject<HTMLElement | null>, rowPx: number, rowCount: number): Window {
  const [view, setView] = useState({ scrollPx: 0, heightPx: 600 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let frame: number | undefined;
    const look = (): void => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        setView({ scrollPx: element.scrollTop, heightPx: element.clientHeight });
      });
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [scroller]);
  return windowOf(view.scrollPx, view.heightPx, rowPx, rowCount);
}
