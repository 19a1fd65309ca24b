// Engine spans, and exchanges for which they may have been made, in few words; and spans written as
// protobuf by hand, which shares no code with what reads it.
import type { EngineSpan } from '../../../../src/evidence/engine-span.ts';
import type { EndedExchange } from '../../../../src/observe/late-evidence.ts';
import { endedExchange } from '../../../support/ended-exchange.ts';

export const TRACE = 'a'.repeat(32);

/** A span id of one letter. */
export function id(letter: string): string {
  return letter.repeat(16);
}

export function engineSpan(parts: Partial<EngineSpan> = {}): EngineSpan {
  return {
    traceId: TRACE,
    spanId: id('1'),
    name: 'llm_request',
    startEpochNs: 1_000n,
    endEpochNs: 2_000n,
    attributes: {},
    ...parts,
  };
}

export const TIMES = {
  'gen_ai.latency.time_in_queue': 0.01,
  'gen_ai.latency.time_in_model_prefill': 0.02,
} as const;

export function ended(parts: Partial<EndedExchange> = {}): EndedExchange {
  const known = { traceId: TRACE, clientSpanId: id('c'), subject: { firstTokenAtNs: 1e8, lastTokenAtNs: 9e8 } };
  return { ...endedExchange(known), ...parts };
}

export type Plain = string | number | boolean;

function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

/** Embedded bytes: text, or messages one after the other. */
export function field(fieldNumber: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const value = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return Buffer.concat([Buffer.from([...varint(fieldNumber * 8 + 2), ...varint(value.length)]), value]);
}

export function number(fieldNumber: number, value: number | bigint): Buffer {
  return Buffer.from([...varint(fieldNumber * 8), ...varint(value)]);
}

export function fixed64(fieldNumber: number, write: (bytes: Buffer) => unknown): Buffer {
  const bytes = Buffer.alloc(8);
  write(bytes);
  return Buffer.concat([Buffer.from(varint(fieldNumber * 8 + 1)), bytes]);
}

export function attribute(key: string, value: Plain): Buffer {
  return Buffer.concat([field(1, key), field(2, anyValue(value))]);
}

function anyValue(value: Plain): Buffer {
  if (typeof value === 'string') return field(1, value);
  if (typeof value === 'boolean') return number(2, value ? 1 : 0);
  return Number.isInteger(value) ? number(3, value) : fixed64(4, (bytes) => bytes.writeDoubleLE(value));
}

export function protobufSpan(span: EngineSpan): Buffer {
  return Buffer.concat([
    field(1, Buffer.from(span.traceId, 'hex')),
    field(2, Buffer.from(span.spanId, 'hex')),
    field(4, Buffer.from(span.parentSpanId ?? '', 'hex')),
    field(5, span.name),
    number(6, 2),
    fixed64(7, (bytes) => bytes.writeBigUInt64LE(span.startEpochNs)),
    fixed64(8, (bytes) => bytes.writeBigUInt64LE(span.endEpochNs)),
    ...Object.entries(span.attributes).map(([key, value]) => field(9, attribute(key, value))),
  ]);
}

/** A whole request of one resource. */
export function protobufRequest(spans: readonly Buffer[], serviceName = 'engine'): Buffer {
  const resource = field(1, field(1, attribute('service.name', serviceName)));
  return field(1, resource, field(2, ...spans.map((span) => field(2, span))));
}
