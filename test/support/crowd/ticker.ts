// One timer for all waits: thousands of timers of their own would be a load of their own.

const TICK_MS = 5;

export class Ticker {
  readonly #due = new Map<number, (() => void)[]>();
  readonly #startedAtMs = performance.now();
  readonly #timer = setInterval(() => this.#turn(), TICK_MS);
  #tick = 0;

  /** Calls back after so many ms, or up to a tick later. */
  after(ms: number, call: () => void): void {
    const now = (performance.now() - this.#startedAtMs) / TICK_MS;
    const tick = Math.max(Math.ceil(now + ms / TICK_MS), this.#tick + 1);
    const calls = this.#due.get(tick);
    if (calls === undefined) this.#due.set(tick, [call]);
    else calls.push(call);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #turn(): void {
    const until = Math.floor((performance.now() - this.#startedAtMs) / TICK_MS);
    while (this.#tick < until) {
      this.#tick += 1;
      const calls = this.#due.get(this.#tick) ?? [];
      this.#due.delete(this.#tick);
      for (const call of calls) call();
    }
  }
}
