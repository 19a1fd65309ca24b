// Names by keys, many to many. Most keys have one name, so a lone one is kept without a set around it.

export class KeyIndex {
  readonly #names = new Map<string, string | Set<string>>();

  add(key: string, name: string): void {
    const known = this.#names.get(key);
    if (known === undefined) this.#names.set(key, name);
    else if (typeof known === 'string') this.#names.set(key, new Set([known, name]));
    else known.add(name);
  }

  remove(key: string, name: string): void {
    const known = this.#names.get(key);
    if (known === name) this.#names.delete(key);
    else if (known instanceof Set && known.delete(name) && known.size === 0) this.#names.delete(key);
  }

  get(key: string): readonly string[] {
    const known = this.#names.get(key);
    if (known === undefined) return [];
    return typeof known === 'string' ? [known] : [...known];
  }
}
