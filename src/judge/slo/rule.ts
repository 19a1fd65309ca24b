// The contract of a kind of objective, one a file, and what they share.
import type { Figures } from '../../measure/figures.ts';
import type { Objective } from '../../record/objective.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import type { Fate } from './fate.ts';
import type { ObjectiveVerdict } from './verdict.ts';

/** An exchange, as it is judged. */
export interface Subject {
  readonly record: StreamRecord;
  readonly figures: Figures;
  readonly fate: Fate;
  /** Trusted gaps as received, ascending; made when first asked for. */
  readonly gapsNs: () => readonly number[];
}

export type Judged = Omit<ObjectiveVerdict, 'name'>;

/** Judges an exchange that the objective is for; undefined: it has nothing that the objective is about. */
export type KindRule = (objective: Objective, subject: Subject) => Judged | undefined;

export const KEPT: Judged = { met: 'true' };
export const MISSED: Judged = { met: 'false' };
export const UNKNOWN: Judged = { met: 'unknown' };

/** A length that is known against the limit; the limit itself keeps it. */
export function within(valueNs: number, { limitNs = 0 }: Objective): Judged {
  return { met: valueNs <= limitNs ? 'true' : 'false', valueNs };
}
