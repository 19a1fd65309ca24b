// What a stored trace of one exchange must have, held against the exchange's record.
import { expect } from 'vitest';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { plainAttributes } from '../../support/otlp-catcher.ts';
import { CHAT_TARGET } from '../../support/script.ts';
import { GATEWAY_NAME } from './gateway.ts';
import type { Asked } from './path.ts';
import type { StoredSpan } from './query.ts';

/** SPAN_KIND_INTERNAL, _SERVER and _CLIENT of OTLP. */
const INTERNAL = 1;
export const SERVER = 2;
export const CLIENT = 3;
/** Gateway, SERVER, CLIENT, queue, prefill, decode, chunks, the engine's own. */
export const SPANS_COUNT = 8;
const COLUMNS = ['at_us', 'bytes', 'flush_us', 'gap_us', 'hold_us', 'kind'].map((name) => `rubato.chunk.${name}`);

/** The one span of a service with this kind or name. */
export function only(spans: readonly StoredSpan[], service: string, what: number | string): StoredSpan {
  const found = spans.filter((span) => span.service === service && (span.kind === what || span.name === what));
  expect(found, `spans of ${service} that are ${what}`).toHaveLength(1);
  return found[0] as StoredSpan;
}

/** Gateway → SERVER → CLIENT → engine, and the phases and chunks below the CLIENT. */
export function expectOneTrace(spans: readonly StoredSpan[], { entry: { record } }: Asked): void {
  expect(spans).toHaveLength(SPANS_COUNT);
  const first = only(spans, GATEWAY_NAME, SERVER);
  const server = only(spans, 'rubato', SERVER);
  const client = only(spans, 'rubato', CLIENT);
  expect(first.parentSpanId ?? '').toBe('');
  expect(server.parentSpanId).toBe(first.spanId);
  expect(client.parentSpanId).toBe(server.spanId);
  expect(only(spans, 'engine', SERVER).parentSpanId).toBe(client.spanId);
  for (const name of ['queue', 'prefill', 'decode', 'rubato.chunks']) {
    const { kind, parentSpanId } = only(spans, 'rubato', name);
    expect([name, kind, parentSpanId]).toEqual([name, INTERNAL, client.spanId]);
  }
  expect([server.name, client.name]).toEqual([`POST ${CHAT_TARGET}`, `chat ${record.request.model}`]);
  expect([server.spanId, client.spanId]).toEqual([record.trace?.serverSpanId, record.trace?.clientSpanId]);
}

/** Every column of the chunks is there as integers, and they are those of the record. */
export function expectChunks(spans: readonly StoredSpan[], record: StreamRecord, count: number): void {
  const { attributes = [] } = only(spans, 'rubato', 'rubato.chunks');
  const columns = attributes.filter(({ value }) => 'arrayValue' in value);
  expect(columns.map(({ key }) => key).sort()).toEqual(COLUMNS);
  for (const { key, value } of columns) {
    const { values = [] } = value['arrayValue'] as { values?: Record<string, unknown>[] };
    expect([key, values.length, values.every((each) => 'intValue' in each)]).toEqual([key, count, true]);
  }
  const stored = plainAttributes(attributes);
  expect(stored['rubato.chunk.bytes']).toEqual(record.chunks.bytes.slice(0, count));
  const { chunkCount } = record.response;
  expect([stored['rubato.chunk.count'], stored['rubato.chunk.listed_count']]).toEqual([chunkCount, count]);
  // Each moment is rounded to µs once, so the steps between them add up to the way from first to last.
  const { receivedAtNs } = record.chunks;
  const wayUs = ((receivedAtNs[count - 1] ?? NaN) - (receivedAtNs[0] ?? NaN)) / 1e3;
  const walkedUs = (stored['rubato.chunk.at_us'] as number[]).reduce((sum, each) => sum + each, 0);
  expect(Math.abs(walkedUs - wayUs)).toBeLessThanOrEqual(1);
}
