// How fast places at the engine come free, for the hint to whoever is refused. Told its moments; knows no queue.
import { RETRY_AFTER_MAX_SECONDS, SHED_RETRY_AFTER_SECONDS, TURNOVER_MAX_COUNT } from '../base/client-limits.ts';

const NS_PER_SECOND = 1e9;

export class Turnover {
  /** When the latest places came free, oldest first. */
  readonly #freedAtNs: number[] = [];

  freed(atNs: number): void {
    this.#freedAtNs.push(atNs);
    if (this.#freedAtNs.length > TURNOVER_MAX_COUNT) this.#freedAtNs.shift();
  }

  /**
   * Whole seconds until so many more places will have come free, at the pace from the oldest remembered one up to
   * now: an engine that stands still makes it longer. Within bounds, as a hint that is far off helps nobody.
   */
  secondsUntil(placeCount: number, atNs: number): number {
    const [oldestAtNs] = this.#freedAtNs;
    if (oldestAtNs === undefined) return SHED_RETRY_AFTER_SECONDS;
    const eachNs = (atNs - oldestAtNs) / this.#freedAtNs.length;
    const seconds = Math.ceil((placeCount * eachNs) / NS_PER_SECOND);
    return Math.min(Math.max(seconds, SHED_RETRY_AFTER_SECONDS), RETRY_AFTER_MAX_SECONDS);
  }
}
