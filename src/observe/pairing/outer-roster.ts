// Exchanges seen before hops that have no pair yet: those open, those that wait, and for a while those that were
// given up. Each may be the one to whom an inner exchange belongs, so whoever claims one asks here who else could.
import { RIVALS_MAX_COUNT } from '../../base/pairing-limits.ts';
import { KeyIndex } from './key-index.ts';
import { type KeyBasis, keysFor, keysOf } from './pair-keys.ts';
import type { Sight } from './sight.ts';

export class OuterRoster {
  readonly #sights = new Map<string, Sight>();
  readonly #index = new KeyIndex();
  /** Given up, oldest first. */
  readonly #givenUp = new Set<string>();

  /** It is open, or has ended: what is known of it by now. */
  put(sight: Sight): void {
    this.remove(sight.id);
    this.#sights.set(sight.id, sight);
    for (const key of keysOf(sight)) this.#index.add(key, sight.id);
  }

  /** It has its pair, or never will be told of again. */
  remove(id: string): void {
    const sight = this.#sights.get(id);
    if (sight === undefined) return;
    this.#sights.delete(id);
    this.#givenUp.delete(id);
    for (const key of keysOf(sight)) this.#index.remove(key, id);
  }

  /** It got no pair, and may still be the one that another claims. */
  giveUp(id: string): void {
    if (!this.#sights.has(id)) return;
    this.#givenUp.add(id);
    if (this.#givenUp.size <= RIVALS_MAX_COUNT) return;
    const [oldest] = this.#givenUp;
    if (oldest !== undefined) this.remove(oldest);
  }

  /** Others with the same id or text. */
  rivalsOf(sight: Sight, basis: KeyBasis): readonly Sight[] {
    const ids = new Set(keysFor(basis, sight).flatMap((key) => this.#index.get(key)));
    ids.delete(sight.id);
    return [...ids].flatMap((id) => this.#sights.get(id) ?? []);
  }

  /** Those with one of these keys. */
  withKeys(keys: readonly string[]): ReadonlySet<string> {
    return new Set(keys.flatMap((key) => this.#index.get(key)));
  }
}
