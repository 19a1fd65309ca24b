// Waiting for something to become true. Whoever changes state calls `notify`; whoever waits gets
// an error that says what it waited for. Knows nothing of sockets.

const DEFAULT_WAIT_MS = 10_000;

interface Waiter {
  readonly holds: () => boolean;
  readonly resolve: () => void;
  readonly timer: NodeJS.Timeout;
}

export class Signal {
  readonly #waiters = new Set<Waiter>();

  /** Looks again at every condition that somebody waits for. */
  notify(): void {
    for (const waiter of this.#waiters) {
      if (!waiter.holds()) continue;
      clearTimeout(waiter.timer);
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Resolves as soon as the condition holds; rejects when it still does not after `waitMs`. */
  until(what: string, holds: () => boolean, waitMs: number = DEFAULT_WAIT_MS): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(new Error(`waited ${waitMs} ms in vain for: ${what}`));
      }, waitMs);
      const waiter: Waiter = { holds, resolve, timer };
      this.#waiters.add(waiter);
    });
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Looks at something outside of this process until it is there. */
export async function poll<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  waitMs: number = DEFAULT_WAIT_MS,
  everyMs: number = 10,
): Promise<T> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${waitMs} ms in vain for: ${what}`);
    await sleep(everyMs);
  }
}
