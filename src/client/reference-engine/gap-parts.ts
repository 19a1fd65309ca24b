// What lay between two tokens of one sequence, by the mechanics of the steps in between: the truth about one
// gap, in the scheduler's own integers. Plain sums; knows no threshold and no rule.
import { workOf, type StepParts } from './step-cost.ts';

/** Lengths in ns; all but `aloneNs` together are the time since the sequence's token before. */
export interface GapParts {
  /** Computing the tokens of all sequences in the step: its base, the batch, the caches, the guesses. */
  readonly workNs: number;
  /** Prompts of others in the same step, and steps in which there was nothing but prompts. */
  readonly prefillNs: number;
  /** Steps in which the sequence was thrown out, or was computed again; and computing others again in its steps. */
  readonly preemptedNs: number;
  readonly hostNs: number;
  readonly stallNs: number;
  readonly noiseNs: number;
  /** `workNs` as it had been without any other sequence: a length that was not, to compare with. */
  readonly aloneNs: number;
  /** Tokens that the sequence got at the end of this gap, of each choice. */
  readonly tokenCount: number;
}

/** What a sequence did in a step that it was in the engine for. */
export type StepRole = 'decode' | 'waits_for_prompts' | 'preempted';

/** Sums up the steps since a sequence's last token. */
export class GapTally {
  #workNs = 0;
  #prefillNs = 0;
  #preemptedNs = 0;
  #hostNs = 0;
  #stallNs = 0;
  #noiseNs = 0;

  add(role: StepRole, parts: StepParts): void {
    this.#hostNs += parts.hostNs;
    this.#stallNs += parts.stallNs;
    const { prefillNs, recomputeNs, noiseNs } = parts;
    const wholeNs = workOf(parts) + prefillNs + recomputeNs + noiseNs;
    switch (role) {
      case 'decode':
        this.#workNs += workOf(parts);
        this.#prefillNs += prefillNs;
        this.#preemptedNs += recomputeNs;
        this.#noiseNs += noiseNs;
        return;
      case 'waits_for_prompts': {
        const againNs = Math.round((wholeNs * recomputeNs) / Math.max(1, prefillNs + recomputeNs));
        this.#prefillNs += wholeNs - againNs;
        this.#preemptedNs += againNs;
        return;
      }
      case 'preempted':
        this.#preemptedNs += wholeNs;
        return;
    }
  }

  /** The parts since the last call. */
  take(aloneNs: number, tokenCount: number): GapParts {
    const parts = {
      workNs: this.#workNs,
      prefillNs: this.#prefillNs,
      preemptedNs: this.#preemptedNs,
      hostNs: this.#hostNs,
      stallNs: this.#stallNs,
      noiseNs: this.#noiseNs,
      aloneNs,
      tokenCount,
    };
    this.#workNs = this.#prefillNs = this.#preemptedNs = this.#hostNs = this.#stallNs = this.#noiseNs = 0;
    return parts;
  }
}

/** Several gaps in a row as one. */
export function joinGaps(gaps: readonly GapParts[]): GapParts {
  const sum = (part: keyof GapParts): number => gaps.reduce((total, gap) => total + gap[part], 0);
  return {
    workNs: sum('workNs'),
    prefillNs: sum('prefillNs'),
    preemptedNs: sum('preemptedNs'),
    hostNs: sum('hostNs'),
    stallNs: sum('stallNs'),
    noiseNs: sum('noiseNs'),
    aloneNs: sum('aloneNs'),
    tokenCount: sum('tokenCount'),
  };
}

export function gapNsOf(parts: GapParts): number {
  const { workNs, prefillNs, preemptedNs, hostNs, stallNs, noiseNs } = parts;
  return workNs + prefillNs + preemptedNs + hostNs + stallNs + noiseNs;
}
