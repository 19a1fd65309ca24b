// The admin port: metrics, health, and what is going on, to read only. A small thread of its own owns it
// (admin-thread.ts): a scraper that hangs costs a fixed amount there, and liveness is answered however
// busy the main thread is. Here that thread is started, fed with answers, and replaced if it dies.
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ADMIN_HEAP_MAX_MIB, ADMIN_RESTART_MS } from '../base/admin-limits.ts';
import { nowMs } from '../base/clock.ts';
import { FLUSH_MAX_MS } from '../base/limits.ts';
import { faultFields, type Log } from '../base/log.ts';
import { answerOf, type AdminData } from './admin-answers.ts';
import type { FrontCommand, FrontMessage, FrontSettings } from './admin-messages.ts';
import { createFailureLog, type FailureLog } from './failure-log.ts';
import type { LiveFeed } from './live/feed.ts';
import type { LiveEvents, LiveWants } from './live/messages.ts';
import type { RelayPulse } from './pulse-watch.ts';

/** The same two folders up from `src/telemetry/` and from `dist/telemetry/`. */
const BUILT_PAGE = fileURLToPath(new URL('../../dist/page/', import.meta.url));

export interface AdminOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Names in lower case that `Host` may have beside IP literals and localhost. */
  readonly allowedHosts: readonly string[];
  readonly data: AdminData;
  readonly live: Pick<LiveFeed, 'events'>;
  /** Where the built page is; by default where its build puts it. */
  readonly pageFolder?: string;
  readonly pulses: readonly RelayPulse[];
  readonly log: Log;
}

export interface AdminServer {
  readonly port: number;
  /** The relays as they are from now on. */
  setPulses(pulses: readonly RelayPulse[]): void;
  close(): Promise<void>;
}

/** Listens, or rejects with the system's error (`EADDRINUSE`, …). */
export async function startAdmin(options: AdminOptions): Promise<AdminServer> {
  const admin = new Admin(options);
  await admin.start();
  return admin;
}

class Admin implements AdminServer {
  readonly #options: AdminOptions;
  readonly #failures: FailureLog;
  #pulses: readonly RelayPulse[];
  #worker: Worker | undefined;
  #restartTimer: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;
  #liveFailed = false;
  port: number;

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#failures = createFailureLog(options.log, 'Opening the admin port again');
    this.#pulses = options.pulses;
    this.port = options.port;
  }

  /** Starts the thread; rejects when it cannot listen. */
  start(): Promise<void> {
    const { host, allowedHosts, pageFolder = BUILT_PAGE, log } = this.#options;
    const workerData: FrontSettings = { host, port: this.port, allowedHosts, pageFolder, pulses: this.#pulses };
    // The entry stands beside this file in src/ and in dist/ alike.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`admin-thread.${extension}`, import.meta.url), {
      workerData,
      name: 'admin',
      resourceLimits: { maxOldGenerationSizeMb: ADMIN_HEAP_MAX_MIB, maxYoungGenerationSizeMb: 2 },
    });
    this.#worker = worker;
    worker.on('error', (fault) => log.error('the thread of the admin port failed', faultFields(fault)));
    return new Promise((resolve, reject) => {
      let listening = false;
      worker.on('message', (message: FrontMessage) => {
        this.#onMessage(worker, message);
        if (message.type === 'listening') {
          listening = true;
          resolve();
        }
        if (message.type !== 'listen_failed') return;
        reject(Object.assign(new Error(message.message), { code: message.code, port: this.port }));
        void worker.terminate();
      });
      worker.once('exit', () => {
        reject(new Error('the thread of the admin port ended before it listened'));
        this.#onExit(listening);
      });
    });
  }

  setPulses(pulses: readonly RelayPulse[]): void {
    this.#pulses = pulses;
    if (this.#worker !== undefined) send(this.#worker, { type: 'pulses', pulses });
  }

  async close(): Promise<void> {
    clearTimeout(this.#restartTimer);
    const worker = this.#worker;
    const closed = Promise.withResolvers<void>();
    const timer = setTimeout(() => closed.resolve(), FLUSH_MAX_MS);
    this.#closed = () => closed.resolve();
    if (worker === undefined) closed.resolve();
    else send(worker, { type: 'close' });
    await closed.promise;
    clearTimeout(timer);
    await worker?.terminate();
  }

  #onMessage(worker: Worker, message: FrontMessage): void {
    switch (message.type) {
      case 'listening':
        // A successor must come up where this one was.
        this.port = message.port;
        break;
      case 'ask':
        void this.#answer(worker, message);
        break;
      case 'live_ask': {
        const events = this.#liveEvents(message.wants);
        const buffers = Object.values(events).map((bytes: Uint8Array) => bytes.buffer as ArrayBuffer);
        worker.postMessage({ type: 'live', events } satisfies FrontCommand, buffers);
        break;
      }
      case 'closed':
        this.#closed?.();
        break;
      case 'listen_failed':
        break;
    }
  }

  async #answer(worker: Worker, { ask, asked }: FrontMessage & { type: 'ask' }): Promise<void> {
    const answer = await answerOf(this.#options.data, this.#options.log, asked);
    // Handed over, not copied: afterwards only the port's thread holds it.
    worker.postMessage({ type: 'answer', ask, answer } satisfies FrontCommand, [answer.body.buffer as ArrayBuffer]);
  }

  /** A fault of ours is told once: whoever watches would have it told twice a second. */
  #liveEvents(wants: LiveWants): LiveEvents {
    try {
      return this.#options.live.events(wants);
    } catch (fault) {
      if (!this.#liveFailed) this.#options.log.error('The live feed failed', faultFields(fault));
      this.#liveFailed = true;
      return {};
    }
  }

  /** A thread that served and died has a successor; what it was asked is lost, and asked again by whoever cares. */
  #onExit(served: boolean): void {
    this.#worker = undefined;
    this.#closed?.();
    if (!served && this.#restartTimer === undefined) return;
    if (this.#closed !== undefined) return;
    if (served) this.#options.log.error('the thread of the admin port died and is replaced');
    this.#restartTimer = setTimeout(() => {
      this.start().then(
        () => this.#failures.succeeded(),
        (fault: unknown) => this.#failures.failed(fault, 0, nowMs()),
      );
    }, ADMIN_RESTART_MS);
    this.#restartTimer.unref();
  }
}

function send(worker: Worker, command: FrontCommand): void {
  worker.postMessage(command);
}
