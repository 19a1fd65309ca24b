// Counts what was refused for want of room and says so in the log: once when it begins, then in summaries.
// A flood of requests must not become a flood of lines.
import { SHED_LOG_EVERY_MS } from '../base/client-limits.ts';
import { nowNs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Sink } from '../judge/report.ts';
import { SHED_REASONS } from '../relay/admission-limits.ts';

export class ShedWatch {
  readonly #log: Log;
  /** All of them, so that each series begins at 0. */
  readonly #counts = new Map<string, number>(SHED_REASONS.map((reason) => [reason, 0]));
  readonly #overflowCount: () => number;
  readonly #timer: NodeJS.Timeout;
  #toldCount = 0;
  #toldAtNs: number | undefined;
  readonly sink: Sink = {
    name: 'shed',
    onReport: ({ record: { end } }) => {
      if (end.outcome === 'shed') this.#note(end.reason ?? 'memory');
    },
  };

  /** `overflowCount`: connections beyond the limit that were closed unanswered, so far. */
  constructor(log: Log, overflowCount: () => number) {
    this.#log = log;
    this.#overflowCount = overflowCount;
    this.#timer = setInterval(() => this.#tell(), SHED_LOG_EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#tell();
  }

  /** So far, by reason. */
  counts(): Readonly<Record<string, number>> {
    const counts = Object.fromEntries(this.#counts);
    counts['connections'] = (counts['connections'] ?? 0) + this.#overflowCount();
    return counts;
  }

  #note(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    const atNs = nowNs();
    if (this.#toldAtNs === undefined || atNs - this.#toldAtNs >= SHED_LOG_EVERY_MS * 1e6) this.#tell();
  }

  #tell(): void {
    const counts = this.counts();
    const count = Object.values(counts).reduce((sum, each) => sum + each, 0);
    if (count === this.#toldCount) return;
    const text = 'requests were refused for want of room; more of them are summed up once a minute';
    this.#log.warn(text, { refused_count: count - this.#toldCount, ...counts });
    this.#toldCount = count;
    this.#toldAtNs = nowNs();
  }
}
