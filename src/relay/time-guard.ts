// The time limits of one exchange. All are off unless configured: prefill may take many minutes.
// They act on silence where they can, and each end is booked under its own name.
import type { WireEnd } from '../base/outcome.ts';
import type { OnException } from './guarded.ts';
import { LookingTimer } from './looking-timer.ts';
import type { TimeLimits } from './settings.ts';

const STAGE_END = { connect: 'timeout_connect', head: 'timeout_head', idle: 'timeout_idle' } as const;

export class TimeGuard {
  readonly #limits: TimeLimits;
  /** Connect, then head, then idle: at most one of them waits at a time. */
  readonly #stageTimer: LookingTimer | undefined;
  readonly #totalTimer: LookingTimer | undefined;
  #stage: 'connect' | 'head' | 'idle' | 'over' = 'connect';

  constructor(limits: TimeLimits, onLimit: (wireEnd: WireEnd) => void, onException: OnException) {
    this.#limits = limits;
    const { connectMs, headMs, idleMs, totalMs } = limits;
    if ((connectMs ?? headMs ?? idleMs) !== undefined) {
      this.#stageTimer = new LookingTimer(() => {
        if (this.#stage !== 'over') onLimit(STAGE_END[this.#stage]);
      }, onException);
    }
    if (totalMs !== undefined) this.#totalTimer = new LookingTimer(() => onLimit('timeout_total'), onException);
  }

  /** The request is here; it may have to wait for its turn. */
  onStart(): void {
    this.#totalTimer?.start(this.#limits.totalMs);
  }

  /** A connection to the engine is asked for. */
  onConnect(): void {
    this.#stageTimer?.start(this.#limits.connectMs);
  }

  /** The request goes to another connection: that has to be made first. */
  onRetry(): void {
    if (this.#stage === 'over') return;
    this.#stage = 'connect';
    this.#stageTimer?.start(this.#limits.connectMs);
  }

  onConnected(): void {
    if (this.#stage === 'connect') this.#stageTimer?.stop();
  }

  /** The whole request was given to the engine: only now can it be asked for its answer. */
  onSent(): void {
    if (this.#stage !== 'connect') return;
    this.#stage = 'head';
    this.#stageTimer?.start(this.#limits.headMs);
  }

  onHead(): void {
    if (this.#stage === 'over') return;
    this.#stage = 'idle';
    this.onResumed();
  }

  /** Any byte of the engine's, comments included, starts the idle limit anew. */
  onBytes(atNs: number): void {
    if (this.#stage === 'idle') this.#stageTimer?.again(atNs);
  }

  /** We stopped reading because the client does not take more: that silence is not the engine's. */
  onPaused(): void {
    this.#stageTimer?.stop();
  }

  onResumed(): void {
    if (this.#stage === 'idle') this.#stageTimer?.start(this.#limits.idleMs);
  }

  /** The answer is whole on the engine's side; what is left is the client's, and only the total limit's. */
  onAnswered(): void {
    this.#stageTimer?.stop();
    this.#stage = 'over';
  }

  stop(): void {
    this.#stageTimer?.stop();
    this.#totalTimer?.stop();
    this.#stage = 'over';
  }
}
