// The sights that an outer exchange could have its pair among: those that have ended, bounded in number and bytes,
// and the ids of those still open. Looks up by id or by text; who belongs to whom is decided elsewhere.
import {
  OPEN_SIGHTS_MAX_COUNT,
  SIGHTS_MAX_BYTES,
  SIGHTS_MAX_COUNT,
  SIGHTS_PER_ID_MAX_COUNT,
} from '../../base/pairing-limits.ts';
import { KeyIndex } from './key-index.ts';
import { idKeysOf, keysOf } from './pair-keys.ts';
import { bytesOf, type Sight } from './sight.ts';

export interface BookBounds {
  readonly maxCount: number;
  readonly maxBytes: number;
}

/** An open exchange, as far as it can be seen by now. */
export interface OpenSight {
  readonly id: string;
  /** What it is now. */
  look(): Sight;
}

export class PairBook {
  readonly #bounds: BookBounds;
  /** Oldest first. */
  readonly #ended = new Map<string, { readonly sight: Sight; readonly bytes: number }>();
  readonly #open = new Map<string, { readonly open: OpenSight; readonly keys: readonly string[] }>();
  readonly #index = new KeyIndex();
  readonly #taken = new Set<string>();
  #bytes = 0;

  constructor(bounds: BookBounds = { maxCount: SIGHTS_MAX_COUNT, maxBytes: SIGHTS_MAX_BYTES }) {
    this.#bounds = bounds;
  }

  /** Its ids are known and it goes on. */
  open(open: OpenSight, ids: Sight['ids']): void {
    if (this.#open.size >= OPEN_SIGHTS_MAX_COUNT) return;
    const keys = idKeysOf(ids);
    if (keys.length === 0) return;
    this.#open.set(open.id, { open, keys });
    for (const key of keys) this.#index.add(key, open.id);
  }

  /** It is no longer open, however it ended. */
  close(id: string): void {
    const known = this.#open.get(id);
    if (known === undefined) return;
    this.#open.delete(id);
    for (const key of known.keys) this.#index.remove(key, id);
  }

  /** It has ended; keeps its sight as long as there is room. */
  add(sight: Sight): void {
    this.close(sight.id);
    const bytes = bytesOf(sight);
    this.#ended.set(sight.id, { sight, bytes });
    this.#bytes += bytes;
    for (const key of keysOf(sight)) this.#index.add(key, sight.id);
    while (this.#ended.size > this.#bounds.maxCount || this.#bytes > this.#bounds.maxBytes) this.#evict();
  }

  /** It belongs to an outer exchange, and to no other. */
  take(id: string): void {
    this.#taken.add(id);
  }

  /** Sights with one of these keys that belong to nobody yet. */
  find(keys: readonly string[]): readonly Sight[] {
    return this.look(keys).filter(({ id }) => !this.#taken.has(id));
  }

  /** All of those that have ended and fit; undefined where there are so many that a text like this tells nothing. */
  findAll(keys: readonly string[], fits: (sight: Sight) => boolean): readonly Sight[] | undefined {
    return this.#allOf(keys, SIGHTS_PER_ID_MAX_COUNT, (sight) => !this.#taken.has(sight.id) && fits(sight));
  }

  /** All that have ended, whoever they belong to; undefined where they are more than so many. */
  lookAll(keys: readonly string[], maxCount: number): readonly Sight[] | undefined {
    return this.#allOf(keys, maxCount, () => true);
  }

  /** The same, whoever they belong to: for one who asks about exchanges of another process. */
  look(keys: readonly string[]): readonly Sight[] {
    const found: Sight[] = [];
    for (const id of new Set(keys.flatMap((key) => this.#index.get(key)))) {
      if (found.length >= SIGHTS_PER_ID_MAX_COUNT) break;
      const sight = this.#ended.get(id)?.sight ?? this.#open.get(id)?.open.look();
      if (sight !== undefined) found.push(sight);
    }
    return found;
  }

  #allOf(keys: readonly string[], maxCount: number, fits: (sight: Sight) => boolean): readonly Sight[] | undefined {
    const found: Sight[] = [];
    for (const id of new Set(keys.flatMap((key) => this.#index.get(key)))) {
      const sight = this.#ended.get(id)?.sight;
      if (sight === undefined || !fits(sight)) continue;
      if (found.length >= maxCount) return undefined;
      found.push(sight);
    }
    return found;
  }

  #evict(): void {
    const [id, known] = this.#ended.entries().next().value ?? [];
    if (id === undefined || known === undefined) return;
    this.#ended.delete(id);
    this.#taken.delete(id);
    this.#bytes -= known.bytes;
    for (const key of keysOf(known.sight)) this.#index.remove(key, id);
  }
}
