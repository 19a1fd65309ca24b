// A life that serves as one of the relays, with its tape and who reads it: from its first word on the tape
// to the last. Knows nothing of other relays.
import { nowNs } from '../base/clock.ts';
import type { HostPort } from '../config/config.ts';
import type { Observer } from '../observe/observer.ts';
import type { TapeDrain } from '../observe/tape-drain.ts';
import type { ListenAddress, RelaySettings } from '../relay/settings.ts';
import { emptyTape, SLOT, type Tape } from '../tape/layout.ts';
import { TapeReader } from '../tape/reader.ts';
import type { RelayLife } from './relay-life.ts';

/** Time after the drain limit for cut streams to close. */
const CUT_MS = 2_000;
const TIMER_MAX_MS = 2 ** 31 - 1;

const COUNT_SLOTS = [
  'droppedBytesCount',
  'droppedChunkCount',
  'lostEntryCount',
  'refusedCount',
  'surplusCount',
  'overflowCount',
] as const;

/** What a relay counts on its tape. */
export type TapeCounts = Readonly<Record<(typeof COUNT_SLOTS)[number], number>>;

export function sumOfCounts(all: Iterable<TapeCounts>): TapeCounts {
  const sum = Object.fromEntries(COUNT_SLOTS.map((slot) => [slot, 0])) as Record<keyof TapeCounts, number>;
  for (const counts of all) for (const slot of COUNT_SLOTS) sum[slot] += counts[slot];
  return sum;
}

export interface SeatOptions {
  readonly life: RelayLife;
  /** Number of the relay, and of this life among all. */
  readonly relay: number;
  readonly lifeNumber: number;
  /** An empty one. */
  readonly tape: Tape;
  readonly observer: Observer;
  readonly drain: TapeDrain;
}

export class RelaySeat {
  readonly life: RelayLife;
  readonly #tape: Tape;
  readonly #reader: TapeReader;
  readonly #handler: ReturnType<Observer['handlerFor']>;
  readonly #tapeDrain: TapeDrain;
  /** Since when it listens; a heart that beats serves nobody before that. */
  listeningAtNs: number | undefined;

  constructor({ life, relay, lifeNumber, tape, observer, drain }: SeatOptions) {
    this.life = life;
    this.#tape = tape;
    this.#reader = new TapeReader(tape);
    this.#handler = observer.handlerFor(relay, lifeNumber, (exchange) => life.tellClientGone(exchange));
    this.#tapeDrain = drain;
    drain.add(this.#reader, this.#handler);
  }

  async listen(
    addresses: readonly ListenAddress[],
    settings: Omit<RelaySettings, 'tape'>,
  ): Promise<readonly HostPort[]> {
    const listening = await this.life.listen(addresses, { ...settings, tape: this.#tape.shared });
    this.listeningAtNs = nowNs();
    return listening;
  }

  /** Where its heartbeat can be seen beating. One number only: who looks there has no business with the tape. */
  get beats(): Int32Array | undefined {
    if (this.listeningAtNs === undefined) return undefined;
    return new Int32Array(this.#tape.shared, SLOT.heartbeatCount * Int32Array.BYTES_PER_ELEMENT, 1);
  }

  /** Longest lateness of its heartbeat since the last call. */
  takeLagNs(): number {
    return Atomics.exchange(this.#tape.control, SLOT.loopLagUs, 0) * 1e3;
  }

  counts(): TapeCounts {
    const entries = COUNT_SLOTS.map((slot) => [slot, Atomics.load(this.#tape.control, SLOT[slot])] as const);
    return Object.fromEntries(entries) as TapeCounts;
  }

  /** Lets open streams finish within the limit and cuts the rest. Gives how many were cut. */
  async drained(withinMs: number): Promise<number> {
    // One that does not listen yet has nothing open, and may take long to say so.
    if (this.listeningAtNs === undefined) return 0;
    this.life.drain(withinMs);
    const late = setTimeout(() => void this.life.end(), Math.min(withinMs + CUT_MS, TIMER_MAX_MS));
    const cutCount = await this.life.drained;
    clearTimeout(late);
    return cutCount;
  }

  /** The same, and ends the thread. */
  async end(withinMs: number): Promise<number> {
    const cutCount = await this.drained(withinMs);
    await this.life.end();
    return cutCount;
  }

  /** The limit of an end under way is now. */
  hurry(): void {
    this.life.drain(0);
    setTimeout(() => void this.life.end(), CUT_MS).unref();
  }

  /** The thread writes no more: its last words are read, and what it left open is ended. Gives the tape back, empty. */
  settle(): Tape {
    this.#tapeDrain.finish(this.#reader);
    // A thread that was ended with streams open said nothing of them.
    this.#handler.relayGone();
    emptyTape(this.#tape);
    return this.#tape;
  }
}
