// What came out of the kernel together is one read: the pieces that Node's parser hands over within one turn of
// the loop, with the stamp of the first of them; later stamps would be fiction. Knows no request and no end.
import type { IncomingMessage } from 'node:http';

/** `stamp` is asked at the first piece of each read; `onRead` is told in the same turn, when all are there. */
export function gatherReads<Stamp>(
  response: IncomingMessage,
  stamp: () => Stamp,
  onRead: (stamp: Stamp, pieces: readonly Buffer[]) => void,
): void {
  let pieces: Buffer[] = [];
  let first: Stamp;
  const flush = (): void => {
    if (pieces.length === 0) return;
    const read = pieces;
    pieces = [];
    onRead(first, read);
  };
  response.on('data', (piece: Buffer) => {
    if (pieces.length === 0) {
      first = stamp();
      setImmediate(flush);
    }
    pieces.push(piece);
  });
  // The end can come in the same turn; it must not overtake the read before it.
  response.prependListener('end', flush);
  response.prependListener('close', flush);
}
