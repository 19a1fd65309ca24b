// Requests of engines as light as can be: nothing is parsed but where a request ends and which stream it asks for.
import type { Socket } from 'node:net';

/**
 * Tells the number behind `x-stream:` of each whole request that comes, one at a time, and its target; NaN when there
 * is none. It may stand in a field, or in the prompt where a gateway lets only that through.
 */
export function onStreamRequest(socket: Socket, take: (stream: number, target: string) => void): void {
  let pending = '';
  socket.on('data', (bytes: Buffer) => {
    pending += bytes.toString('latin1');
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(pending)?.[1] ?? 0);
    if (pending.length < headEnd + 4 + length) return;
    if (isChunked(pending.slice(0, headEnd + 2)) && !pending.endsWith('\r\n0\r\n\r\n')) return;
    const stream = Number(/\bx-stream: *(\d+)/i.exec(pending)?.[1]);
    const target = pending.split(' ', 2)[1] ?? '';
    pending = '';
    take(stream, target);
  });
}

function isChunked(head: string): boolean {
  return /\r\ntransfer-encoding: *chunked\r\n/i.test(head);
}
