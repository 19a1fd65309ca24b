// Frames of Amazon's binary event stream: two lengths and their CRC, headers, payload, CRC of all.
// The layout is that of smithy.io's "Amazon Event Stream" specification. Knows no event.
import { crc32 } from 'node:zlib';

/** A header's value is text; that is type 7 of the specification. */
const TEXT_TYPE = 7;
const PRELUDE_BYTES = 8;
const CRC_BYTES = 4;

export function encodeFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(payload);
  const totalBytes = PRELUDE_BYTES + CRC_BYTES + head.length + body.length + CRC_BYTES;
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  prelude.writeUInt32BE(totalBytes, 0);
  prelude.writeUInt32BE(head.length, 4);
  const before = Buffer.concat([prelude, crcOf(prelude), head, body]);
  return Buffer.concat([before, crcOf(before)]);
}

function encodeHeader(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([TEXT_TYPE]),
    length,
    text,
  ]);
}

function crcOf(bytes: Uint8Array): Buffer {
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32BE(crc32(bytes));
  return crc;
}
