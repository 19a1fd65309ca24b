// Lets the keyboard reach what scrolls in itself: a table or a line of code that is wider than its place becomes a stop
// of the Tab key, and is none where all of it is in sight. Knows no view: it looks at what is in the document.
import { useEffect } from 'preact/hooks';

const SCROLLERS = '.scroll, pre';
/** The page changes twice a second; what is wide changes with the window, or when something opens. */
const LOOK_MS = 1_000;

export function useScrollStops(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      timer = undefined;
      for (const element of document.querySelectorAll<HTMLElement>(SCROLLERS)) setStop(element);
    };
    const lookSoon = (): void => {
      timer ??= setTimeout(look, LOOK_MS);
    };
    const observer = new MutationObserver(lookSoon);
    observer.observe(document.body, { childList: true, subtree: true });
    addEventListener('resize', lookSoon);
    look();
    return () => {
      observer.disconnect();
      removeEventListener('resize', lookSoon);
      clearTimeout(timer);
    };
  }, []);
}

function setStop(element: HTMLElement): void {
  const isWide = element.scrollWidth > element.clientWidth;
  if (isWide === element.hasAttribute('tabindex')) return;
  if (isWide) element.tabIndex = 0;
  else element.removeAttribute('tabindex');
}
