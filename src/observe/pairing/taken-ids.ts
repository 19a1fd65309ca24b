// Names of inner exchanges that have found theirs. Bounded: the oldest is forgotten, long after its time.
import { SIGHTS_MAX_COUNT } from '../../base/pairing-limits.ts';

export class TakenIds {
  readonly #ids = new Set<string>();

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= SIGHTS_MAX_COUNT) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  clear(): void {
    this.#ids.clear();
  }
}
