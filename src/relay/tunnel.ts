// The client's side of an upgraded connection (WebSocket): bytes go to the engine as they come, with
// back-pressure. The engine's bytes come through the download like any body.
import type { Socket } from 'node:net';
import { guarded, type OnException } from './guarded.ts';

export class Tunnel {
  readonly #client: Socket;
  readonly #engine: Socket;
  readonly #pass: (bytes: Buffer) => void;
  byteCount = 0;

  constructor(client: Socket, engine: Socket, onException: OnException) {
    this.#client = client;
    this.#engine = engine;
    this.#pass = guarded(onException, (bytes: Buffer) => {
      this.byteCount += bytes.length;
      if (!engine.write(bytes)) client.pause();
    });
  }

  /** Begins; `first` are bytes that the client sent right behind its request head. */
  start(first: Buffer): void {
    if (first.length > 0) this.#pass(first);
    this.#client.on('data', this.#pass);
    this.#client.resume();
  }

  drain(): void {
    this.#client.resume();
  }

  /** Either side has closed: what is under way still leaves on both. */
  close(): void {
    this.stop();
    this.#engine.destroySoon();
    this.#client.destroySoon();
  }

  stop(): void {
    this.#client.off('data', this.#pass);
  }
}
