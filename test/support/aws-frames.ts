// Writes frames of Amazon's event stream, for tests that have to make or to break them.
import zlib from 'node:zlib';

/** Headers by name; their values are texts, as all of Bedrock's are. */
export type FrameHeaders = Readonly<Record<string, string>>;

const TEXT_TYPE = 7;

/** One frame with both its CRCs. */
export function frame(headers: FrameHeaders, payload: string | Uint8Array): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(prelude.length + head.length + body.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(zlib.crc32(prelude.subarray(0, 8)), 8);
  const unsealed = Buffer.concat([prelude, head, body]);
  const seal = Buffer.alloc(4);
  seal.writeUInt32BE(zlib.crc32(unsealed), 0);
  return Buffer.concat([unsealed, seal]);
}

/** An event as Bedrock frames it; `text` is JSON. */
export function eventFrame(type: string, text: string): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  return frame(headers, text);
}

/** A modelled exception as Bedrock frames it. */
export function exceptionFrame(type: string, message: string): Buffer {
  const headers = { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' };
  return frame(headers, JSON.stringify({ message }));
}

/** A part of a model's own stream, which is JSON as well, as InvokeModelWithResponseStream wraps it. */
export function chunkFrame(text: string): Buffer {
  const bytes = Buffer.from(text).toString('base64');
  return eventFrame('chunk', JSON.stringify({ bytes, p: 'abcdefghijklmnopqrstuvwxyz'.slice(0, bytes.length % 26) }));
}

function header(name: string, value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length, 0);
  return Buffer.concat([Uint8Array.of(name.length), Buffer.from(name), Uint8Array.of(TEXT_TYPE), length, bytes]);
}
