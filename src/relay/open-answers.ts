// How many answers each client connection still waits for. While there is one, nothing else may be
// written on that connection: no answer to what follows, and no switch of protocols.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class OpenAnswers {
  readonly #counts = new WeakMap<Socket, number>();
  readonly #open = new Set<ServerResponse>();

  countOf(socket: Socket): number {
    return this.#counts.get(socket) ?? 0;
  }

  add(socket: Socket, res: ServerResponse): void {
    this.#counts.set(socket, this.countOf(socket) + 1);
    this.#open.add(res);
    // Told once.
    res.on('close', () => {
      this.#counts.set(socket, this.countOf(socket) - 1);
      this.#open.delete(res);
    });
  }

  /** An answer is over whose last bytes wait for their client. Looks at all of them. */
  get isOneLeaving(): boolean {
    for (const res of this.#open) if (res.writableEnded && !res.writableFinished) return true;
    return false;
  }
}
