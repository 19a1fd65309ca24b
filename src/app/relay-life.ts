// One life of one relay: its thread from boot to end, and what is said to it and by it. Knows nothing of
// tapes, of other relays or of what comes after it.
import { Worker } from 'node:worker_threads';
import { clockBase } from '../base/clock.ts';
import type { HostPort } from '../config/config.ts';
import type { TlsPair } from '../relay/listener-tls.ts';
import type {
  ListenAddress,
  LiveSettings,
  RelayBoot,
  RelayCommand,
  RelayMessage,
  RelaySettings,
} from '../relay/settings.ts';

export interface LifeOptions {
  /** The thread rehearses before it listens; it takes some 100 ms. */
  readonly warmUp: boolean;
  readonly nice: number | undefined;
  readonly onFault: (fault: unknown) => void;
}

export class RelayLife {
  readonly #worker: Worker;
  readonly #listening = Promise.withResolvers<readonly HostPort[]>();
  readonly #drained = Promise.withResolvers<number>();
  readonly #failed = Promise.withResolvers<string>();
  /** Told of changed settings, and not yet confirmed. */
  readonly #unconfirmed: (() => void)[] = [];
  /** Resolves when the thread has ended, by itself or not. */
  readonly ended: Promise<void>;

  constructor({ warmUp, nice, onFault }: LifeOptions) {
    // The entry stands beside this file's folder in src/ and in dist/ alike.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const workerData: RelayBoot = { warmUp, clockBaseSeconds: clockBase(), nice };
    this.#worker = new Worker(new URL(`../relay/thread.${extension}`, import.meta.url), { workerData, name: 'relay' });
    this.#worker.on('error', onFault);
    this.#worker.on('message', (message: RelayMessage) => this.#onMessage(message));
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#listening.reject(new Error('the relay ended before it listened'));
        this.#drained.resolve(0);
        resolve();
      });
    });
    // Of a spare that ends nobody asked whether it listens.
    this.#listening.promise.catch(() => undefined);
  }

  /**
   * Makes it a relay; resolves when it listens on all addresses, rejects with the system's error when it cannot,
   * which then names the `listener`.
   */
  listen(addresses: readonly ListenAddress[], settings: RelaySettings): Promise<readonly HostPort[]> {
    this.#send({ type: 'listen', addresses, settings });
    return this.#listening.promise;
  }

  /** Resolves when requests are admitted by the new settings, or the thread has ended. */
  configure(settings: LiveSettings): Promise<void> {
    const confirmed = new Promise<void>((resolve) => this.#unconfirmed.push(resolve));
    this.#send({ type: 'configure', settings });
    return Promise.race([confirmed, this.ended]);
  }

  /** New connections get this certificate. */
  replaceTls(pair: TlsPair): void {
    this.#send({ type: 'tls', pair });
  }

  /** The kernel says that a client has gone. */
  tellClientGone(exchange: number): void {
    this.#send({ type: 'client_gone', exchange });
  }

  /** Has open streams end within the limit; a second call moves it. */
  drain(withinMs: number): void {
    this.#send({ type: 'drain', withinMs });
  }

  /** Streams that had to be cut, once the drain is over. */
  get drained(): Promise<number> {
    return this.#drained.promise;
  }

  /** The reason, once a fault came that nobody caught. It listens no more then, and its streams come to their end. */
  get failed(): Promise<string> {
    return this.#failed.promise;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(command: RelayCommand): void {
    this.#worker.postMessage(command);
  }

  #onMessage(message: RelayMessage): void {
    switch (message.type) {
      case 'listening':
        return this.#listening.resolve(message.places);
      case 'listen_failed':
        return this.#listening.reject(
          Object.assign(new Error(message.message), { code: message.code, listener: message.listener }),
        );
      case 'failed':
        return this.#failed.resolve(message.reason);
      case 'configured':
        return this.#unconfirmed.shift()?.();
      case 'drained':
        return this.#drained.resolve(message.cutCount);
    }
  }
}
