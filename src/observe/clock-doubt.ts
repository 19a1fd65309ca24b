// Whether the wall clock was stepped while an exchange was open. Lengths do not depend on it; that the
// wall times of its spans lie beside those of other processes does.
import { CLOCK_STEP_MIN_MS } from '../base/limits.ts';
import type { ObservedExchange } from './observed-exchange.ts';

/** `wallOffsetMs`: wall time less monotonic time as it is now; the opening has what it was then. */
export function doubtClock({ opening, doubts }: ObservedExchange, wallOffsetMs: number): void {
  const { epochMs, openedAtNs } = opening;
  if (Math.abs(wallOffsetMs - (epochMs - openedAtNs / 1e6)) > CLOCK_STEP_MIN_MS) doubts.add('clock_step');
}
