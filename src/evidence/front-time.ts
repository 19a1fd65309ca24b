// How long the way to an engine and through its HTTP front end takes, there and back: what lies between a
// request sent and a head received where the head comes early. It belongs neither to queue nor to prefill.
// Told only by exchanges that met an idle engine, since some engines send the head when the queue ends.
import { middleOf } from './middle.ts';

/** Exchanges remembered, and how many are needed. */
const KEPT_COUNT = 32;
const LEAST_COUNT = 5;
/** Where no head tells, so much of the time to a first token may be the front's: what a plain HTTP server takes. */
const UNSEEN_NS = 2_000_000;
/** A head later than this share of the time to the first token is no early one: it came with the prefill, or after it. */
const EARLY_SHARE = 0.5;

export interface FrontPart {
  /** The front's part in the time from request sent to first token received. */
  readonly partNs: number;
  /** How much more of it may be the front's, where no head tells. */
  readonly unseenNs: number;
}

const UNSEEN: FrontPart = { partNs: 0, unseenNs: UNSEEN_NS };

export class FrontTime {
  /** Oldest first. */
  readonly #fronts: number[] = [];

  /**
   * `tookNs` is the time from request sent to first token received, `headNs` that to the head, both less the
   * least time on the wire.
   */
  partOf(tookNs: number, headNs: number | undefined, metIdle: boolean): FrontPart {
    if (metIdle && headNs !== undefined && headNs > 0 && headNs < EARLY_SHARE * tookNs) {
      this.#fronts.push(headNs);
      if (this.#fronts.length > KEPT_COUNT) this.#fronts.shift();
      // Nothing else was in its head's way.
      return { partNs: headNs, unseenNs: 0 };
    }
    if (this.#fronts.length < LEAST_COUNT) return UNSEEN;
    const usualNs = middleOf(this.#fronts);
    // A head that came with the first token, of an engine that sends others early, has had its front as well.
    return usualNs < EARLY_SHARE * tookNs ? { partNs: usualNs, unseenNs: 0 } : UNSEEN;
  }
}
