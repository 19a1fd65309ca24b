// Closing a client's connection so that the answer before it survives. A close with unread bytes is a
// reset, and a reset can take away an answer that the client has not read yet, above all while it is
// still sending (RFC 9112 §9.6). Knows sockets only.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LINGER_MS } from '../base/limits.ts';

/** Says that nothing more comes, then reads and drops what the client still sends, for a while. */
export function closeGently(socket: Socket): void {
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  });
  socket.resume();
}

/** Makes an answer the last one on its connection. */
export function closeAfter(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  res.shouldKeepAlive = false;
  const closeNow = (): void => closeGently(socket);
  // Node calls it when the answer is out. Made before it is assigned, see `clientGone` in exchange.ts.
  socket.destroySoon = closeNow;
}
