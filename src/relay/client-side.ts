// The client's end of one exchange: notices when it goes, answers in place of the engine, and cuts
// a stream the way the engine's was cut. Decides nothing about the exchange.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ErrorCode } from '../base/error-codes.ts';
import type { Download } from './download.ts';
import { respond } from './synthetic.ts';

/** After a cut, how long bytes already written may take to leave before the socket is destroyed. */
const CUT_GRACE_MS = 1_000;

export interface ClientSideOptions {
  readonly socket: Socket;
  readonly res: ServerResponse;
  readonly download: Download;
  /** The client closed its connection, or its sending side. */
  readonly onGone: () => void;
  /** The last byte of the answer was handed to the kernel. */
  readonly onFinished: () => void;
}

export class ClientSide {
  readonly #options: ClientSideOptions;
  #cutTimer: NodeJS.Timeout | undefined;

  constructor(options: ClientSideOptions) {
    this.#options = options;
    // On the socket, not on request or response: while output is pending neither of these is told
    // that the client has gone.
    options.socket.on('end', options.onGone);
    options.socket.on('close', options.onGone);
    options.res.on('finish', options.onFinished);
  }

  detach(): void {
    const { socket, res, onGone, onFinished } = this.#options;
    clearTimeout(this.#cutTimer);
    socket.off('end', onGone);
    socket.off('close', onGone);
    res.off('finish', onFinished);
  }

  /** An answer of our own; false when the engine's head is out already. */
  answer(code: ErrorCode): boolean {
    return respond(this.#options.res, code);
  }

  /** Ends the connection in a way that no client takes for an end; what waits in it is dropped. */
  reset(): void {
    const { socket } = this.#options;
    // Node resets plain TCP only. Under TLS a close without its alert says the same (RFC 8446 §6.1).
    if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  }

  /** Ends the client's stream without a clean end, once what came before has left. */
  cut(): void {
    this.#cutTimer = setTimeout(() => this.#options.socket.destroy(), CUT_GRACE_MS);
    this.#cutTimer.unref();
    this.flushed();
  }

  /** Everything written has left: a cut that waited for it can be made. */
  flushed(): void {
    const { socket, download } = this.#options;
    if (this.#cutTimer === undefined || download.unflushedCount > 0) return;
    // Where the end of the connection is the end of the body, only a reset tells a cut from it.
    if (download.endsWithConnection) this.reset();
    else socket.destroySoon();
  }
}
