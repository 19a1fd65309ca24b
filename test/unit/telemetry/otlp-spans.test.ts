// Goal: spans become the bytes that OpenTelemetry's own serialiser makes of them, whatever is in them. Method: both
// serialisers get the same spans; drawn ones, and those at which a length or a number takes another byte.
import { createTraceState, SpanKind, SpanStatusCode, type Attributes, type SpanContext } from '@opentelemetry/api';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSpanBytes } from '../../../src/telemetry/otlp-spans.ts';
import { fuzz } from '../../support/fuzz.ts';

const CONTEXT: SpanContext = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
const RESOURCE = resourceFromAttributes({ 'service.name': 'rubato' });
const SCOPE = { name: 'rubato', version: '1.2.3' };

function spanOf(own: Partial<ReadableSpan>): ReadableSpan {
  return {
    name: 'chat m',
    kind: SpanKind.CLIENT,
    spanContext: () => CONTEXT,
    startTime: [1_700_000_000, 1],
    endTime: [1_700_000_001, 999_999_999],
    status: { code: SpanStatusCode.UNSET },
    attributes: {},
    links: [],
    events: [],
    duration: [1, 999_999_998],
    ended: true,
    resource: RESOURCE,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...own,
  };
}

function sdkBytes(spans: readonly ReadableSpan[]): Buffer {
  return Buffer.from(ProtobufTraceSerializer.serializeRequest([...spans]) ?? []);
}

const bytesOf = createSpanBytes();

function expectSame(spans: readonly ReadableSpan[]): void {
  expect(Buffer.from(bytesOf(spans)).equals(sdkBytes(spans))).toBe(true);
}

function expectSameOf(value: unknown): void {
  expectSame([spanOf({ attributes: { before: 1, value, after: 'x' } })]);
}

describe('any spans are put into the bytes of the SDK', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  const number = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      number,
      fc.boolean(),
      fc.constantFrom(null, undefined),
      fc.uint8Array(),
      fc.array(number, { maxLength: 60 }),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(text, tie('value'), { maxKeys: 5 }),
    ),
  }));
  // What is undefined itself is not known, and left out.
  const known = value.map((one) => one ?? null);
  const attributes = fc.dictionary(text, known, { maxKeys: 8 }) as fc.Arbitrary<Attributes>;
  const count = fc.nat({ max: 300 });
  const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  const context: fc.Arbitrary<SpanContext> = fc.record(
    {
      traceId: hex(32),
      spanId: hex(16),
      traceFlags: fc.constantFrom(0, 1),
      isRemote: fc.boolean(),
      traceState: fc.constantFrom('', 'vendor=1,other=2').map((state) => createTraceState(state)),
    },
    { requiredKeys: ['traceId', 'spanId', 'traceFlags'] },
  );
  const time = fc.tuple(fc.nat({ max: 4_500_000_000 }), fc.nat({ max: 999_999_999 }));
  const parts = { attributes, droppedAttributesCount: count };
  const span = fc
    .record(
      {
        ...parts,
        name: text,
        kind: fc.constantFrom(
          SpanKind.INTERNAL,
          SpanKind.SERVER,
          SpanKind.CLIENT,
          SpanKind.PRODUCER,
          SpanKind.CONSUMER,
        ),
        parentSpanContext: context,
        spanContext: context.map((own) => () => own),
        startTime: time,
        endTime: time,
        status: fc.record(
          { code: fc.constantFrom(SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR), message: text },
          { requiredKeys: ['code'] },
        ),
        events: fc.array(fc.record({ ...parts, name: text, time }, { requiredKeys: ['name', 'time'] }), {
          maxLength: 4,
        }),
        droppedEventsCount: count,
        links: fc.array(fc.record({ ...parts, context }, { requiredKeys: ['context'] }), { maxLength: 4 }),
        droppedLinksCount: count,
      },
      { requiredKeys: [] },
    )
    .map((own) => spanOf(own as Partial<ReadableSpan>));

  it('of one resource and scope', () => {
    const url = fc.constantFrom(undefined, '', 'https://opentelemetry.io/schemas/1.40.0');
    const scope = fc.record({ name: text, version: fc.option(text, { nil: undefined }), schemaUrl: url });
    const resource = fc.tuple(attributes, url).map(([own, schemaUrl]) => {
      return resourceFromAttributes(own, schemaUrl === undefined ? {} : { schemaUrl });
    });
    fc.assert(
      fc.property(fc.array(span, { maxLength: 6 }), resource, scope, (spans, shared, instrumentationScope) => {
        expectSame(spans.map((own) => ({ ...own, resource: shared, instrumentationScope }) as ReadableSpan));
      }),
      fuzz(200),
    );
  });

  it('of several, each time they change: the SDK gathers them', () => {
    const sources = [
      { resource: RESOURCE, instrumentationScope: SCOPE },
      { resource: RESOURCE, instrumentationScope: { ...SCOPE } },
      { resource: resourceFromAttributes({ 'service.name': 'other' }), instrumentationScope: SCOPE },
    ];
    const [a, b, c] = sources.map(spanOf) as [ReadableSpan, ReadableSpan, ReadableSpan];
    const runs = [[a], [b, b], [a, a], [c], [b]];
    // Messages behind one another are one message with the lists of all.
    expect(Buffer.from(bytesOf(runs.flat())).equals(Buffer.concat(runs.map(sdkBytes)))).toBe(true);
  });
});

describe('where a length or a number takes another byte', () => {
  it.each([
    0,
    -0,
    127,
    128,
    -1,
    16_383,
    16_384,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32 - 1,
    2 ** 32,
    -(2 ** 32),
    2 ** 42,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    2 ** 62,
    2 ** 63,
    -(2 ** 63),
    -(2 ** 63) - 2_048,
    0.5,
    Number.NaN,
    -Infinity,
  ])('the number %d, alone and in a list', (number) => {
    expectSameOf(number);
    expectSameOf([number]);
    expectSameOf([1, number, 2]);
  });

  it.each([0, 1, 105, 110, 117, 120, 125, 126, 127, 128, 199, 200, 201, 16_000, 16_383, 16_384, 100_000])(
    'a text of %i letters, of ASCII or not',
    (length) => {
      for (const letter of ['a', 'é', '語', '\u{1d11e}', '\ud800']) {
        expectSameOf(letter.repeat(length));
        expectSameOf(`${'a'.repeat(length)}${letter}`);
      }
      expectSame([spanOf({ name: 'n'.repeat(length), attributes: { ['k'.repeat(length)]: 1 } })]);
    },
  );

  it.each([0, 1, 24, 25, 26, 30, 31, 32, 33, 2_000, 3_270, 4_095, 4_096, 4_097, 8_192])(
    'a list of %i integers',
    (length) => {
      for (const number of [0, 127, 128, 40_000, -1, 2 ** 40]) {
        expectSameOf(Array.from({ length }, () => number));
        expectSameOf(Array.from({ length }, (_, index) => (index === length - 1 ? 0.5 : number)));
      }
    },
  );

  it('a list with holes, or of texts', () => {
    expectSameOf([1, undefined, null, 2]);
    expectSameOf(Array.from({ length: 100 }, (_, index) => `signal=${index}`));
  });

  it('no span', () => {
    expectSame([]);
  });
});

describe('one buffer for one message after the other', () => {
  it('what was given out stays as it is', () => {
    const first = bytesOf([spanOf({ name: 'a' })]);
    const expected = sdkBytes([spanOf({ name: 'a' })]);
    bytesOf([spanOf({ name: 'b'.repeat(1_000) })]);
    expect(Buffer.from(first).equals(expected)).toBe(true);
  });

  it('a message after one that threw has nothing of it', () => {
    const broken = spanOf({
      spanContext: () => {
        throw new Error('no context');
      },
    });
    expect(() => bytesOf([spanOf({}), broken])).toThrow('no context');
    expectSame([spanOf({ name: 'after' })]);
  });
});
