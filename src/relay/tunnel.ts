// The client's side of an upgraded connection (WebSocket): bytes go to the engine as they come, with
// back-pressure. The engine's bytes come through the download like any body.
import type { Socket } from 'node:net';

export class Tunnel {
  readonly #client: Socket;
  readonly #engine: Socket;
  byteCount = 0;

  constructor(client: Socket, engine: Socket) {
    this.#client = client;
    this.#engine = engine;
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

  readonly #pass = (bytes: Buffer): void => {
    this.byteCount += bytes.length;
    if (!this.#engine.write(bytes)) this.#client.pause();
  };
}
