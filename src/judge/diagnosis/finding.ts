// What a rule of the diagnosis says, and what the whole of it comes to.
import type { GapShape } from './gap-shape.ts';

/** In the order in which equals are told. */
export const DIAGNOSES = [
  'prefill_interference',
  'preemption',
  'kv_pressure',
  'batch_or_context_growth',
  'queueing',
  'host_overhead',
  'downstream',
  'slow_mode_unexplained',
] as const;
export type DiagnosisCause = (typeof DIAGNOSES)[number];

export interface Finding {
  readonly cause: DiagnosisCause;
  /** How much speaks for it, 0 to 1; {@link strengthOf} has a word for it. */
  readonly weight: number;
  /** One sentence for people, with its numbers. */
  readonly says: string;
  readonly numbers: Readonly<Record<string, number>>;
}

const STRONG_WEIGHT = 0.7;
const LIKELY_WEIGHT = 0.4;
export type Strength = 'strong' | 'likely' | 'hint';

/** The same word for a weight wherever it is shown. */
export function strengthOf(weight: number): Strength {
  if (weight >= STRONG_WEIGHT) return 'strong';
  return weight >= LIKELY_WEIGHT ? 'likely' : 'hint';
}

/** Which figure is worse than it was: the first thing to know. */
export type Moved = 'ttft' | 'tpot' | 'both' | 'none' | 'unknown';

export interface Diagnosis {
  readonly route: string;
  readonly moved: Moved;
  readonly shape?: GapShape;
  /** Which side of the 1 % cliff the p99 gap stands on: among usual steps, or among slow ones. */
  readonly p99Side?: 'usual' | 'slow';
  /** Ranked. */
  readonly findings: readonly Finding[];
  /** What to look at and to change, in this order. */
  readonly playbook: readonly PlaybookStep[];
  /** Sentences for people: what moved, the shape, the cliff. */
  readonly says: readonly string[];
}

export interface PlaybookStep {
  readonly step: string;
  readonly why: string;
}
