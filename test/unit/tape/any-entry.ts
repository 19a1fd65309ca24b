// Random entries of every kind, and how each is written.
import * as fc from 'fast-check';
import { FRAMINGS, WIRE_ENDS } from '../../../src/base/outcome.ts';
import { MARK_KINDS, PAUSE_CAUSES } from '../../../src/tape/layout.ts';
import type { TapeWriter } from '../../../src/tape/writer.ts';
import type { Told } from './tape-log.ts';

const text = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const atNs = fc.maxSafeInteger().map((value) => Math.abs(value));
const optionalNs = fc.option(atNs, { nil: undefined });
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const fields = fc.array(fc.tuple(text, text), { maxLength: 6 }).map((pairs) => pairs.flat());
const trace = fc.record({
  traceId: hex(32),
  parentSpanId: fc.option(hex(16), { nil: undefined }),
  serverSpanId: hex(16),
  clientSpanId: hex(16),
  sampled: fc.boolean(),
});
const bytes = fc.uint8Array({ maxLength: 300 });
/** Any entry that a relay can write, small enough for the smallest ring. */
export const anyEntry: fc.Arbitrary<Told> = fc.oneof(
  fc
    .record({
      exchange: u32,
      openedAtNs: atNs,
      openedErrorBoundNs: u32,
      epochMs: fc.double({ noNaN: true }),
      routeIndex: u32,
      clientPort: u32,
      localPort: u32,
      clientAddress: text,
      method: text,
      target: text,
      fields,
      upgrade: fc.boolean(),
      http2: fc.boolean(),
      trace: fc.option(trace, { nil: undefined }),
    })
    .map((entry) => ['open', entry] as const),
  fc.record({ exchange: u32, offset: atNs, bytes }).map((entry) => ['requestBytes', entry] as const),
  fc
    .record({ exchange: u32, kind: fc.constantFrom(...MARK_KINDS), atNs, value: atNs })
    .map((entry) => ['mark', entry] as const),
  fc
    .record({
      exchange: u32,
      atNs,
      reused: fc.boolean(),
      dnsNs: optionalNs,
      tcpNs: optionalNs,
      tlsNs: optionalNs,
      wireFloorNs: optionalNs,
    })
    .map((entry) => ['connected', entry] as const),
  fc
    .record({
      exchange: u32,
      receivedAtNs: atNs,
      status: fc.integer({ min: 0, max: 999 }),
      framing: fc.constantFrom(...FRAMINGS),
      fields,
    })
    .map((entry) => ['head', entry] as const),
  fc
    .record({
      exchange: u32,
      seq: u32,
      receivedAtNs: atNs,
      writtenAtNs: atNs,
      errorBoundNs: u32,
      byteCount: u32,
      queuedBytes: u32,
      bytes: fc.option(bytes, { nil: undefined }),
      bytesOmitted: fc.constant(false),
    })
    .map((entry) => ['chunk', entry] as const),
  fc.record({ exchange: u32, seq: u32, atNs }).map((entry) => ['flush', entry] as const),
  fc
    .record({
      exchange: u32,
      atNs,
      wireEnd: fc.constantFrom(...WIRE_ENDS),
      reason: text,
      answeredByUs: fc.boolean(),
      chunkCount: atNs,
      receivedBytes: atNs,
      deliveredBytes: atNs,
      requestBytes: atNs,
    })
    .map((entry) => ['end', entry] as const),
  fc
    .record({ startAtNs: atNs, endAtNs: atNs, cause: fc.constantFrom(...PAUSE_CAUSES) })
    .map((entry) => ['pause', entry] as const),
);

/** Writes an entry with the call that is made for it. */
export function write(writer: TapeWriter, [kind, entry]: Told): void {
  switch (kind) {
    case 'requestBytes':
      return writer.requestBytes(entry.exchange, entry.offset, entry.bytes);
    case 'mark':
      return writer.mark(entry.exchange, entry.kind, entry.atNs, entry.value);
    case 'flush':
      return writer.flush(entry.exchange, entry.seq, entry.atNs);
    case 'pause':
      return writer.pause(entry.startAtNs, entry.endAtNs, entry.cause);
    case 'open':
      return writer.open(entry);
    case 'connected':
      return writer.connected(entry);
    case 'head':
      return writer.head(entry);
    case 'chunk':
      return writer.chunk(entry);
    case 'end':
      return writer.end(entry);
  }
}
