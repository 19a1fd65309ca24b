// Keeps the relays going: starts them, seats a successor where one dies or fails, and ends them. Each life
// of a relay has an empty tape, so nothing of a dead one can reach its successor.
import { nowNs } from '../base/clock.ts';
import { TAPE_BYTES } from '../base/limits.ts';
import { faultFields, type Log } from '../base/log.ts';
import { threadNice } from '../base/thread-priority.ts';
import type { HostPort } from '../config/config.ts';
import type { Observer } from '../observe/observer.ts';
import type { TapeDrain } from '../observe/tape-drain.ts';
import type { TlsPair } from '../relay/listener-tls.ts';
import type { LiveSettings } from '../relay/settings.ts';
import { createTape, type Tape } from '../tape/layout.ts';
import type { RelayPulse } from '../telemetry/pulse-watch.ts';
import type { ThreadLag } from './lag-window.ts';
import { RelayLife } from './relay-life.ts';
import { RelaySeat, sumOfCounts, type TapeCounts } from './relay-seat.ts';
import { SpareRelay } from './spare-relay.ts';

/** A relay that dies at once again and again is given time between lives. */
const RESPAWN_MS = 100;
/** One that cannot even listen (somebody took the port meanwhile) is tried ever less often. */
const RESPAWN_MAX_MS = 10_000;
/** A life shorter than this was no good one. */
const GOOD_LIFE_MS = 1_000;

export interface SupervisorOptions {
  readonly count: number;
  /** The main address first, then those of the edges. */
  readonly listen: readonly HostPort[];
  readonly settings: LiveSettings;
  /** The certificate towards clients that is to serve now. */
  readonly tls: () => TlsPair | undefined;
  readonly http2: boolean;
  /** How long the streams of a relay that failed may go on. */
  readonly drainMs: () => number;
  readonly observer: Observer;
  readonly drain: TapeDrain;
  /** All relays that there are from the start, and the spare behind them, have begun to run. */
  readonly onAllBegun: (() => void) | undefined;
  readonly log: Log;
}

export class RelaySupervisor {
  readonly #options: SupervisorOptions;
  /** Those who serve, by their number. */
  readonly #seats: (RelaySeat | undefined)[] = [];
  /** Those who failed and let their streams come to their end. */
  readonly #leaving = new Set<RelaySeat>();
  /** Counters of tapes that are gone, so that counters of the process never fall. */
  #gone = sumOfCounts([]);
  /** Tapes of the dead, for their successors: memory that is shared may wait long for its collection. */
  readonly #tapes: Tape[] = [];
  readonly #spare: SpareRelay;
  readonly #nice = threadNice();
  #settings: LiveSettings;
  #addresses: readonly HostPort[] | undefined;
  #lifeCount = 0;
  /** Lives in a row that ended before they listened, by relay. */
  readonly #failedStartCounts = new Map<number, number>();
  #closing = false;
  #ended: Promise<unknown> = Promise.resolve();
  /** Called whenever {@link RelaySupervisor.pulses} has something new to say. */
  onPulses: () => void = () => undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#spare = new SpareRelay(() => this.#boot(true), options.onAllBegun);
  }

  /** Starts all relays; resolves when each listens everywhere, rejects with the system's error when one cannot. */
  async start(): Promise<readonly HostPort[]> {
    // The first one settles the ports; with port 0 the others need to know them.
    this.#addresses = await this.#seat(0, this.#options.listen);
    const addresses = this.#addresses;
    await Promise.all(Array.from({ length: this.#options.count - 1 }, (_, i) => this.#seat(i + 1, addresses)));
    this.#spare.keep();
    return addresses;
  }

  /** Where clients connect; known once the first relay listens. */
  get listen(): HostPort | undefined {
    return this.#addresses?.[0];
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
      return { name: `relay-${relay}`, beats: this.#seats[relay]?.beats };
    });
  }

  /** Longest lateness of each relay's heartbeat since the last call. */
  takeLoopLags(): readonly ThreadLag[] {
    return this.#seats.flatMap((seat, relay) =>
      seat === undefined ? [] : [{ thread: `relay-${relay}`, lagNs: seat.takeLagNs() }],
    );
  }

  tapeCounts(): TapeCounts {
    return sumOfCounts([this.#gone, ...this.#all().map((seat) => seat.counts())]);
  }

  /**
   * Lets open streams finish within the limit, cuts the rest and reads the relays' last words. What a thread has
   * said by the time that it is drained is all, so nobody waits here for its end: that comes with `ended`.
   */
  async close(withinMs: number): Promise<void> {
    this.#closing = true;
    const seats = this.#all();
    const spareEnd = this.#spare.close();
    const cutCounts = await Promise.all(seats.map((seat) => seat.drained(withinMs)));
    this.#ended = Promise.all([spareEnd, ...seats.map((seat) => seat.life.end())]);
    // What never listened has not said that it is drained.
    if (seats.some(({ listeningAtNs }) => listeningAtNs === undefined)) await this.#ended;
    this.#tellCut(cutCounts.reduce((sum, count) => sum + count, 0));
    for (const seat of seats) this.#settle(seat);
    this.#seats.length = 0;
    this.#leaving.clear();
  }

  /** All threads have ended, once `close` has begun. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  /** The drain limit of a close under way is now. */
  hurry(): void {
    for (const seat of this.#all()) seat.hurry();
  }

  #all(): RelaySeat[] {
    return [...this.#seats.filter((seat) => seat !== undefined), ...this.#leaving];
  }

  /** Has the spare, or a new life, serve as this relay. */
  async #seat(relay: number, listen: readonly HostPort[]): Promise<readonly HostPort[]> {
    const { observer, drain, count, tls, http2 } = this.#options;
    const life = this.#spare.take() ?? this.#boot(this.#lifeCount < count);
    const tape = this.#tapes.pop() ?? createTape(TAPE_BYTES);
    const seat = new RelaySeat({ life, relay, lifeNumber: this.#lifeCount, tape, observer, drain });
    this.#lifeCount += 1;
    this.#seats[relay] = seat;
    void life.ended.then(() => this.#onEnded(relay, seat));
    void life.failed.then((reason) => this.#onFailed(relay, seat, reason));
    try {
      const addresses = listen.map((each) => ({ ...each, shared: count > 1 }));
      const listening = await seat.listen(addresses, { ...this.#settings, tls: tls(), http2 });
      this.#failedStartCounts.delete(relay);
      this.onPulses();
      return listening;
    } catch (fault) {
      // The very first one cannot listen: nothing was started that could be kept going.
      this.#closing ||= this.#addresses === undefined;
      void life.end();
      const { listener } = fault as { readonly listener?: number };
      throw Object.assign(fault as Error, { port: listen[listener ?? 0]?.port });
    }
  }

  #boot(warmUp: boolean): RelayLife {
    const { log } = this.#options;
    return new RelayLife({
      warmUp,
      nice: this.#nice,
      onFault: (fault) => log.error('a relay thread failed', faultFields(fault)),
    });
  }

  /** A fault that nobody caught, of one stream most likely: another takes over, and the others' streams go on. */
  #onFailed(relay: number, seat: RelaySeat, reason: string): void {
    const { log, drainMs } = this.#options;
    log.error('a relay thread met a fault that nobody caught', { relay, reason });
    if (this.#closing || this.#seats[relay] !== seat) return;
    this.#leaving.add(seat);
    this.#succeed(relay, seat);
    void seat.end(drainMs()).then((cutCount) => this.#tellCut(cutCount));
  }

  #onEnded(relay: number, seat: RelaySeat): void {
    if (this.#closing) return;
    const died = this.#seats[relay] === seat;
    if (!died && !this.#leaving.delete(seat)) return;
    // The successor first: clients wait for it, and nobody for the account of the dead one.
    if (died) this.#succeed(relay, seat);
    this.#settle(seat);
    if (died && seat.listeningAtNs !== undefined)
      this.#options.log.error('a relay thread died and is replaced; its streams were cut', { relay });
  }

  #settle(seat: RelaySeat): void {
    this.#gone = sumOfCounts([this.#gone, seat.counts()]);
    this.#tapes.push(seat.settle());
  }

  #tellCut(cutCount: number): void {
    if (cutCount > 0) this.#options.log.warn('streams were cut at the drain limit', { cut_count: cutCount });
  }

  #succeed(relay: number, before: RelaySeat): void {
    this.#seats[relay] = undefined;
    this.onPulses();
    const waitMs = this.#waitBeforeNextMs(relay, before);
    if (waitMs === 0) this.#replace(relay);
    else setTimeout(() => this.#replace(relay), waitMs);
  }

  #replace(relay: number): void {
    if (this.#closing) return;
    const { listen, log } = this.#options;
    this.#seat(relay, this.#addresses ?? listen).catch((fault: unknown) =>
      log.error('a relay thread could not be replaced', { relay, ...faultFields(fault) }),
    );
    this.#spare.keep();
  }

  /** At once after a good life; ever longer when one after the other ends before it listens. */
  #waitBeforeNextMs(relay: number, { listeningAtNs }: RelaySeat): number {
    if (listeningAtNs !== undefined) return nowNs() - listeningAtNs < GOOD_LIFE_MS * 1e6 ? RESPAWN_MS : 0;
    const failedCount = (this.#failedStartCounts.get(relay) ?? 0) + 1;
    this.#failedStartCounts.set(relay, failedCount);
    return Math.min(RESPAWN_MS * 2 ** failedCount, RESPAWN_MAX_MS);
  }
}
