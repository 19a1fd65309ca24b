// An exception inside one exchange ends that exchange and no other: whatever calls into an exchange from
// a socket, a timer or the pool goes through here. Uncaught, it would end the thread with all its streams.
// Knows no exchange.

export type OnException = (error: unknown) => void;

/** Does it at once; its exception is handed over instead of thrown. */
export function attempt(onException: OnException, work: () => void): void {
  try {
    work();
  } catch (error) {
    onException(error);
  }
}

/** The same work, whose exceptions are handed over instead of thrown: for who wants a function to call. */
export function guarded<Args extends unknown[]>(
  onException: OnException,
  work: (...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      work(...args);
    } catch (error) {
      onException(error);
    }
  };
}

const FRAME = /([\w.-]+\.[cm]?[jt]s:\d+)/;

/** Where an exception came from, as a word without anything from the wire: `TypeError upload.ts:120`. */
export function exceptionReason(error: unknown): string {
  if (!(error instanceof Error)) return 'exception';
  const frame = FRAME.exec((error.stack ?? '').split('\n    at ').slice(1).join('\n'))?.[1];
  const name = /^\w{1,32}$/.test(error.name) ? error.name : 'Error';
  return frame === undefined ? name : `${name} ${frame}`;
}
