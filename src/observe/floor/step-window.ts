// The latest gaps of a route, to know its usual step: a ring of so many, of which those count that are young enough.
// Knows no route and no clock.
import { FLOOR_GAPS_LEAST_COUNT, FLOOR_GAPS_MAX_COUNT, FLOOR_WINDOW_MS } from '../../base/floor-limits.ts';
import { ascending, nearestRank } from '../../measure/percentile.ts';

const WINDOW_NS = FLOOR_WINDOW_MS * 1e6;

export class StepWindow {
  // Moments need more than 32 bits, and doubles hold them exactly.
  readonly #gapsNs = new Float64Array(FLOOR_GAPS_MAX_COUNT);
  readonly #atNs = new Float64Array(FLOOR_GAPS_MAX_COUNT);
  #count = 0;

  add(gapNs: number, atNs: number): void {
    const slot = this.#count % FLOOR_GAPS_MAX_COUNT;
    this.#gapsNs[slot] = gapNs;
    this.#atNs[slot] = atNs;
    this.#count += 1;
  }

  /** Undefined while too few are young enough. */
  medianNs(nowNs: number): number | undefined {
    const kept = Math.min(this.#count, FLOOR_GAPS_MAX_COUNT);
    const young: number[] = [];
    for (let slot = 0; slot < kept; slot += 1) {
      if (nowNs - (this.#atNs[slot] ?? 0) <= WINDOW_NS) young.push(this.#gapsNs[slot] ?? 0);
    }
    return young.length < FLOOR_GAPS_LEAST_COUNT ? undefined : nearestRank(ascending(young), 50);
  }
}
