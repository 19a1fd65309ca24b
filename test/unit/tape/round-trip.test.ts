// Goal: every entry comes out of the tape as it went in, with and without its optional parts.
// Method: single entries with edge values, then random ones; the ring is small and drained each time, so
// entries also land on every place of it.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FRAMINGS, WIRE_ENDS } from '../../../src/base/outcome.ts';
import type { TraceIds } from '../../../src/tape/entries.ts';
import { createTape, MARK_KINDS } from '../../../src/tape/layout.ts';
import { TapeReader } from '../../../src/tape/reader.ts';
import { TapeWriter } from '../../../src/tape/writer.ts';
import { anyEntry, write } from './any-entry.ts';
import { chunkOf, endOf, handlerOf, pattern, type Told } from './tape-log.ts';
import { fuzz } from '../../support/fuzz.ts';

const RING_BYTES = 4_096;
const TRACE: TraceIds = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  parentSpanId: 'b7ad6b7169203331',
  serverSpanId: '00f067aa0ba902b7',
  clientSpanId: '53995c3f42cd8ad8',
  sampled: true,
};
const OPEN = {
  exchange: 7,
  openedAtNs: 123_456_789,
  openedErrorBoundNs: 0,
  epochMs: 1_796_000_000_000.25,
  routeIndex: 2,
  clientPort: 65_535,
  localPort: 1,
  clientAddress: '::ffff:127.0.0.1',
  method: 'POST',
  target: '/v1/chat/completions?x=1',
  fields: ['Host', 'a', 'host', ''],
  upgrade: false,
  http2: false,
  trace: TRACE,
} as const;

/** One ring for a whole test: what is written next lies behind what was read before. */
function createLoop(ringBytes = RING_BYTES): (use: (writer: TapeWriter) => void) => Told[] {
  const tape = createTape(ringBytes);
  const writer = new TapeWriter(tape);
  const reader = new TapeReader(tape);
  return (use) => {
    const told: Told[] = [];
    use(writer);
    reader.drain(
      handlerOf((one) => told.push(one)),
      100,
    );
    return told;
  };
}

describe('an opening', () => {
  const loop = createLoop();

  test.each([
    ['with trace and parent', OPEN],
    ['with a trace that begins here', { ...OPEN, trace: { ...TRACE, parentSpanId: undefined } }],
    ['with a trace that is not sampled', { ...OPEN, trace: { ...TRACE, sampled: false } }],
    ['without trace', { ...OPEN, trace: undefined }],
    ['of an upgrade', { ...OPEN, upgrade: true }],
    ['of a stream of HTTP/2', { ...OPEN, http2: true }],
    ['without fields', { ...OPEN, fields: [] }],
    ['with empty texts', { ...OPEN, clientAddress: '', method: '', target: '', fields: ['', ''] }],
    ['with the largest numbers', { ...OPEN, exchange: 0xffff_ffff, routeIndex: 0xffff_ffff, openedAtNs: 2 ** 53 - 1 }],
    ['with bytes above ASCII', { ...OPEN, target: '/\xe4\xff\x80', fields: ['x', '\xfc\xa0'] }],
  ])('%s', (_, entry) => {
    expect(loop((writer) => writer.open(entry))).toEqual([['open', entry]]);
  });
});

describe('a chunk', () => {
  const loop = createLoop();

  test.each([
    ['with bytes', chunkOf(0, pattern(10))],
    ['with one byte', chunkOf(1, pattern(1))],
    ['whose bytes were wanted but are none', chunkOf(2, new Uint8Array(0))],
    ['whose bytes were not wanted', { ...chunkOf(3, undefined), byteCount: 77 }],
    [
      'with the largest numbers',
      { ...chunkOf(0xffff_ffff, undefined), errorBoundNs: 0xffff_ffff, queuedBytes: 0xffff_ffff },
    ],
  ])('%s', (_, entry) => {
    expect(loop((writer) => writer.chunk(entry))).toEqual([['chunk', { ...entry, bytesOmitted: false }]]);
  });

  test('whose bound or queue is beyond 32 bits has the largest that fits', () => {
    const told = loop((writer) =>
      writer.chunk({ ...chunkOf(0, undefined), errorBoundNs: 2 ** 32, queuedBytes: 2 ** 40 }),
    );
    expect(told).toMatchObject([['chunk', { errorBoundNs: 0xffff_ffff, queuedBytes: 0xffff_ffff }]]);
  });

  test('larger than any read so far has its bytes, and so has a small one after it', () => {
    const large = createLoop(2 ** 19);
    for (const length of [64 * 1024, 64 * 1024 + 1, 100_000, 3]) {
      const entry = chunkOf(0, pattern(length));
      expect(large((writer) => writer.chunk(entry))).toEqual([['chunk', { ...entry, bytesOmitted: false }]]);
    }
  });

  test('lends its bytes for the call only', () => {
    const kept: Uint8Array[] = [];
    const tape = createTape(RING_BYTES);
    const writer = new TapeWriter(tape);
    const reader = new TapeReader(tape);
    writer.chunk(chunkOf(0, pattern(8)));
    writer.chunk(chunkOf(1, new Uint8Array(8)));
    reader.drain({ ...handlerOf(() => undefined), onChunk: ({ bytes }) => kept.push(bytes as Uint8Array) }, 2);
    expect([...(kept[0] as Uint8Array)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});

test('bytes of a request are the receiver’s to keep', () => {
  const loop = createLoop();
  const [told] = loop((writer) => writer.requestBytes(1, 5, pattern(64)));
  for (let i = 0; i < 100; i += 1) loop((writer) => writer.requestBytes(1, 5, new Uint8Array(64)));
  expect(told).toEqual(['requestBytes', { exchange: 1, offset: 5, bytes: pattern(64) }]);
});

test('every mark, framing and end has its name', () => {
  const loop = createLoop();
  for (const kind of MARK_KINDS) {
    expect(loop((writer) => writer.mark(3, kind, 55, 100))).toEqual([
      ['mark', { exchange: 3, kind, atNs: 55, value: 100 }],
    ]);
  }
  for (const framing of FRAMINGS) {
    const head = { exchange: 3, receivedAtNs: 9, status: 599, framing, fields: ['a', 'b'] };
    expect(loop((writer) => writer.head(head))).toEqual([['head', head]]);
  }
  for (const wireEnd of WIRE_ENDS) {
    const end = { ...endOf(3, 'ECONNRESET'), wireEnd, answeredByUs: true };
    expect(loop((writer) => writer.end(end))).toEqual([['end', end]]);
  }
});

test('a mark without value has 0', () => {
  expect(createLoop()((writer) => writer.mark(1, 'requestSent', 4))).toEqual([
    ['mark', { exchange: 1, kind: 'requestSent', atNs: 4, value: 0 }],
  ]);
});

test('a part of a connection that was not measured stays unknown, one of 0 ns is known', () => {
  const loop = createLoop();
  const none = { dnsNs: undefined, tcpNs: undefined, tlsNs: undefined, wireFloorNs: undefined };
  for (const known of [
    {},
    { dnsNs: 0 },
    { tcpNs: 1 },
    { tlsNs: 2 },
    { wireFloorNs: 0 },
    { dnsNs: 1, tcpNs: 2, tlsNs: 3, wireFloorNs: 4 },
  ]) {
    for (const reused of [true, false]) {
      const entry = { exchange: 1, atNs: 5, reused, ...none, ...known };
      expect(loop((writer) => writer.connected(entry))).toEqual([['connected', entry]]);
    }
  }
});

test('a head of the largest size is whole, one field more is left out', () => {
  const loop = createLoop(2 ** 18);
  const size = 64 * 1024 - 3;
  const whole = {
    exchange: 1,
    receivedAtNs: 1,
    status: 200,
    framing: 'none' as const,
    fields: ['x', 'v'.repeat(size)],
  };
  expect(loop((writer) => writer.head(whole))).toEqual([['head', whole]]);
  const cut = { ...whole, fields: [...whole.fields, '', ''] };
  expect(loop((writer) => writer.head(cut))).toEqual([['head', whole]]);
  const long = { ...OPEN, target: '/'.repeat(70_000), fields: ['a', 'b', ...whole.fields] };
  expect(loop((writer) => writer.open(long))).toEqual([
    ['open', { ...long, target: '/'.repeat(65_536), fields: ['a', 'b'] }],
  ]);
});

test('a reason longer than 64 characters is cut', () => {
  expect(createLoop()((writer) => writer.end(endOf(1, 'r'.repeat(65))))).toEqual([['end', endOf(1, 'r'.repeat(64))]]);
});

test('random entries come out as they went in', () => {
  const loop = createLoop();
  fc.assert(
    fc.property(anyEntry, (entry) => {
      expect(loop((writer) => write(writer, entry))).toEqual([entry]);
    }),
    fuzz(3_000),
  );
});
