// A limit on a peer that takes none of the bytes that wait for it. It counts looks, not time: when this
// process was stopped or starved itself, that is one look, however long it took. Off unless configured.
import type { Socket } from 'node:net';

/** Looks in a row without progress that make a stall; so many fit into the limit. */
const LOOKS = 8;
/** Node's own name for what it keeps of libuv; without it progress shows by whole writes. */
export const HANDLE = '_handle';

export interface StallGuardOptions {
  readonly socket: Socket;
  readonly limitMs: number;
  /** Nothing is expected of the peer now: what waits, waits for us. */
  readonly isHeldByUs: () => boolean;
  readonly onStall: () => void;
}

export class StallGuard {
  readonly #options: StallGuardOptions;
  readonly #timer: NodeJS.Timeout;
  #lastLook: NodeJS.Immediate | undefined;
  #stillCount = 0;
  /** Bytes of all writes that are over, and bytes of the present one that are left. */
  #doneBytes = -1;
  #leftBytes = -1;

  constructor(options: StallGuardOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.limitMs / LOOKS);
  }

  stop(): void {
    clearInterval(this.#timer);
    clearImmediate(this.#lastLook);
  }

  #look(): void {
    if (this.#moved()) this.#stillCount = 0;
    else this.#stillCount += 1;
    if (this.#stillCount < LOOKS) return;
    // What the kernel has room for by now is only given to it when the loop turns to its sockets.
    this.#lastLook = setImmediate(() => {
      if (this.#moved()) {
        this.#stillCount = 0;
        return;
      }
      this.stop();
      this.#options.onStall();
    });
  }

  /** Something was taken since the last look, or nothing waits for the peer. */
  #moved(): boolean {
    const { socket, isHeldByUs } = this.#options;
    const doneBytes = socket.bytesWritten - socket.writableLength;
    const leftBytes = leftBytesOf(socket);
    const moved = doneBytes !== this.#doneBytes || leftBytes !== this.#leftBytes;
    this.#doneBytes = doneBytes;
    this.#leftBytes = leftBytes;
    return moved || socket.writableLength === 0 || isHeldByUs();
  }
}

/**
 * What is left of the write under way: Node tells of writes as wholes only, and one can be 64 KiB. Of a socket libuv
 * knows it, a stream of HTTP/2 says it.
 */
function leftBytesOf(socket: Socket): number {
  const { [HANDLE]: handle, leftBytes } = socket as {
    readonly [HANDLE]?: { readonly writeQueueSize?: number } | null;
    readonly leftBytes?: number;
  };
  return leftBytes ?? handle?.writeQueueSize ?? 0;
}
