// Requests of engines as light as can be: nothing is parsed but where a request ends and which stream it asks for.
import type { Socket } from 'node:net';

/** Tells the number in the field `x-stream` of each whole request that comes, one at a time. */
export function onStreamRequest(socket: Socket, take: (stream: number) => void): void {
  let pending = '';
  socket.on('data', (bytes: Buffer) => {
    pending += bytes.toString('latin1');
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(pending)?.[1] ?? 0);
    if (pending.length < headEnd + 4 + length) return;
    const stream = Number(/\r\nx-stream: *(\d+)/i.exec(pending)?.[1]);
    pending = '';
    take(stream);
  });
}
