// How many streams were under generation on a route over time, as one running sum: any mean is a difference of two.

export class Load {
  #sum = 0;
  #count = 0;
  #sinceNs = 0;

  /** So many from this moment on. */
  change(atNs: number, count: number): void {
    this.#sum = this.upTo(atNs);
    // Entries of several relays are not quite in order.
    this.#sinceNs = Math.max(this.#sinceNs, atNs);
    this.#count = count;
  }

  /** Streams times ns up to a moment. */
  upTo(atNs: number): number {
    return this.#sum + this.#count * Math.max(0, atNs - this.#sinceNs);
  }

  /** Mean since a moment at which the sum was `sumThen`; at least 1, for somebody asks for a stream of his own. */
  meanSince(thenNs: number, sumThen: number, atNs: number): number {
    const lengthNs = atNs - thenNs;
    if (lengthNs <= 0) return Math.max(1, this.#count);
    return Math.max(1, Math.round(((this.upTo(atNs) - sumThen) / lengthNs) * 100) / 100);
  }
}
