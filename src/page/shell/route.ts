// What the hash of the address says: which exchange is open. Everything else in it leads to a section, which the
// browser sees to. Pure but for the hook, which listens to the address.
import { useEffect, useState } from 'preact/hooks';

const STREAM = /^#\/stream\/([^/]+)$/;

/** The id in `#/stream/ID`; absent for anything else. */
export function streamOfHash(hash: string): string | undefined {
  const [, encoded] = STREAM.exec(hash) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    // A broken escape in an address somebody typed names no exchange.
    return undefined;
  }
}

export interface StreamRoute {
  readonly id: string | undefined;
  readonly close: () => void;
}

export function useStreamRoute(): StreamRoute {
  const [id, setId] = useState(() => streamOfHash(location.hash));
  /** The step before in the history is this page without the dialog, so that closing is going back. */
  const [isStep, setIsStep] = useState(false);
  useEffect(() => {
    const follow = ({ oldURL }: HashChangeEvent): void => {
      setIsStep(streamOfHash(new URL(oldURL).hash) === undefined);
      setId(streamOfHash(location.hash));
    };
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
    };
  }, []);
  const close = (): void => {
    if (streamOfHash(location.hash) === undefined) return;
    if (isStep) {
      history.back();
      return;
    }
    history.pushState(undefined, '', `${location.pathname}${location.search}`);
    setId(undefined);
  };
  return { id, close };
}
