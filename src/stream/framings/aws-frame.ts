// One frame of an Amazon event stream, decoded: what it is by its headers, and its payload. Knows the
// layout of a frame and nothing of how frames follow each other.
//
//   total length u32 │ headers length u32 │ CRC of these u32 │ headers │ payload │ CRC of all before u32
//   header: name length u8 │ name │ type u8 │ value, its length by the type     (big-endian throughout)
import zlib from 'node:zlib';

/** Both lengths and their CRC. */
export const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
export const FRAME_MIN_BYTES = PRELUDE_BYTES + CRC_BYTES;

/** AWS's own C library refuses larger headers (aws-c-event-stream, `event_stream.h`). */
const HEADERS_MAX_BYTES = 128 * 1024;

/** Bytes of a value by the number of its type; those of types 6 and 7 state their length themselves. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const STATED_LENGTH_BYTES = 2;
const TEXT_TYPE = 7;

export interface Prelude {
  readonly totalBytes: number;
  readonly headersBytes: number;
}

/** Undefined when these bytes are no prelude of a frame of at most so many bytes. */
export function readPrelude(bytes: Buffer, maxBytes: number): Prelude | undefined {
  const totalBytes = bytes.readUInt32BE(0);
  const headersBytes = bytes.readUInt32BE(4);
  // Lengths first: they are cheap to look at and rule out nearly all that is no prelude.
  if (totalBytes < FRAME_MIN_BYTES || totalBytes > maxBytes || headersBytes > HEADERS_MAX_BYTES) return undefined;
  if (headersBytes > totalBytes - FRAME_MIN_BYTES) return undefined;
  return zlib.crc32(bytes.subarray(0, 8)) === bytes.readUInt32BE(8) ? { totalBytes, headersBytes } : undefined;
}

/** What a frame says of itself. */
export interface FrameFacts {
  /** `event` for all that is well. */
  readonly messageType: string | undefined;
  readonly eventType: string | undefined;
  /** Name of what went wrong, for a frame that is no event. */
  readonly faultType: string | undefined;
  readonly payload: Buffer;
}

/** Undefined when the frame's CRC or its headers are wrong. */
export function readFrame(frame: Buffer, headersBytes: number): FrameFacts | undefined {
  const bodyEnd = frame.length - CRC_BYTES;
  if (zlib.crc32(frame.subarray(0, bodyEnd)) !== frame.readUInt32BE(bodyEnd)) return undefined;
  const payloadStart = PRELUDE_BYTES + headersBytes;
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, payloadStart));
  if (headers === undefined) return undefined;
  return {
    messageType: headers.get(':message-type'),
    eventType: headers.get(':event-type'),
    faultType: headers.get(':exception-type') ?? headers.get(':error-code'),
    payload: frame.subarray(payloadStart, bodyEnd),
  };
}

/** The headers that are texts; undefined when they do not fit into their bytes. */
function readHeaders(bytes: Buffer): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    let valueStart = nameEnd + 1;
    let valueBytes: number | undefined = VALUE_BYTES[type ?? VALUE_BYTES.length];
    if (valueBytes === undefined) {
      if (type === undefined || type >= VALUE_BYTES.length || valueStart + STATED_LENGTH_BYTES > bytes.length) {
        return undefined;
      }
      valueBytes = bytes.readUInt16BE(valueStart);
      valueStart += STATED_LENGTH_BYTES;
    }
    const valueEnd = valueStart + valueBytes;
    if (valueEnd > bytes.length) return undefined;
    if (type === TEXT_TYPE)
      headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd));
    at = valueEnd;
  }
  return headers;
}
