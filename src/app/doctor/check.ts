// The contract of the doctor's checks. A check looks at one thing and says what it saw, in one line,
// with the cure where something is not as it should be. It never throws for what it finds.
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../telemetry/otel-environment.ts';
import type { EdgeTrial } from './edge-trial.ts';
import type { Trial } from './trial.ts';

/**
 * `ok`: as it should be · `note`: works, but rubato could tell more · `warn`: will hurt figures or
 * traffic under some load · `fail`: rubato cannot do its work · `skip`: could not be looked at.
 */
export type Status = 'ok' | 'note' | 'warn' | 'fail' | 'skip';

export interface Finding {
  /** Short name of what was looked at; the same thing always has the same. */
  readonly check: string;
  readonly status: Status;
  /** What was seen: one line. */
  readonly says: string;
  /** What to do; absent when there is nothing to do. */
  readonly cure?: string;
  /** What was measured, for machines. */
  readonly values?: Readonly<Record<string, string | number | boolean>>;
}

export interface DoctorContext {
  readonly config: Config;
  readonly env: Environment;
  /** Exchanges that were tried through a sidecar of our own; undefined when none were wanted. */
  readonly trial: Trial | undefined;
  /** What was tried through each edge; empty when there is none, or no request was wanted. */
  readonly edgeTrials: readonly EdgeTrial[];
}

/** One row of the table of checks. */
export interface Check {
  readonly name: string;
  run(context: DoctorContext): Promise<Finding[]> | Finding[];
}
