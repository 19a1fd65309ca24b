// Says once that something fails, then only in summaries, then once that it works again. A dead
// collector would otherwise fill the log with a line a second for days.
import { FAILURE_LOG_EVERY_MS } from '../base/limits.ts';
import { faultFields, type Log } from '../base/log.ts';

export interface FailureLog {
  /** `lostCount` items were lost by this failure. `nowMs` is of the monotonic clock: a step must not silence the summary. */
  failed(fault: unknown, lostCount: number, nowMs: number): void;
  succeeded(): void;
}

/** `what` is the subject of the lines: "Export of spans". */
export function createFailureLog(log: Log, what: string): FailureLog {
  let failing = false;
  let failureCount = 0;
  let lostCount = 0;
  let spokeAtMs = 0;
  return {
    failed(fault, lost, nowMs) {
      failureCount += 1;
      lostCount += lost;
      if (failing && nowMs - spokeAtMs < FAILURE_LOG_EVERY_MS) return;
      const text = failing ? `${what} keeps failing` : `${what} failed; further failures are summed up once a minute`;
      log.warn(text, { ...faultFields(fault), failure_count: failureCount, lost_count: lostCount });
      failing = true;
      spokeAtMs = nowMs;
    },
    succeeded() {
      if (failing) log.info(`${what} works again`, { failure_count: failureCount, lost_count: lostCount });
      failing = false;
      failureCount = 0;
      lostCount = 0;
    },
  };
}
