// Goal: Amazon event streams are read frame by frame; what is broken, lost or too large costs only itself.
// Method: frames written by the test and broken on purpose; exact messages, doubts and borders.
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AWS_SEEK_MAX_BYTES, EVENT_MAX_BYTES } from '../../../src/base/limits.ts';
import type { Framing } from '../../../src/stream/framing.ts';
import { awsEventStream } from '../../../src/stream/framings/aws-event-stream.ts';
import { eventFrame, exceptionFrame, frame } from '../../support/aws-frames.ts';
import { cutAt, inBytes } from './read-all.ts';

interface Seen {
  readonly messages: [text: string, name: string | undefined][];
  readonly doubts: string[];
  overflows: number;
  unreadable?: string;
}

function open(): { framing: Framing; seen: Seen } {
  const seen: Seen = { messages: [], doubts: [], overflows: 0 };
  const framing = awsEventStream.open({
    onMessage: (text, name) => seen.messages.push([text, name]),
    onComment: () => expect.unreachable('frames have no comments'),
    onOverflow: () => (seen.overflows += 1),
    onDoubt: (doubt) => seen.doubts.push(doubt),
    onUnreadable: (reason) => (seen.unreadable ??= reason),
  });
  return { framing, seen };
}

function readFrames(...pieces: readonly Uint8Array[]): Seen {
  const { framing, seen } = open();
  for (const piece of pieces) {
    const copy = Buffer.from(piece);
    framing.feed(copy);
    copy.fill(0xff);
  }
  framing.end();
  return seen;
}

/** A frame whose headers are these bytes. */
function withHeaders(headers: Uint8Array, payload: string): Buffer {
  const bytes = Buffer.alloc(16 + headers.length + payload.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(headers.length, 4);
  bytes.writeUInt32BE(zlib.crc32(bytes.subarray(0, 8)), 8);
  bytes.set(headers, 12);
  bytes.write(payload, 12 + headers.length);
  bytes.writeUInt32BE(zlib.crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

function damaged(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8((copy.at(at) ?? 0) ^ 1, at < 0 ? copy.length + at : at);
  return copy;
}

const a = eventFrame('a', '{"n":"ü"}');
const b = eventFrame('b', '{}');
const A = ['{"n":"ü"}', 'a'];
const B = ['{}', 'b'];

describe('Amazon event stream', () => {
  it('gives each frame with the read that ends it', () => {
    expect(readFrames(a, b).messages).toEqual([A, B]);
    expect(readFrames(Buffer.concat([a, b])).messages).toEqual([A, B]);
    expect(readFrames(...inBytes(Buffer.concat([a, b]))).messages).toEqual([A, B]);
    const { framing, seen } = open();
    framing.feed(a.subarray(0, -1));
    expect(seen.messages).toEqual([]);
    framing.feed(a.subarray(-1));
    expect(seen.messages).toEqual([A]);
  });

  it('reads a frame without headers and payload, and the example of the format', () => {
    expect(readFrames(withHeaders(new Uint8Array(), '')).messages).toEqual([['', undefined]]);
    // The empty message that AWS's own codecs are tested with.
    const published = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex');
    expect(readFrames(published).messages).toEqual([['', undefined]]);
  });

  it('finds the texts among headers of every type', () => {
    const name = (text: string) => Buffer.concat([Uint8Array.of(text.length), Buffer.from(text)]);
    const headers = Buffer.concat([
      ...[0, 1].map((type) => Buffer.concat([name('x'), Uint8Array.of(type)])),
      ...[2, 3, 4, 5].map((type) => Buffer.concat([name('y'), Uint8Array.of(type), Buffer.alloc(2 ** (type - 2))])),
      Buffer.concat([name('bytes'), Uint8Array.of(6, 0, 3, 1, 2, 3)]),
      Buffer.concat([name('time'), Uint8Array.of(8), Buffer.alloc(8)]),
      Buffer.concat([name('id'), Uint8Array.of(9), Buffer.alloc(16)]),
      Buffer.concat([name(':event-type'), Uint8Array.of(7, 0, 2), Buffer.from('ev')]),
    ]);
    expect(readFrames(withHeaders(headers, '{}')).messages).toEqual([['{}', 'ev']]);
  });

  it.each([
    ['a type that does not exist', [1, 0x78, 10, 0]],
    ['a value that is longer than all headers', [1, 0x78, 7, 0xff, 0xff, 1]],
    ['a length that is cut', [1, 0x78, 7, 0]],
    ['a name that is cut', [9, 0x78]],
  ])('leaves out a frame whose headers have %s', (_, headers) => {
    const seen = readFrames(a, withHeaders(Uint8Array.from(headers), '{}'), b);
    expect(seen.messages).toEqual([A, B]);
    expect(seen.doubts).toEqual(['parse_error']);
  });

  it('tells exceptions and errors by the names in their headers', () => {
    const error = frame({ ':message-type': 'error', ':error-code': 'Internal', ':error-message': 'm' }, '');
    const nameless = frame({ ':message-type': 'exception' }, '{}');
    const long = exceptionFrame('x'.repeat(1000), 'm');
    expect(readFrames(exceptionFrame('throttlingException', 'slow'), error, nameless, long).messages).toEqual([
      ['{"type":"throttlingException"}', 'error'],
      ['{"type":"Internal"}', 'error'],
      ['{"type":""}', 'error'],
      [`{"type":"${'x'.repeat(64)}"}`, 'error'],
    ]);
  });

  it('leaves out a frame with a wrong checksum and goes on behind it', () => {
    const seen = readFrames(damaged(a, -6), b);
    expect(seen.messages).toEqual([B]);
    expect(seen.doubts).toEqual(['parse_error']);
  });

  it('finds the next frame behind a prelude that is wrong, whatever was broken in it', () => {
    for (let at = 0; at < 12; at += 1) {
      const body = Buffer.concat([a, damaged(a, at), b]);
      for (const pieces of [[body], inBytes(body)]) {
        const seen = readFrames(...pieces);
        expect(seen.messages).toEqual([A, B]);
        expect(seen.doubts).toEqual(['parse_error']);
      }
    }
  });

  it('goes on at the next frame after a loss at any place', () => {
    const body = Buffer.concat([a, a, b]);
    for (let from = 0; from <= body.length; from += 1) {
      const { framing, seen } = open();
      framing.feed(body.subarray(0, from));
      framing.skip();
      framing.feed(body.subarray(Math.min(from + 3, body.length)));
      framing.end();
      // All frames that are whole before or behind the loss, and no doubt of the format's own.
      const whole = [a.length, 2 * a.length, body.length];
      const before = whole.filter((end) => end <= from).length;
      const behind = [0, a.length, 2 * a.length].filter((start) => start >= from + 3).length;
      expect(seen.messages.length, `lost at ${from}`).toBe(before + behind);
      expect(seen.doubts).toEqual([]);
    }
  });

  it('passes over a frame above the cap without holding it', () => {
    const large = eventFrame('large', JSON.stringify('x'.repeat(EVENT_MAX_BYTES)));
    const seen = readFrames(...cutAt(Buffer.concat([a, large, b]), [50, 70_000, 900_000]));
    expect(seen.messages).toEqual([A, B]);
    expect(seen.overflows).toBe(1);
    expect(seen.doubts).toEqual([]);
  });

  it('finds the next frame when bytes were lost within a frame above the cap', () => {
    const large = eventFrame('large', JSON.stringify('x'.repeat(EVENT_MAX_BYTES)));
    const { framing, seen } = open();
    framing.feed(large.subarray(0, 100_000));
    framing.skip();
    framing.feed(large.subarray(200_000));
    framing.feed(b);
    expect(seen.messages).toEqual([B]);
  });

  it('notes a body that ends inside a frame, and does not read what it cannot check', () => {
    for (const end of [1, 11, 12, a.length - 1]) {
      const seen = readFrames(b, a.subarray(0, end));
      expect(seen.messages).toEqual([B]);
      expect(seen.doubts).toEqual(['unterminated_tail']);
    }
    expect(readFrames(b).doubts).toEqual([]);
    expect(readFrames().doubts).toEqual([]);
  });

  it('gives up on bytes that are no frames at all', () => {
    for (const filling of ['data: {"choices":[]}\n\n', '\0', '\0\0\x01\0']) {
      const noise = Buffer.alloc(1024 * 1024, filling);
      const { framing, seen } = open();
      for (let fed = 0; fed <= AWS_SEEK_MAX_BYTES && seen.unreadable === undefined; fed += noise.length) {
        framing.feed(noise);
      }
      expect(seen).toEqual({ messages: [], doubts: ['parse_error'], overflows: 0, unreadable: 'framing' });
    }
  });
});
