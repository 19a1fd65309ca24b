// The time limits of one exchange. All are off unless configured: prefill may take many minutes.
// They act on silence where they can, and each end is booked under its own name.
import type { WireEnd } from '../base/outcome.ts';
import type { TimeLimits } from './settings.ts';

export class TimeGuard {
  readonly #limits: TimeLimits;
  readonly #onLimit: (wireEnd: WireEnd) => void;
  /** Connect, then head, then idle: only one of them waits at a time. */
  #stageTimer: NodeJS.Timeout | undefined;
  #totalTimer: NodeJS.Timeout | undefined;
  #idle = false;

  constructor(limits: TimeLimits, onLimit: (wireEnd: WireEnd) => void) {
    this.#limits = limits;
    this.#onLimit = onLimit;
  }

  onStart(): void {
    this.#stageTimer = this.#timer(this.#limits.connectMs, 'timeout_connect');
    this.#totalTimer = this.#timer(this.#limits.totalMs, 'timeout_total');
  }

  onConnected(): void {
    clearTimeout(this.#stageTimer);
    this.#stageTimer = this.#timer(this.#limits.headMs, 'timeout_head');
  }

  onHead(): void {
    clearTimeout(this.#stageTimer);
    this.#stageTimer = this.#timer(this.#limits.idleMs, 'timeout_idle');
    this.#idle = this.#stageTimer !== undefined;
  }

  /** Any byte of the engine's, comments included, starts the idle limit anew. */
  onBytes(): void {
    if (this.#idle) this.#stageTimer?.refresh();
  }

  stop(): void {
    clearTimeout(this.#stageTimer);
    clearTimeout(this.#totalTimer);
    this.#idle = false;
  }

  #timer(limitMs: number | undefined, wireEnd: WireEnd): NodeJS.Timeout | undefined {
    return limitMs === undefined ? undefined : setTimeout(() => this.#onLimit(wireEnd), limitMs);
  }
}
