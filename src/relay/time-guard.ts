// The time limits of one exchange. All are off unless configured: prefill may take many minutes.
// They act on silence where they can, and each end is booked under its own name.
import type { WireEnd } from '../base/outcome.ts';
import type { TimeLimits } from './settings.ts';

export class TimeGuard {
  readonly #limits: TimeLimits;
  readonly #onLimit: (wireEnd: WireEnd) => void;
  /** Connect, then head, then idle: at most one of them waits at a time. */
  #stageTimer: NodeJS.Timeout | undefined;
  #totalTimer: NodeJS.Timeout | undefined;
  #stage: 'head' | 'idle' | 'over' | undefined;

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
  }

  /** The whole request was given to the engine: only now can it be asked for its answer. */
  onSent(): void {
    if (this.#stage !== undefined) return;
    this.#stage = 'head';
    this.#stageTimer = this.#timer(this.#limits.headMs, 'timeout_head');
  }

  onHead(): void {
    this.#stage = 'idle';
    this.onResumed();
  }

  /** Any byte of the engine's, comments included, starts the idle limit anew. */
  onBytes(): void {
    if (this.#stage === 'idle') this.#stageTimer?.refresh();
  }

  /** We stopped reading because the client does not take more: that silence is not the engine's. */
  onPaused(): void {
    clearTimeout(this.#stageTimer);
  }

  onResumed(): void {
    if (this.#stage !== 'idle') return;
    clearTimeout(this.#stageTimer);
    this.#stageTimer = this.#timer(this.#limits.idleMs, 'timeout_idle');
  }

  /** The answer is whole on the engine's side; what is left is the client's, and only the total limit's. */
  onAnswered(): void {
    clearTimeout(this.#stageTimer);
    this.#stage = 'over';
  }

  stop(): void {
    clearTimeout(this.#stageTimer);
    clearTimeout(this.#totalTimer);
    this.#stage = 'over';
  }

  #timer(limitMs: number | undefined, wireEnd: WireEnd): NodeJS.Timeout | undefined {
    return limitMs === undefined ? undefined : setTimeout(() => this.#onLimit(wireEnd), limitMs);
  }
}
