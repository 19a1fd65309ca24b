// HTTP/2 on the ports of HTTP/1.1: in clear text with prior knowledge (RFC 9113 §3.3), which the first bytes of a
// connection show, and by ALPN under TLS. Stands before the server, for which each stream is a connection. Loaded
// only where it is asked for.
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { OVERFLOW_WAIT_MS } from '../base/client-limits.ts';
import { CLIENT_HEAD_TIMEOUT_MS, CLIENT_KEEP_ALIVE_MS } from '../base/limits.ts';
import { H2Session } from './h2-session.ts';
import { StreamSocket } from './h2-stream.ts';
import type { Admission, Books, Http2Door, HttpServer, Taker } from './listener.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

type Accept = (socket: Socket) => void;

export class H2Door implements Http2Door {
  readonly #admission: Admission;
  readonly #cap: Books['cap'];
  readonly #sessions = new Set<H2Session>();
  /** Connections of which nobody knows yet what they speak. */
  readonly #unknown = new Set<Socket>();

  constructor(admission: Admission, { cap }: Books) {
    this.#admission = admission;
    this.#cap = cap;
  }

  stand(server: HttpServer, readyEvent: string, takers: readonly Taker[]): void {
    for (const taker of takers) server.off(readyEvent, taker);
    const accept: Accept = (socket) => {
      for (const taker of takers) taker.call(server, socket);
    };
    server.on(readyEvent, (socket: Socket) => {
      if (!(socket instanceof TLSSocket)) this.#look(socket, accept);
      else if (socket.alpnProtocol === 'h2') this.#serve(socket, accept);
      else accept(socket);
    });
  }

  carrierOf(socket: Socket): Socket {
    return socket instanceof StreamSocket ? socket.carrier : socket;
  }

  closeIdle(): void {
    for (const socket of this.#unknown) socket.destroy();
    for (const session of this.#sessions) session.close();
  }

  /** Waits for the first bytes, which for HTTP/1.1 are nearly always enough. */
  #look(socket: Socket, accept: Accept): void {
    const timer = setTimeout(() => socket.destroy(), CLIENT_HEAD_TIMEOUT_MS);
    timer.unref();
    let held: Buffer | undefined;
    const onData = (bytes: Buffer): void => {
      held = held === undefined ? bytes : Buffer.concat([held, bytes]);
      const isHttp2 = beginsHttp2(held);
      if (isHttp2 === undefined) return;
      leave();
      if (isHttp2) {
        // Node's HTTP/2 begins with what it finds in the socket.
        socket.pause();
        socket.unshift(held);
        return this.#serve(socket, accept);
      }
      accept(socket);
      // Its server listens by now, and is told as if the bytes came this moment: no other turn, no copy.
      socket.emit('data', held);
    };
    const onGone = (): void => {
      leave();
      socket.destroy();
    };
    const leave = (): void => {
      clearTimeout(timer);
      this.#unknown.delete(socket);
      socket.off('data', onData).off('end', onGone).off('error', onGone).off('close', onGone);
    };
    this.#unknown.add(socket);
    socket.on('data', onData).on('end', onGone).on('error', onGone).on('close', onGone);
  }

  #serve(socket: Socket, accept: Accept): void {
    const isOverflow = this.#cap.isOverflow(socket);
    const session = new H2Session({
      socket,
      isOverflow,
      // What is half of a head counts for nothing.
      firstMs: isOverflow ? OVERFLOW_WAIT_MS : CLIENT_HEAD_TIMEOUT_MS,
      restMs: isOverflow ? OVERFLOW_WAIT_MS : CLIENT_KEEP_ALIVE_MS,
      accept,
      onUnreadable: () => this.#admission.onUnreadable(),
      onMalformed: (broken) => this.#admission.onBroken(broken, 'unreadable'),
      onClosed: (closed) => {
        this.#sessions.delete(closed);
        if (isOverflow && !closed.wasAsked) this.#admission.onOverflow();
      },
    });
    this.#sessions.add(session);
  }
}

/** Undefined while there are too few bytes to know. */
export function beginsHttp2(bytes: Buffer): boolean | undefined {
  const count = Math.min(bytes.length, PREFACE.length);
  if (bytes.compare(PREFACE, 0, count, 0, count) !== 0) return false;
  return count === PREFACE.length ? true : undefined;
}
