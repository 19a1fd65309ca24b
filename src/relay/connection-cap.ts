// Holds the number of client connections below a limit. One that comes beyond it is kept for a moment, so
// that its first request can be answered with a refusal that says so; of a flood, connections beyond these
// are closed unanswered. Knows sockets, no requests.
import type { Socket } from 'node:net';
import { OVERFLOW_MAX_COUNT, OVERFLOW_MAX_RATIO, OVERFLOW_WAIT_MS } from '../base/client-limits.ts';

export interface ConnectionCapOptions {
  readonly maxCount: () => number;
  /** A connection over the limit was closed without having asked for anything. */
  readonly onUnanswered: () => void;
  /** Refuses a connection that does not ask, in words. */
  readonly refuse: (socket: Socket) => void;
}

export class ConnectionCap {
  readonly #options: ConnectionCapOptions;
  readonly #counted = new WeakSet<Socket>();
  readonly #overflow = new WeakMap<Socket, NodeJS.Timeout>();
  #count = 0;

  constructor(options: ConnectionCapOptions) {
    this.#options = options;
  }

  /** A connection came; before its TLS, where there is any. */
  add(socket: Socket): void {
    // The HTTP server is given some connections a second time.
    if (this.#counted.has(socket)) return;
    this.#counted.add(socket);
    this.#count += 1;
    socket.once('close', () => (this.#count -= 1));
    const maxCount = this.#options.maxCount();
    if (this.#count <= maxCount + Math.min(OVERFLOW_MAX_COUNT, Math.ceil(maxCount * OVERFLOW_MAX_RATIO))) return;
    this.#options.onUnanswered();
    socket.destroy();
  }

  /** The connection can carry requests now. */
  ready(socket: Socket): void {
    if (this.#count <= this.#options.maxCount() || socket.destroyed || this.#overflow.has(socket)) return;
    const timer = setTimeout(() => {
      this.#options.onUnanswered();
      this.#options.refuse(socket);
    }, OVERFLOW_WAIT_MS);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
    this.#overflow.set(socket, timer);
  }

  /** Asked for each request; what stays over the limit gets refusals only. */
  isOverflow(socket: Socket): boolean {
    const timer = this.#overflow.get(socket);
    clearTimeout(timer);
    return timer !== undefined;
  }
}
