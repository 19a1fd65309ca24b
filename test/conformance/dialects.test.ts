// Goal: every vector gives the same events and facts for every way of cutting its bytes, plain and
// compressed. Method: cut at each offset, byte by byte, merged, and at random (fast-check prints its
// seed when it fails); expected values stand beside the vectors.
import zlib from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadVectors, type Vector } from '../support/vectors.ts';
import { cutAt, inBytes, readAll, type Told } from '../unit/stream/read-all.ts';
import { fuzz } from '../support/fuzz.ts';

/** What was told, without which piece completed what: that differs by the cut, and nothing else may. */
function read(vector: Vector, pieces: readonly Uint8Array[], encoding?: string): Omit<Told, 'pieces'> {
  const head = encoding === undefined ? vector.head : { ...vector.head, encoding };
  const { pieces: _, ...told } = readAll(pieces, { head, hints: vector.hints });
  return told;
}

const CODINGS: [string, (body: Buffer) => Buffer][] = [
  ['gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zlib.zstdCompressSync],
];

describe.each(loadVectors().map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
  it('reads as expected in one piece', () => {
    expect(read(vector, [vector.body])).toEqual(vector.expected);
  });

  it('reads the same cut at every offset', () => {
    const expected = JSON.stringify(read(vector, [vector.body]));
    for (let offset = 1; offset < vector.body.length; offset += 1) {
      const told = JSON.stringify(read(vector, cutAt(vector.body, [offset])));
      expect(told, `cut at ${offset}`).toBe(expected);
    }
  });

  it('reads the same byte by byte, and with empty pieces between', () => {
    const empty = new Uint8Array();
    expect(read(vector, inBytes(vector.body))).toEqual(vector.expected);
    expect(read(vector, [empty, ...inBytes(vector.body).flatMap((byte) => [byte, empty])])).toEqual(vector.expected);
  });

  it('reads the same event by event, as engines send it', () => {
    // Bytes as characters, so that those of any framing come back as they were.
    const pieces = vector.body.toString('latin1').split(/(?<=\n\n)/);
    expect(
      read(
        vector,
        pieces.map((piece) => Buffer.from(piece, 'latin1')),
      ),
    ).toEqual(vector.expected);
  });

  it('reads the same cut at random', () => {
    const offsets = fc.array(fc.nat(vector.body.length), { maxLength: 12 });
    fc.assert(
      fc.property(offsets, (cuts) => {
        expect(read(vector, cutAt(vector.body, cuts))).toEqual(vector.expected);
      }),
      fuzz(30),
    );
  });

  it.each(CODINGS)('reads the same through %s', (encoding, pack) => {
    const packed = pack(vector.body);
    expect(read(vector, [packed], encoding)).toEqual(vector.expected);
    expect(read(vector, inBytes(packed), encoding)).toEqual(vector.expected);
  });
});
