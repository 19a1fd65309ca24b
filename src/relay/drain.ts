// Lets a relay's open exchanges come to their end within a limit, and cuts the rest. Heads that clients
// have only half sent are answered meanwhile, and idle connections closed as they become idle.
import net from 'node:net';
import { HALF_HEAD_DRAIN_MS } from '../base/limits.ts';
import type { Relay } from './relay.ts';
import type { RelayServer } from './server.ts';

const SWEEP_MS = 50;
/** After the last exchange: time for the ends of its connections to leave. */
const LAST_WORDS_MS = 10;
const TIMER_MAX_MS = 2 ** 31 - 1;

export class Drain {
  readonly #relay: Relay;
  readonly #server: RelayServer;
  readonly #onDrained: (cutCount: number) => void;
  #sweep: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;
  #cutCount = 0;
  #over = false;

  /** `onDrained` is told once, with the number of streams that had to be cut. */
  constructor(relay: Relay, server: RelayServer, onDrained: (cutCount: number) => void) {
    this.#relay = relay;
    this.#server = server;
    this.#onDrained = onDrained;
  }

  /** Begins, or moves the limit when it has begun already. */
  start(withinMs: number): void {
    if (this.#over) return;
    if (this.#sweep === undefined) this.#begin();
    clearTimeout(this.#limit);
    this.#limit = setTimeout(
      () => {
        this.#cutCount += this.#relay.cutAll();
        this.#look();
      },
      Math.min(withinMs, TIMER_MAX_MS),
    );
    this.#look();
  }

  #begin(): void {
    this.#relay.startDrain(() => this.#look());
    for (const server of this.#server.servers) {
      // Not `close` of the HTTP server: it also ends Node's watch over heads that never become whole.
      net.Server.prototype.close.call(server);
      server.headersTimeout = HALF_HEAD_DRAIN_MS;
    }
    this.#server.closeIdle();
    // Again and again: a connection that is busy now is idle later.
    this.#sweep = setInterval(() => this.#server.closeIdle(), SWEEP_MS);
  }

  #look(): void {
    if (this.#relay.openCount > 0 || this.#over) return;
    this.#over = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#limit);
    setTimeout(() => {
      this.#server.closeIdle();
      this.#relay.close();
      this.#onDrained(this.#cutCount);
    }, LAST_WORDS_MS);
  }
}
