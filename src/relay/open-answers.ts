// How many answers each client connection still waits for. While there is one, nothing else may be
// written on that connection: no answer to what follows, and no switch of protocols.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class OpenAnswers {
  readonly #counts = new WeakMap<Socket, number>();

  countOf(socket: Socket): number {
    return this.#counts.get(socket) ?? 0;
  }

  add(socket: Socket, res: ServerResponse): void {
    this.#counts.set(socket, this.countOf(socket) + 1);
    // Told once.
    res.on('close', () => this.#counts.set(socket, this.countOf(socket) - 1));
  }
}
