// Goal: spans are read alike from protobuf and JSON, whatever dialect of either; what is none is refused;
// no bytes whatever throw anything else, hold the thread, or make more of themselves than they are.
// Method: hand-written messages, and random and mutated ones (fast-check prints its seed).
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EngineSpan } from '../../../../src/evidence/engine-span.ts';
import { OTLP_JSON_READ_MAX_BYTES, OTLP_TEXT_MAX_CHARS } from '../../../../src/base/otlp-limits.ts';
import { MalformedError } from '../../../../src/observe/otlp/field-cursor.ts';
import { readSpans } from '../../../../src/observe/otlp/read-spans.ts';
import { JSON_TYPE, PROTOBUF_TYPE, type PayloadType } from '../../../../src/observe/otlp/signals.ts';
import { attribute, engineSpan, field, fixed64, id, number, protobufRequest, protobufSpan, TRACE } from './spans.ts';
import { fuzz } from '../../../support/fuzz.ts';

const FULL = engineSpan({
  parentSpanId: id('c'),
  startEpochNs: 1_800_000_000_123_456_789n,
  endEpochNs: 1_800_000_001_000_000_001n,
  serviceName: 'engine',
  attributes: {
    'gen_ai.latency.time_in_queue': 0.0125,
    'gen_ai.latency.time_to_first_token': -1,
    'gen_ai.request.id': 'chatcmpl-ü',
    queue_time: '12.3µs',
  },
});

async function read(type: PayloadType, bytes: Buffer): Promise<EngineSpan[]> {
  const spans: EngineSpan[] = [];
  await readSpans(type, bytes, (span) => spans.push(span));
  return spans;
}

const protobuf = (...spans: readonly Buffer[]): Promise<EngineSpan[]> => read(PROTOBUF_TYPE, protobufRequest(spans));

function json(value: unknown): Promise<EngineSpan[]> {
  return read(JSON_TYPE, Buffer.from(JSON.stringify(value)));
}

function jsonRequest(span: object): object {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'engine' } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: {}, spans: [span] }] }] };
}

const JSON_SPAN = {
  traceId: TRACE,
  spanId: id('1'),
  parentSpanId: id('c'),
  name: 'llm_request',
  kind: 2,
  startTimeUnixNano: '1800000000123456789',
  endTimeUnixNano: '1800000001000000001',
  attributes: [
    { key: 'gen_ai.latency.time_in_queue', value: { doubleValue: 0.0125 } },
    { key: 'gen_ai.latency.time_to_first_token', value: { intValue: '-1' } },
    { key: 'gen_ai.request.id', value: { stringValue: 'chatcmpl-ü' } },
    { key: 'queue_time', value: { stringValue: '12.3µs' } },
    { key: 'rid', value: { arrayValue: { values: [] } } },
    { key: 'prompt', value: { stringValue: 'secret' } },
  ],
};

describe('protobuf', () => {
  test('a span is read with what evidence needs, and nothing else of it is kept', async () => {
    const more = field(9, attribute('prompt', 'secret'));
    const list = field(9, field(1, 'rid'), field(2, field(5, field(1, field(1, 'x')))));
    const events = field(
      11,
      fixed64(1, () => 0),
    );
    expect(await protobuf(Buffer.concat([protobufSpan(FULL), more, list, events]))).toEqual([FULL]);
  });

  test('unknown fields of any wire type are passed over', async () => {
    const strange = Buffer.concat([number(99, 5), fixed64(98, () => 0), Buffer.from([0x6d, 1, 2, 3, 4])]);
    expect(await protobuf(Buffer.concat([strange, protobufSpan(FULL)]))).toEqual([FULL]);
  });

  test.each([
    ['a short trace id', { traceId: 'aa' }],
    ['an id of zeros', { spanId: id('0') }],
    ['an end before its start', { endEpochNs: 1n }],
    ['the name of a single step', { name: 'decode_loop' }],
  ])('%s makes no span, and spoils no other', async (_, change) => {
    expect(await protobuf(protobufSpan({ ...FULL, ...change }), protobufSpan(FULL))).toEqual([FULL]);
  });

  test('a root has no parent', async () => {
    const { parentSpanId: _, ...root } = FULL;
    expect(await protobuf(protobufSpan(root), protobufSpan({ ...root, parentSpanId: id('0') }))).toEqual([root, root]);
  });

  test('texts are cut', async () => {
    const long = { ...FULL, name: 'é'.repeat(2_000), attributes: { rid: 'r'.repeat(2_000) } };
    const [span] = await protobuf(protobufSpan(long));
    expect(span?.name).toBe('é'.repeat(OTLP_TEXT_MAX_CHARS));
    expect(span?.attributes['rid']).toBe('r'.repeat(OTLP_TEXT_MAX_CHARS));
  });

  test('a span of more fields than a span has is none', async () => {
    expect(
      await protobuf(Buffer.concat([...Array.from({ length: 5_000 }, () => number(6, 1)), protobufSpan(FULL)])),
    ).toEqual([]);
  });

  test.each([
    ['a field without its number', Buffer.from([10])],
    ['a field that ends behind the message', Buffer.from([10, 5, 1])],
    ['a group', Buffer.from([11])],
    ['the field number 0', Buffer.from([2, 0])],
    ['a number of eleven bytes', Buffer.from([8, ...Array.from({ length: 10 }, () => 255), 1])],
    ['a length of 2^63', Buffer.from([10, 255, 255, 255, 255, 255, 255, 255, 255, 127])],
    ['a fault deep inside', protobufRequest([Buffer.from([10, 200])])],
  ])('%s is refused', async (_, bytes) => {
    await expect(read(PROTOBUF_TYPE, bytes)).rejects.toBeInstanceOf(MalformedError);
  });

  test('nothing is a request without spans', async () => {
    expect(await read(PROTOBUF_TYPE, Buffer.alloc(0))).toEqual([]);
  });
});

describe('JSON', () => {
  test('a span is the same as in protobuf', async () => {
    expect(await json(jsonRequest(JSON_SPAN))).toEqual([FULL]);
  });

  test('ids may be upper case or base64, numbers may be numbers, names may be snake_case', async () => {
    const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
    const upper = { ...JSON_SPAN, traceId: TRACE.toUpperCase(), spanId: base64(id('1')), parentSpanId: id('c') };
    expect(await json(jsonRequest(upper))).toEqual([FULL]);
    const snake = {
      trace_id: base64(TRACE),
      span_id: id('1'),
      parent_span_id: base64(id('c')),
      name: 'x',
      start_time_unix_nano: 1_000,
      end_time_unix_nano: 2_000,
      attributes: [
        { key: 'rid', value: { string_value: 'r' } },
        { key: 'queue_time', value: { double_value: '0.5' } },
        { key: 'inference_time', value: { bool_value: true } },
      ],
    };
    const [span] = await json({ resource_spans: [{ scope_spans: [{ spans: [snake] }] }] });
    expect(span).toEqual(
      engineSpan({
        name: 'x',
        parentSpanId: id('c'),
        attributes: { rid: 'r', queue_time: 0.5, inference_time: true },
      }),
    );
  });

  test.each([
    ['no object', '[]'],
    ['no JSON', '{'],
    ['nothing', ''],
    ['null', 'null'],
  ])('%s is refused', async (_, text) => {
    await expect(read(JSON_TYPE, Buffer.from(text))).rejects.toBeInstanceOf(MalformedError);
  });

  test('wrong types anywhere make no span', async () => {
    const wrong = [null, 5, 'x', [], {}, { traceId: 5 }, { ...JSON_SPAN, traceId: 'zz' }];
    for (const span of wrong) expect(await json(jsonRequest(span as object))).toEqual([]);
    for (const part of [null, 5, {}, [null, 5, { scopeSpans: 5 }, { scopeSpans: [null, { spans: {} }] }]])
      expect(await json({ resourceSpans: part })).toEqual([]);
  });

  test('what would be too long to parse is not read', async () => {
    const bytes = Buffer.alloc(OTLP_JSON_READ_MAX_BYTES + 1, ' ');
    expect(await readSpans(JSON_TYPE, bytes, () => undefined)).toEqual({ spanCount: 0, cut: true });
  });
});

describe('whatever comes', () => {
  const fine = protobufRequest([protobufSpan(FULL), protobufSpan(FULL)]);

  async function endsWell(type: PayloadType, bytes: Buffer): Promise<void> {
    let spanCount = 0;
    try {
      await readSpans(type, bytes, (span) => {
        spanCount += 1;
        expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
      });
    } catch (fault) {
      expect(fault).toBeInstanceOf(MalformedError);
    }
    // The smallest span that counts has its ids and times.
    expect(spanCount * 40).toBeLessThanOrEqual(bytes.length);
  }

  test('random bytes never throw past the reader', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), (bytes) => endsWell(PROTOBUF_TYPE, Buffer.from(bytes))),
      fuzz(2_000),
    );
  });

  test('a good message with some bytes changed, or cut anywhere, never does', async () => {
    const change = fc.tuple(fc.nat({ max: fine.length - 1 }), fc.nat({ max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 6 }), fc.nat({ max: fine.length }), (changes, length) => {
        const bytes = Buffer.from(fine);
        for (const [at, value] of changes) bytes[at] = value;
        return endsWell(PROTOBUF_TYPE, bytes.subarray(0, length));
      }),
      fuzz(3_000),
    );
  });

  test('JSON of any shape never does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), (inner, outer) =>
        endsWell(
          JSON_TYPE,
          Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [inner, outer] }] }, outer] })),
        ),
      ),
      fuzz(500),
    );
  });

  test('millions of empty fields are given up, and others get their turn meanwhile', async () => {
    const bytes = Buffer.alloc(8 * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 2) bytes[at] = 10;
    let turns = 0;
    const other = setInterval(() => {
      turns += 1;
    }, 0);
    const reading = await readSpans(PROTOBUF_TYPE, bytes, () => undefined);
    clearInterval(other);
    expect(reading).toEqual({ spanCount: 0, cut: true });
    expect(turns).toBeGreaterThan(0);
  });
});
