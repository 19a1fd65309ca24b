// A time limit that looks before it acts. Our own lateness must not become somebody else's time-out: a
// process that was stopped, starved or busy finds its timers due together with the bytes that came
// meanwhile, and Node runs the timers first.
import { nowNs } from '../base/clock.ts';
import { guarded, type OnException } from './guarded.ts';

const NS_PER_MS = 1e6;
/** A timer that is later than this did not wait for the peer alone, but for us. */
const LATE_MS = 25;

export class LookingTimer {
  readonly #onDue: () => void;
  readonly #fire: () => void;
  readonly #act: () => void;
  #limitMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #look: NodeJS.Immediate | undefined;
  #startedAtNs = 0;
  /** The time of our lateness was granted once more; no second time, or an overloaded relay had no limits. */
  #granted = false;

  constructor(onDue: () => void, onException: OnException) {
    this.#onDue = onDue;
    this.#fire = guarded(onException, () => this.#onTimer());
    this.#act = guarded(onException, () => this.#afterLook());
  }

  /** Begins anew; without a limit nothing is begun. */
  start(limitMs: number | undefined, atNs = nowNs()): void {
    this.stop();
    if (limitMs === undefined) return;
    this.#limitMs = limitMs;
    this.#startedAtNs = atNs;
    this.#granted = false;
    this.#timer = setTimeout(this.#fire, limitMs);
  }

  /** What was waited for came, and the next wait begins at this moment. Cheap: called for every read. */
  again(atNs: number): void {
    if (this.#timer === undefined) return;
    if (this.#granted || this.#look !== undefined) return this.start(this.#limitMs, atNs);
    this.#startedAtNs = atNs;
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#look);
    this.#timer = undefined;
    this.#look = undefined;
  }

  #onTimer(): void {
    const lateMs = (nowNs() - this.#startedAtNs) / NS_PER_MS - this.#limitMs;
    if (lateMs > LATE_MS && !this.#granted) {
      // Whoever owes us something may have been stopped with us, as the containers of one pod are.
      this.#granted = true;
      this.#timer = setTimeout(this.#fire, Math.min(lateMs, this.#limitMs));
      return;
    }
    // Between a timer and an immediate the loop looks at all its sockets.
    this.#look = setImmediate(this.#act);
  }

  #afterLook(): void {
    this.#look = undefined;
    this.#timer = undefined;
    this.#onDue();
  }
}
