// The exact median of values that come one by one, in O(log n) a value: what "usual" is for a stream
// while it still runs. Knows nothing of gaps.
//
//   low: the smaller half, largest on top        high: the larger half, smallest on top
//   ┌───────────────┐ top ≤ top ┌────────────────┐
//   │  ceil(n / 2)  │           │  floor(n / 2)  │
//   └───────────────┘           └────────────────┘

/** By nearest rank: the ceil(n / 2)-th smallest of n, always a value that occurred. */
export class RunningMedian {
  // One kind of heap serves both halves: the smaller half is kept with its signs turned.
  readonly #lowNegated = new SmallestFirst();
  readonly #high = new SmallestFirst();

  get count(): number {
    return this.#lowNegated.count + this.#high.count;
  }

  /** Undefined before the first value. */
  get median(): number | undefined {
    const top = this.#lowNegated.top;
    return top === undefined ? undefined : -top;
  }

  add(value: number): void {
    const median = this.median;
    if (median === undefined || value <= median) this.#lowNegated.push(-value);
    else this.#high.push(value);
    const surplus = this.#lowNegated.count - this.#high.count;
    if (surplus > 1) this.#high.push(-this.#lowNegated.pop());
    else if (surplus < 0) this.#lowNegated.push(-this.#high.pop());
  }
}

/** A binary heap in an array: the children of entry i are 2i + 1 and 2i + 2, none smaller than i. */
class SmallestFirst {
  readonly #entries: number[] = [];

  get count(): number {
    return this.#entries.length;
  }

  get top(): number | undefined {
    return this.#entries[0];
  }

  push(value: number): void {
    const entries = this.#entries;
    let index = entries.length;
    entries.push(value);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = entries[parent] as number;
      if (above <= value) break;
      entries[index] = above;
      index = parent;
    }
    entries[index] = value;
  }

  /** Takes the smallest out. Only called on the half that is too long, so at least one entry stays. */
  pop(): number {
    const smallest = this.#entries[0] as number;
    this.#sink(this.#entries.pop() as number);
    return smallest;
  }

  /** Puts `value` into the hole at the top and lets it sink to its place. */
  #sink(value: number): void {
    const entries = this.#entries;
    let index = 0;
    for (;;) {
      const child = this.#smallerChild(index);
      if (child === undefined || (entries[child] as number) >= value) break;
      entries[index] = entries[child] as number;
      index = child;
    }
    entries[index] = value;
  }

  #smallerChild(index: number): number | undefined {
    const left = 2 * index + 1;
    const right = left + 1;
    if (left >= this.#entries.length) return undefined;
    if (right >= this.#entries.length) return left;
    return (this.#entries[right] as number) < (this.#entries[left] as number) ? right : left;
  }
}
