// Looks after what spoils time from outside: steps of the wall clock, and a CPU quota that holds the process
// back. Open exchanges get a doubt, the counters go on, and the log says so at most once a minute.
import { nowNs, wallOffsetMs } from '../base/clock.ts';
import { CLOCK_STEP_MIN_MS, TIME_WATCH_LOG_EVERY_MS, TIME_WATCH_MS } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { doubtClock } from '../observe/clock-doubt.ts';
import { CpuQuota, type ThrottleCounts } from '../observe/cpu-quota.ts';
import type { ObservedExchange } from '../observe/observed-exchange.ts';

export interface TimeWatchOptions {
  readonly log: Log;
  readonly openObserved: () => Iterable<ObservedExchange>;
  readonly quota?: CpuQuota;
}

export class TimeWatch {
  /** Steps of the wall clock seen so far. */
  clockStepCount = 0;
  readonly #options: TimeWatchOptions;
  readonly #quota: CpuQuota;
  readonly #timer: NodeJS.Timeout;
  readonly #stepLog: Summary;
  readonly #throttleLog: Summary;
  /** What was counted before this process began is not its own. */
  readonly #throttledBefore: ThrottleCounts | undefined;
  #throttled: ThrottleCounts | undefined;
  #wallOffsetMs = wallOffsetMs();

  constructor(options: TimeWatchOptions) {
    this.#options = options;
    this.#quota = options.quota ?? new CpuQuota();
    this.#throttledBefore = this.#quota.throttling();
    this.#throttled = this.#throttledBefore;
    this.#stepLog = new Summary(options.log, 'the wall clock was stepped: durations hold, wall times of spans jump');
    this.#throttleLog = new Summary(
      options.log,
      'the CPU quota of the container held rubato back, and with it every stream: raise or drop the limit',
    );
    this.#timer = setInterval(() => this.#look(), TIME_WATCH_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Time for which the quota held this process back since its start; undefined without a quota. */
  throttledNs(): number | undefined {
    if (this.#throttled === undefined) return undefined;
    return this.#throttled.throttledNs - (this.#throttledBefore?.throttledNs ?? 0);
  }

  #look(): void {
    this.#lookAtClock();
    this.#lookAtQuota();
  }

  #lookAtClock(): void {
    const offsetMs = wallOffsetMs();
    const stepMs = offsetMs - this.#wallOffsetMs;
    // Also without a step: a clock that is slewed all day long makes none at its end.
    this.#wallOffsetMs = offsetMs;
    if (Math.abs(stepMs) <= CLOCK_STEP_MIN_MS) return;
    this.clockStepCount += 1;
    for (const observed of this.#options.openObserved()) doubtClock(observed, offsetMs);
    this.#stepLog.note({ step_ms: Math.round(stepMs), step_count: this.clockStepCount });
  }

  #lookAtQuota(): void {
    const counts = this.#quota.throttling();
    if (counts === undefined) return;
    const before = this.#throttled ?? { throttledCount: 0, throttledNs: 0 };
    this.#throttled = counts;
    if (counts.throttledCount <= before.throttledCount) return;
    for (const { doubts } of this.#options.openObserved()) doubts.add('cpu_throttled');
    this.#throttleLog.note({
      throttled_ms: Math.round((this.throttledNs() ?? 0) / 1e6),
      throttled_periods: counts.throttledCount - (this.#throttledBefore?.throttledCount ?? 0),
    });
  }
}

/** One line at most in a while; its fields are totals, so that nothing is lost by it. */
class Summary {
  readonly #log: Log;
  readonly #message: string;
  #toldAtNs = Number.NEGATIVE_INFINITY;

  constructor(log: Log, message: string) {
    this.#log = log;
    this.#message = message;
  }

  note(fields: Readonly<Record<string, number>>): void {
    const atNs = nowNs();
    if (atNs - this.#toldAtNs < TIME_WATCH_LOG_EVERY_MS * 1e6) return;
    this.#toldAtNs = atNs;
    this.#log.warn(this.#message, fields);
  }
}
