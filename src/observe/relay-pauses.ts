// Pauses of one relay's thread, kept once for all of its exchanges. A busy relay pauses many times a second with a
// thousand streams open, of which hardly one ever asks: to tell each of them of each pause cost more than their chunks.
import { RELAY_PAUSES_MAX_COUNT } from '../base/record-limits.ts';
import type { Pause } from '../record/stream-record.ts';
import type { PauseEntry } from '../tape/entries.ts';

export class RelayPauses {
  /** A ring, by the number of a pause; the oldest give way. */
  readonly #pauses: PauseEntry[] = [];
  /** Ever added: the number of the next one. */
  #count = 0;

  add(pause: PauseEntry): void {
    this.#pauses[this.#count % RELAY_PAUSES_MAX_COUNT] = pause;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  /** Those from this number on, as far as they are kept, in the order in which they became known. */
  *from(number: number): Generator<PauseEntry> {
    for (let at = Math.max(number, this.#count - RELAY_PAUSES_MAX_COUNT); at < this.#count; at += 1) {
      yield this.#pauses[at % RELAY_PAUSES_MAX_COUNT] as PauseEntry;
    }
  }
}

/** Of them what one exchange needs: each is told once, or never. Moments are those since it opened. */
export class HeardPauses {
  readonly #relay: RelayPauses;
  readonly #openedAtNs: number;
  readonly #tell: (pause: Pause) => void;
  /** Number of the first that was neither told nor passed over. */
  #next: number;

  /** Hears of those that become known from now on. */
  constructor(relay: RelayPauses, openedAtNs: number, tell: (pause: Pause) => void) {
    this.#relay = relay;
    this.#openedAtNs = openedAtNs;
    this.#tell = tell;
    this.#next = relay.count;
  }

  /** Tells those that were not over at this moment of the exchange; the others it will not ask for again. */
  hearSince(sinceNs: number): void {
    for (const { startAtNs, endAtNs, cause } of this.#relay.from(this.#next)) {
      const pause = { startAtNs: startAtNs - this.#openedAtNs, endAtNs: endAtNs - this.#openedAtNs, cause };
      if (pause.endAtNs > sinceNs) this.#tell(pause);
    }
    this.#next = this.#relay.count;
  }

  /** Tells so many of the latest. */
  hearLatest(maxCount: number): void {
    this.#next = Math.max(this.#next, this.#relay.count - maxCount);
    this.hearSince(0);
  }
}
