// One watcher's connection once its stream of events has begun: writes what it is given, a slice at a time, knows how
// much waits for the reader, and cuts the connection when nothing is taken for too long. Knows no events.
import type { Socket } from 'node:net';
import { ADMIN_LINGER_MS, ADMIN_SLICE_BYTES, ADMIN_SLICE_TIMEOUT_MS } from '../../base/admin-limits.ts';
import { nowNs } from '../../base/clock.ts';

export class EventWriter {
  readonly #socket: Socket;
  /** What waits; the first piece is being taken. Pieces are shared by all watchers who get the same. */
  readonly #waiting: Uint8Array[] = [];
  /** Bytes of the first piece that were given to the kernel already. */
  #from = 0;
  #isWriting = false;
  #isEnding = false;
  #timer: NodeJS.Timeout | undefined;
  heldBytes = 0;
  /** The reader took something last. */
  movedAtNs = nowNs();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('close', () => this.#forget());
  }

  write(bytes: Uint8Array): void {
    if (this.#socket.destroyed || this.#isEnding) return;
    this.#waiting.push(bytes);
    this.heldBytes += bytes.length;
    this.#next();
  }

  /** What waits is still written, then the connection is closed cleanly. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#next();
  }

  #next(): void {
    if (this.#isWriting || this.#socket.destroyed) return;
    const [piece] = this.#waiting;
    if (piece === undefined) {
      if (this.#isEnding) this.#close();
      return;
    }
    const slice = piece.subarray(this.#from, this.#from + ADMIN_SLICE_BYTES);
    this.#isWriting = true;
    this.#limit(ADMIN_SLICE_TIMEOUT_MS);
    this.#socket.write(slice, (fault) => {
      this.#isWriting = false;
      clearTimeout(this.#timer);
      if (fault === undefined || fault === null) this.#taken(piece, slice.length);
    });
  }

  #taken(piece: Uint8Array, bytes: number): void {
    this.movedAtNs = nowNs();
    this.heldBytes -= bytes;
    this.#from += bytes;
    if (this.#from >= piece.length) {
      this.#waiting.shift();
      this.#from = 0;
    }
    this.#next();
  }

  #close(): void {
    this.#socket.end();
    this.#limit(ADMIN_LINGER_MS);
  }

  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket.destroy(), ms);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
    this.heldBytes = 0;
  }
}
