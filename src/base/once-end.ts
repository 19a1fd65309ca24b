// An end that happens exactly once. The first cause wins; a later one usually is the echo of the first
// (we close a socket and then see it close), and whoever brings it is told so.

export class OnceEnd<Cause> {
  #cause: Cause | undefined;
  #onEnd: ((cause: Cause) => void) | undefined;

  constructor(onEnd: (cause: Cause) => void) {
    this.#onEnd = onEnd;
  }

  /** Ends with this cause unless it already ended; tells whether this call was the one. */
  end(cause: Cause): boolean {
    const onEnd = this.#onEnd;
    if (onEnd === undefined) return false;
    // Taken out of its slot first: a cause that comes back out of the callback is an echo as well.
    this.#onEnd = undefined;
    this.#cause = cause;
    onEnd(cause);
    return true;
  }

  get ended(): boolean {
    return this.#onEnd === undefined;
  }

  get cause(): Cause | undefined {
    return this.#cause;
  }
}
