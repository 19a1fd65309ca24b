// Starts the relay threads, replaces one that dies, and ends them. Each life of a relay has a tape of
// its own, so nothing of a dead one can reach its successor.
import { Worker } from 'node:worker_threads';
import { clockBase, nowNs } from '../base/clock.ts';
import { TAPE_BYTES } from '../base/limits.ts';
import { faultFields, type Log } from '../base/log.ts';
import type { HostPort } from '../config/config.ts';
import type { Observer } from '../observe/observer.ts';
import type { TapeDrain } from '../observe/tape-drain.ts';
import type { RelayCommand, RelayMessage, RelaySettings } from '../relay/settings.ts';
import type { RelayHealth } from '../telemetry/admin.ts';
import { createTape, SLOT, type Tape } from '../tape/layout.ts';
import { TapeReader } from '../tape/reader.ts';
import type { ThreadLag } from './lag-window.ts';
import type { CommonSettings } from './relay-settings.ts';

/** A relay whose heart has not beaten for this long counts as dead (it beats each 50 ms). */
const HEART_STOPPED_MS = 10_000;
const HEALTH_LOOK_MS = 1_000;
/** A relay that dies at once again and again is given time between lives. */
const RESPAWN_MS = 100;
/** One that cannot even listen (somebody took the port meanwhile) is tried ever less often. */
const RESPAWN_MAX_MS = 10_000;
/** Time after the drain limit for cut streams to close. */
const CUT_MS = 2_000;

export interface SupervisorOptions {
  readonly count: number;
  readonly listen: HostPort;
  readonly settings: CommonSettings;
  readonly observer: Observer;
  readonly drain: TapeDrain;
  readonly log: Log;
}

/** One life of one relay. */
interface Life {
  readonly worker: Worker;
  readonly tape: Tape;
  readonly reader: TapeReader;
  readonly handler: ReturnType<Observer['handlerFor']>;
  beatCount: number;
  beatAtNs: number;
  /** A heart that beats serves nobody before its relay listens. */
  listening: boolean;
}

/** Counters of tapes that are gone, so that counters of the process never fall. */
export interface TapeCounts {
  readonly droppedBytesCount: number;
  readonly droppedChunkCount: number;
  readonly lostEntryCount: number;
  readonly refusedCount: number;
  readonly surplusCount: number;
}

const COUNT_SLOTS = [
  'droppedBytesCount',
  'droppedChunkCount',
  'lostEntryCount',
  'refusedCount',
  'surplusCount',
] as const;

export class RelaySupervisor {
  readonly #options: SupervisorOptions;
  readonly #lives: (Life | undefined)[] = [];
  readonly #gone = { droppedBytesCount: 0, droppedChunkCount: 0, lostEntryCount: 0, refusedCount: 0, surplusCount: 0 };
  #address: HostPort | undefined;
  /** Health is looked at on this timer as well, so that the age of a heartbeat is known between two looks. */
  #healthTimer: NodeJS.Timeout | undefined;
  #lifeCount = 0;
  /** Lives in a row that ended before they listened, by relay. */
  readonly #failedStartCounts = new Map<number, number>();
  #closing = false;
  restartCount = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Starts all relays; resolves when each listens, rejects with the system's error when one cannot. */
  async start(): Promise<HostPort> {
    // The first one settles the port; with port 0 the others need to know it.
    this.#address = await this.#spawn(0, this.#options.listen);
    const address = this.#address;
    this.#healthTimer = setInterval(() => void this.health(), HEALTH_LOOK_MS);
    this.#healthTimer.unref();
    await Promise.all(Array.from({ length: this.#options.count - 1 }, (_, i) => this.#spawn(i + 1, address)));
    return address;
  }

  /** Liveness of each relay by its heartbeat. */
  health(): readonly RelayHealth[] {
    const atNs = nowNs();
    return Array.from({ length: this.#options.count }, (_, relay) => {
      const life = this.#lives[relay];
      const name = `relay-${relay}`;
      if (life === undefined) return { name, ok: false, heartbeatAgeMs: HEART_STOPPED_MS };
      const beatCount = Atomics.load(life.tape.control, SLOT.heartbeatCount);
      if (beatCount !== life.beatCount) {
        life.beatCount = beatCount;
        life.beatAtNs = atNs;
      }
      const heartbeatAgeMs = (atNs - life.beatAtNs) / 1e6;
      return { name, ok: life.listening && heartbeatAgeMs < HEART_STOPPED_MS, heartbeatAgeMs };
    });
  }

  /** Longest lateness of each relay's heartbeat since the last call. */
  takeLoopLags(): readonly ThreadLag[] {
    return this.#lives.flatMap((life, relay) =>
      life === undefined
        ? []
        : [{ thread: `relay-${relay}`, lagNs: Atomics.exchange(life.tape.control, SLOT.loopLagUs, 0) * 1e3 }],
    );
  }

  tapeCounts(): TapeCounts {
    const sum = { ...this.#gone };
    for (const life of this.#lives) {
      for (const slot of COUNT_SLOTS) sum[slot] += life === undefined ? 0 : Atomics.load(life.tape.control, SLOT[slot]);
    }
    return sum;
  }

  /** Lets open streams finish within the limit, cuts the rest, ends the threads and reads their last words. */
  async close(withinMs: number): Promise<void> {
    this.#closing = true;
    clearInterval(this.#healthTimer);
    await Promise.all(this.#lives.map((life) => (life === undefined ? undefined : this.#drainOne(life, withinMs))));
    for (const life of this.#lives) {
      if (life === undefined) continue;
      this.#options.drain.finish(life.reader);
      // A thread that had to be ended with streams open said nothing of them.
      life.handler.relayGone();
    }
  }

  async #drainOne(life: Life, withinMs: number): Promise<void> {
    const drained = new Promise<number>((resolve) => {
      life.worker.on('message', (message: RelayMessage) => {
        if (message.type === 'drained') resolve(message.cutCount);
      });
      life.worker.once('exit', () => resolve(0));
      setTimeout(() => resolve(0), withinMs + CUT_MS).unref();
    });
    const command: RelayCommand = { type: 'drain', withinMs };
    life.worker.postMessage(command);
    const cutCount = await drained;
    if (cutCount > 0) this.#options.log.warn('streams were cut at the drain limit', { cut_count: cutCount });
    await life.worker.terminate();
  }

  #spawn(relay: number, listen: HostPort): Promise<HostPort> {
    const { settings, observer, drain, count, log } = this.#options;
    const tape = createTape(TAPE_BYTES);
    const workerData: RelaySettings = {
      ...settings,
      relay,
      listen: { ...listen, shared: count > 1 },
      // A successor is wanted at once.
      warmUp: this.restartCount === 0,
      clockBaseSeconds: clockBase(),
      tape: tape.shared,
    };
    // The entry stands beside this file's folder in src/ and in dist/ alike.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`../relay/thread.${extension}`, import.meta.url), {
      workerData,
      name: `relay-${relay}`,
    });
    const handler = observer.handlerFor(relay, this.#lifeCount, (exchange) =>
      worker.postMessage({ type: 'client_gone', exchange } satisfies RelayCommand),
    );
    this.#lifeCount += 1;
    const reader = new TapeReader(tape);
    const life: Life = { worker, tape, reader, handler, beatCount: -1, beatAtNs: nowNs(), listening: false };
    this.#lives[relay] = life;
    drain.add(life.reader, handler);
    worker.on('error', (fault) => log.error('a relay thread failed', { relay, ...faultFields(fault) }));
    return new Promise((resolve, reject) => {
      worker.on('message', (message: RelayMessage) => {
        if (message.type === 'listening') {
          life.listening = true;
          this.#failedStartCounts.delete(relay);
          resolve({ host: message.host, port: message.port });
        }
        if (message.type !== 'listen_failed') return;
        this.#closing ||= this.#address === undefined;
        reject(Object.assign(new Error(message.message), { code: message.code, port: listen.port }));
        void worker.terminate();
      });
      worker.once('exit', () => {
        reject(new Error(`relay ${relay} ended before it listened`));
        this.#onExit(relay, life);
      });
    });
  }

  #onExit(relay: number, life: Life): void {
    const { drain, log } = this.#options;
    if (this.#closing || this.#lives[relay] !== life) return;
    drain.finish(life.reader);
    life.handler.relayGone();
    for (const slot of COUNT_SLOTS) this.#gone[slot] += Atomics.load(life.tape.control, SLOT[slot]);
    this.#lives[relay] = undefined;
    this.restartCount += 1;
    if (life.listening) log.error('a relay thread died and is replaced; its streams were cut', { relay });
    const waitMs = this.#waitBeforeNextMs(relay, life);
    setTimeout(() => {
      if (this.#closing) return;
      this.#spawn(relay, this.#address ?? this.#options.listen).catch((fault: unknown) =>
        log.error('a relay thread could not be replaced', { relay, ...faultFields(fault) }),
      );
    }, waitMs);
  }

  /** At once after a good life; ever longer when one after the other ends before it listens. */
  #waitBeforeNextMs(relay: number, { listening, beatAtNs }: Life): number {
    if (listening) return nowNs() - beatAtNs < RESPAWN_MS * 1e6 ? RESPAWN_MS : 0;
    const failedCount = (this.#failedStartCounts.get(relay) ?? 0) + 1;
    this.#failedStartCounts.set(relay, failedCount);
    return Math.min(RESPAWN_MS * 2 ** failedCount, RESPAWN_MAX_MS);
  }
}
