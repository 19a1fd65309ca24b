// Counters with a memory: since the start, and over a window cut into slots of which the oldest falls out whole.
// Told its time in ms of any clock that only moves forward. Knows nothing of what is counted.

export interface Window {
  readonly slotCount: number;
  readonly slotMs: number;
}

type Counts<Name extends string> = Record<Name, number>;

export class SlidingCounts<Name extends string> {
  readonly #names: readonly Name[];
  readonly #window: Window;
  readonly #sinceStart: Counts<Name>;
  /** Slots that hold something, by their number since the clock's zero. */
  readonly #slots = new Map<number, Counts<Name>>();

  constructor(names: readonly Name[], window: Window) {
    this.#names = names;
    this.#window = window;
    this.#sinceStart = zeros(names);
  }

  add(counts: Partial<Counts<Name>>, nowMs: number): void {
    const slot = this.#slotAt(nowMs);
    for (const name of this.#names) {
      const count = counts[name] ?? 0;
      this.#sinceStart[name] += count;
      slot[name] += count;
    }
  }

  sinceStart(): Readonly<Counts<Name>> {
    return { ...this.#sinceStart };
  }

  window(nowMs: number): Readonly<Counts<Name>> {
    this.#forget(nowMs);
    const sum = zeros(this.#names);
    for (const slot of this.#slots.values()) for (const name of this.#names) sum[name] += slot[name];
    return sum;
  }

  /** How far back the window reaches from now; never before the start, and never no time at all. */
  windowMs(startMs: number, nowMs: number): number {
    const { slotCount, slotMs } = this.#window;
    const firstSlot = Math.floor(nowMs / slotMs) - slotCount + 1;
    return Math.max(1, nowMs - Math.max(startMs, firstSlot * slotMs));
  }

  #slotAt(nowMs: number): Counts<Name> {
    const number = Math.floor(nowMs / this.#window.slotMs);
    const known = this.#slots.get(number);
    if (known !== undefined) return known;
    this.#forget(nowMs);
    const made = zeros(this.#names);
    this.#slots.set(number, made);
    return made;
  }

  #forget(nowMs: number): void {
    const firstKept = Math.floor(nowMs / this.#window.slotMs) - this.#window.slotCount + 1;
    for (const number of this.#slots.keys()) if (number < firstKept) this.#slots.delete(number);
  }
}

function zeros<Name extends string>(names: readonly Name[]): Counts<Name> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Counts<Name>;
}
