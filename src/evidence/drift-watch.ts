// Notices that an engine's speed has changed: two cumulative sums over how far exchanges lie from what
// was learnt, one for faster and one for slower. Small steady differences add up, single odd ones do
// not, and a large one raises a suspicion at once.

/** One exchange can add so many standard deviations at most: somebody in the way can make any number. */
const STEP_MAX = 3;
/** Differences below this many standard deviations pull a sum down. */
const ALLOWANCE = 0.75;
/** A sum above this is a suspicion (one plain outlier suffices), above the second a certainty. */
const SUSPECT_SUM = 2;
const DRIFTED_SUM = 7;
/** Just a suspicion. */
const DOUBTED_SUM = 2.5;
/** Within so many standard deviations an idle exchange agrees with what was learnt. */
const AGREEMENT_DEVIATIONS = 1;
/** Weight of the latest exchange in the usual share of outliers. */
const OUTLIER_WEIGHT = 0.03;
/** A difference of so many standard deviations upwards is an outlier. */
const OUTLIER_DEVIATIONS = 2.5;

export type DriftState = 'steady' | 'suspect' | 'drifted';

export class DriftWatch {
  #slowerSum = 0;
  #fasterSum = 0;
  /** Usual share of idle exchanges that are slow for reasons of their own (a hidden neighbour, a stall). */
  #outlierShare = 0;

  /** How far an exchange that met an idle engine lay from what was learnt, in standard deviations. */
  onIdle(deviations: number): DriftState {
    const step = Math.min(Math.max(deviations, -STEP_MAX), STEP_MAX);
    const allowance = ALLOWANCE + STEP_MAX * this.#outlierShare;
    this.#slowerSum = Math.max(0, this.#slowerSum + step - allowance);
    // A close agreement speaks for the old speed more than any one outlier speaks against it.
    if (Math.abs(deviations) < AGREEMENT_DEVIATIONS) {
      this.#slowerSum /= 2;
      this.#fasterSum /= 2;
    }
    const outlier = deviations > OUTLIER_DEVIATIONS ? 1 : 0;
    this.#outlierShare += OUTLIER_WEIGHT * (outlier - this.#outlierShare);
    return this.onBusy(deviations);
  }

  /** The same of one that had company: it cannot tell of a slower engine, but being early tells of a faster one. */
  onBusy(deviations: number): DriftState {
    if (deviations < OUTLIER_DEVIATIONS) {
      const step = Math.min(Math.max(-deviations, -STEP_MAX), STEP_MAX);
      this.#fasterSum = Math.max(0, this.#fasterSum + step - ALLOWANCE);
    }
    const sum = Math.max(this.#slowerSum, this.#fasterSum);
    if (sum > DRIFTED_SUM) return 'drifted';
    return sum > SUSPECT_SUM ? 'suspect' : 'steady';
  }

  /** Something outside speaks for a change; the next idle exchange that agrees lifts the suspicion. */
  doubt(): void {
    this.#slowerSum = Math.max(this.#slowerSum, DOUBTED_SUM);
  }

  /** There is a certain usual share of outliers even with a new speed; the sums begin anew. */
  reset(): void {
    this.#slowerSum = 0;
    this.#fasterSum = 0;
  }
}
