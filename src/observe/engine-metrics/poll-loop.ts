// When something is asked: at a steady pace, or soon because somebody wants to know, and never twice at
// a time. A question that hangs makes the loop wait, and nobody else.
import { nowNs } from '../../base/clock.ts';
import { POLL_ON_DEMAND_EVERY_MS } from '../../base/poll-limits.ts';

export type Reason = 'pace' | 'demand';

const NS_PER_MS = 1e6;

export class PollLoop {
  readonly #ask: (reason: Reason) => Promise<void>;
  readonly #onFault: (fault: unknown) => void;
  readonly #everyMs: number | undefined;
  #pace: NodeJS.Timeout | undefined;
  #demand: NodeJS.Timeout | undefined;
  #busy = false;
  #askedAtNs: number | undefined;
  #closed = false;

  /** `onFault` is told of faults of ours; what engines do wrong is the affair of who asks. */
  constructor(ask: (reason: Reason) => Promise<void>, onFault: (fault: unknown) => void, everyMs?: number) {
    this.#ask = ask;
    this.#onFault = onFault;
    this.#everyMs = everyMs;
  }

  /** Asks now, and from then on at a steady pace. */
  start(): void {
    if (this.#closed || this.#pace !== undefined || this.#everyMs === undefined) return;
    this.#pace = setInterval(() => void this.#run('pace'), this.#everyMs).unref();
    void this.#run('pace');
  }

  /** Asks once in `delayMs`, or later where it was asked on demand a moment ago. */
  soon(delayMs: number): void {
    if (this.#closed || this.#demand !== undefined) return;
    const waitMs = Math.max(delayMs, this.#waitMs());
    this.#demand = setTimeout(() => {
      this.#demand = undefined;
      // Busy with a question that began too early to know what is wanted: the next one is due right after it.
      if (this.#busy) this.soon(POLL_ON_DEMAND_EVERY_MS);
      else void this.#run('demand');
    }, waitMs).unref();
  }

  /** Asks no more until it is started again. */
  rest(): void {
    clearInterval(this.#pace);
    clearTimeout(this.#demand);
    this.#pace = undefined;
    this.#demand = undefined;
  }

  close(): void {
    this.#closed = true;
    this.rest();
  }

  #waitMs(): number {
    if (this.#askedAtNs === undefined) return 0;
    return Math.max(0, POLL_ON_DEMAND_EVERY_MS - (nowNs() - this.#askedAtNs) / NS_PER_MS);
  }

  async #run(reason: Reason): Promise<void> {
    if (this.#busy || this.#closed) return;
    this.#busy = true;
    if (reason === 'demand') this.#askedAtNs = nowNs();
    try {
      await this.#ask(reason);
    } catch (fault) {
      // Nobody waits for this promise, and its rejection would end the process and every stream with it.
      this.#onFault(fault);
    } finally {
      this.#busy = false;
    }
  }
}
