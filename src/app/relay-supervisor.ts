// Keeps the relays going: starts them, seats a successor where one dies, and ends them. Each life of a
// relay has an empty tape, so nothing of a dead one can reach its successor. One more life is booted and
// waits, so that a successor listens at once.
import { nowNs } from '../base/clock.ts';
import { TAPE_BYTES } from '../base/limits.ts';
import { faultFields, type Log } from '../base/log.ts';
import type { HostPort } from '../config/config.ts';
import type { Observer } from '../observe/observer.ts';
import type { TapeDrain } from '../observe/tape-drain.ts';
import type { TlsPair } from '../relay/listener-tls.ts';
import type { LiveSettings } from '../relay/settings.ts';
import type { RelayPulse } from '../telemetry/pulse-watch.ts';
import { createTape, emptyTape, SLOT, type Tape } from '../tape/layout.ts';
import { TapeReader } from '../tape/reader.ts';
import type { ThreadLag } from './lag-window.ts';
import { RelayLife } from './relay-life.ts';

/** A relay that dies at once again and again is given time between lives. */
const RESPAWN_MS = 100;
/** One that cannot even listen (somebody took the port meanwhile) is tried ever less often. */
const RESPAWN_MAX_MS = 10_000;
/** A life shorter than this was no good one. */
const GOOD_LIFE_MS = 1_000;
/** The spare boots when those who listen have begun their work, and takes no time from their first requests. */
const SPARE_AFTER_MS = 1_000;
/** Time after the drain limit for cut streams to close. */
const CUT_MS = 2_000;

export interface SupervisorOptions {
  readonly count: number;
  readonly listen: HostPort;
  readonly settings: LiveSettings;
  /** The certificate towards clients that is to serve now. */
  readonly tls: () => TlsPair | undefined;
  readonly observer: Observer;
  readonly drain: TapeDrain;
  readonly log: Log;
}

/** A life that serves as one of the relays. */
interface Seat {
  readonly life: RelayLife;
  readonly tape: Tape;
  readonly reader: TapeReader;
  readonly handler: ReturnType<Observer['handlerFor']>;
  /** Since when it listens; a heart that beats serves nobody before that. */
  listeningAtNs: number | undefined;
}

/** Counters of tapes that are gone, so that counters of the process never fall. */
export interface TapeCounts {
  readonly droppedBytesCount: number;
  readonly droppedChunkCount: number;
  readonly lostEntryCount: number;
  readonly refusedCount: number;
  readonly surplusCount: number;
  readonly overflowCount: number;
}

const COUNT_SLOTS = [
  'droppedBytesCount',
  'droppedChunkCount',
  'lostEntryCount',
  'refusedCount',
  'surplusCount',
  'overflowCount',
] as const;

export class RelaySupervisor {
  readonly #options: SupervisorOptions;
  readonly #seats: (Seat | undefined)[] = [];
  readonly #gone = {
    droppedBytesCount: 0,
    droppedChunkCount: 0,
    lostEntryCount: 0,
    refusedCount: 0,
    surplusCount: 0,
    overflowCount: 0,
  };
  #settings: LiveSettings;
  /** Tapes of the dead, for their successors: memory that is shared may wait long for its collection. */
  readonly #tapes: Tape[] = [];
  #spare: RelayLife | undefined;
  #spareTimer: NodeJS.Timeout | undefined;
  #address: HostPort | undefined;
  #lifeCount = 0;
  /** Lives in a row that ended before they listened, by relay. */
  readonly #failedStartCounts = new Map<number, number>();
  #closing = false;
  restartCount = 0;
  /** Called whenever {@link RelaySupervisor.pulses} has something new to say. */
  onPulses: () => void = () => undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#settings = options.settings;
  }

  /** Starts all relays; resolves when each listens, rejects with the system's error when one cannot. */
  async start(): Promise<HostPort> {
    // The first one settles the port; with port 0 the others need to know it.
    this.#address = await this.#seat(0, this.#options.listen);
    const address = this.#address;
    await Promise.all(Array.from({ length: this.#options.count - 1 }, (_, i) => this.#seat(i + 1, address)));
    this.#bootSpareSoon();
    return address;
  }

  /** Resolves when all relays admit requests by the new settings. */
  async configure(settings: LiveSettings): Promise<void> {
    this.#settings = settings;
    await Promise.all(this.#seats.map((seat) => seat?.life.configure(settings)));
  }

  /** New connections get this certificate; relays to come ask for it themselves. */
  replaceTls(pair: TlsPair): void {
    for (const seat of this.#seats) seat?.life.replaceTls(pair);
  }

  /** Where each relay's heartbeat can be seen beating; whoever looks needs nothing of this thread. */
  pulses(): readonly RelayPulse[] {
    return Array.from({ length: this.#options.count }, (_, relay) => {
      const seat = this.#seats[relay];
      const serves = seat !== undefined && seat.listeningAtNs !== undefined;
      // One number only: who looks at the heart has no business with the rest of the tape.
      const offset = SLOT.heartbeatCount * Int32Array.BYTES_PER_ELEMENT;
      return { name: `relay-${relay}`, beats: serves ? new Int32Array(seat.tape.shared, offset, 1) : undefined };
    });
  }

  /** Longest lateness of each relay's heartbeat since the last call. */
  takeLoopLags(): readonly ThreadLag[] {
    return this.#seats.flatMap((seat, relay) =>
      seat === undefined
        ? []
        : [{ thread: `relay-${relay}`, lagNs: Atomics.exchange(seat.tape.control, SLOT.loopLagUs, 0) * 1e3 }],
    );
  }

  tapeCounts(): TapeCounts {
    const sum = { ...this.#gone };
    for (const seat of this.#seats) {
      for (const slot of COUNT_SLOTS) sum[slot] += seat === undefined ? 0 : Atomics.load(seat.tape.control, SLOT[slot]);
    }
    return sum;
  }

  /** Lets open streams finish within the limit, cuts the rest, ends the threads and reads their last words. */
  async close(withinMs: number): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#spareTimer);
    await Promise.all([this.#spare?.end(), ...this.#seats.map((seat) => seat && this.#drainOne(seat, withinMs))]);
    for (const seat of this.#seats) {
      if (seat === undefined) continue;
      this.#options.drain.finish(seat.reader);
      // A thread that had to be ended with streams open said nothing of them.
      seat.handler.relayGone();
    }
  }

  /** The drain limit of a close under way is now. */
  hurry(): void {
    for (const seat of this.#seats) {
      seat?.life.drain(0);
      setTimeout(() => void seat?.life.end(), CUT_MS).unref();
    }
  }

  async #drainOne({ life, listeningAtNs }: Seat, withinMs: number): Promise<void> {
    // One that does not listen yet has nothing open, and may take long to say so.
    if (listeningAtNs !== undefined) {
      life.drain(withinMs);
      const late = setTimeout(() => void life.end(), Math.min(withinMs + CUT_MS, 2 ** 31 - 1));
      const cutCount = await life.drained;
      clearTimeout(late);
      if (cutCount > 0) this.#options.log.warn('streams were cut at the drain limit', { cut_count: cutCount });
    }
    await life.end();
  }

  /** Has the spare, or a new life, serve as this relay. */
  async #seat(relay: number, listen: HostPort): Promise<HostPort> {
    const { observer, drain, count } = this.#options;
    const life = this.#spare ?? this.#boot(this.restartCount === 0);
    this.#spare = undefined;
    const tape = this.#tapes.pop() ?? createTape(TAPE_BYTES);
    const handler = observer.handlerFor(relay, this.#lifeCount, (exchange) => life.tellClientGone(exchange));
    this.#lifeCount += 1;
    const seat: Seat = { life, tape, reader: new TapeReader(tape), handler, listeningAtNs: undefined };
    this.#seats[relay] = seat;
    drain.add(seat.reader, handler);
    void life.ended.then(() => this.#onEnded(relay, seat));
    try {
      const address = { ...listen, shared: count > 1 };
      const listening = await life.listen(address, { ...this.#settings, tape: tape.shared, tls: this.#options.tls() });
      seat.listeningAtNs = nowNs();
      this.onPulses();
      this.#failedStartCounts.delete(relay);
      return listening;
    } catch (fault) {
      // The very first one cannot listen: nothing was started that could be kept going.
      this.#closing ||= this.#address === undefined;
      void life.end();
      throw Object.assign(fault as Error, { port: listen.port });
    }
  }

  #boot(warmUp: boolean): RelayLife {
    const { log } = this.#options;
    return new RelayLife({ warmUp, onFault: (fault) => log.error('a relay thread failed', faultFields(fault)) });
  }

  #bootSpareSoon(): void {
    clearTimeout(this.#spareTimer);
    this.#spareTimer = setTimeout(() => {
      if (this.#closing || this.#spare !== undefined) return;
      const spare = this.#boot(true);
      this.#spare = spare;
      void spare.ended.then(() => this.#onSpareEnded(spare));
    }, SPARE_AFTER_MS);
    this.#spareTimer.unref();
  }

  #onSpareEnded(spare: RelayLife): void {
    if (this.#spare !== spare) return;
    this.#spare = undefined;
    if (!this.#closing) this.#bootSpareSoon();
  }

  #onEnded(relay: number, seat: Seat): void {
    const { drain, log } = this.#options;
    if (this.#closing || this.#seats[relay] !== seat) return;
    // The successor first: clients wait for it, and nobody for the account of the dead one.
    this.#seats[relay] = undefined;
    this.onPulses();
    this.restartCount += 1;
    const waitMs = this.#waitBeforeNextMs(relay, seat);
    if (waitMs === 0) this.#replace(relay);
    else setTimeout(() => this.#replace(relay), waitMs);
    drain.finish(seat.reader);
    seat.handler.relayGone();
    for (const slot of COUNT_SLOTS) this.#gone[slot] += Atomics.load(seat.tape.control, SLOT[slot]);
    emptyTape(seat.tape);
    this.#tapes.push(seat.tape);
    if (seat.listeningAtNs !== undefined)
      log.error('a relay thread died and is replaced; its streams were cut', { relay });
  }

  #replace(relay: number): void {
    if (this.#closing) return;
    const { listen, log } = this.#options;
    this.#seat(relay, this.#address ?? listen).catch((fault: unknown) =>
      log.error('a relay thread could not be replaced', { relay, ...faultFields(fault) }),
    );
    this.#bootSpareSoon();
  }

  /** At once after a good life; ever longer when one after the other ends before it listens. */
  #waitBeforeNextMs(relay: number, { listeningAtNs }: Seat): number {
    if (listeningAtNs !== undefined) return nowNs() - listeningAtNs < GOOD_LIFE_MS * 1e6 ? RESPAWN_MS : 0;
    const failedCount = (this.#failedStartCounts.get(relay) ?? 0) + 1;
    this.#failedStartCounts.set(relay, failedCount);
    return Math.min(RESPAWN_MS * 2 ** failedCount, RESPAWN_MAX_MS);
  }
}
