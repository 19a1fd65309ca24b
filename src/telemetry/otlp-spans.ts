// Spans as OTLP's ExportTraceServiceRequest in protobuf: to the byte what OpenTelemetry's own serialiser makes of them,
// in one walk instead of two, without an object or a call for each number of the chunks' columns. That one took 40 to
// 60 µs of an exchange of 15 chunks and 120 of one of 150; this one takes a third and a quarter of it.
import type { HrTime, Link, SpanContext } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, TimedEvent } from '@opentelemetry/sdk-trace';
import { attributePartsOf } from './attribute-parts.ts';
import { writeAttributes, writeKnown } from './otlp-values.ts';
import { FIXED_32, FIXED_64, LENGTH_DELIMITED, ProtobufWriter, tagOf, VARINT } from './protobuf-writer.ts';

/** `ResourceSpans` of a request; its `ScopeSpans`; a span of these; the schema's URL of either. */
const RESOURCE_SPANS = tagOf(1, LENGTH_DELIMITED);
const SCOPE_SPANS = tagOf(2, LENGTH_DELIMITED);
const SPAN = tagOf(2, LENGTH_DELIMITED);
const SCHEMA_URL = tagOf(3, LENGTH_DELIMITED);

const RESOURCE = {
  self: tagOf(1, LENGTH_DELIMITED),
  attributes: tagOf(1, LENGTH_DELIMITED),
  dropped: tagOf(2, VARINT),
};

const SCOPE = {
  self: tagOf(1, LENGTH_DELIMITED),
  name: tagOf(1, LENGTH_DELIMITED),
  version: tagOf(2, LENGTH_DELIMITED),
};

/** Of a span, and of a link to one. */
const IDS = {
  traceId: tagOf(1, LENGTH_DELIMITED),
  spanId: tagOf(2, LENGTH_DELIMITED),
  traceState: tagOf(3, LENGTH_DELIMITED),
};

const FIELDS = {
  parentSpanId: tagOf(4, LENGTH_DELIMITED),
  name: tagOf(5, LENGTH_DELIMITED),
  kind: tagOf(6, VARINT),
  startTime: tagOf(7, FIXED_64),
  endTime: tagOf(8, FIXED_64),
  attributes: tagOf(9, LENGTH_DELIMITED),
  droppedAttributes: tagOf(10, VARINT),
  event: tagOf(11, LENGTH_DELIMITED),
  droppedEvents: tagOf(12, VARINT),
  link: tagOf(13, LENGTH_DELIMITED),
  droppedLinks: tagOf(14, VARINT),
  status: tagOf(15, LENGTH_DELIMITED),
  flags: tagOf(16, FIXED_32),
};

const EVENT = {
  time: tagOf(1, FIXED_64),
  name: tagOf(2, LENGTH_DELIMITED),
  attributes: tagOf(3, LENGTH_DELIMITED),
  droppedAttributes: tagOf(4, VARINT),
};

const LINK = {
  attributes: tagOf(4, LENGTH_DELIMITED),
  droppedAttributes: tagOf(5, VARINT),
  flags: tagOf(6, FIXED_32),
};

const STATUS = { message: tagOf(2, LENGTH_DELIMITED), code: tagOf(3, VARINT) };

/** Guesses of what lengths take: 128 B to 16 KiB, and up to 2 MiB. */
const SPAN_LENGTH_BYTES = 2;
const BATCH_LENGTH_BYTES = 3;

const TRACE_FLAGS = 0xff;
const KNOWS_IF_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** 1e9 is 2^9 times this: ns since 1970 do not fit into a double, and seconds times this do until the year 2116. */
const NS_PER_SECOND_BY_512 = 1_953_125;
const LIMIT_23 = 2 ** 23;
const LIMIT_32 = 2 ** 32;

/** Puts batches into bytes, one after the other in the same buffer. */
export function createSpanBytes(): (spans: readonly ReadableSpan[]) => Uint8Array {
  const writer = new ProtobufWriter();
  return (spans) => {
    writer.clear();
    for (let at = 0; at < spans.length;) at = writeResourceSpans(writer, spans, at);
    return writer.take();
  };
}

/** The spans from there on that share resource and scope, as all of ours do; returns where the next ones begin. */
function writeResourceSpans(writer: ProtobufWriter, spans: readonly ReadableSpan[], from: number): number {
  const first = spans[from];
  if (first === undefined) return spans.length;
  const { resource, instrumentationScope: scope } = first;
  const resourceStart = writer.open(RESOURCE_SPANS, BATCH_LENGTH_BYTES);
  writeResource(writer, resource);
  const scopeStart = writer.open(SCOPE_SPANS, BATCH_LENGTH_BYTES);
  writeScope(writer, scope);
  let at = from;
  for (let span: ReadableSpan | undefined = first; span !== undefined; span = spans[at]) {
    if (span.resource !== resource || span.instrumentationScope !== scope) break;
    writeSpan(writer, span);
    at += 1;
  }
  writeIfAny(writer, SCHEMA_URL, scope.schemaUrl);
  writer.close(scopeStart, BATCH_LENGTH_BYTES);
  writeIfAny(writer, SCHEMA_URL, resource.schemaUrl);
  writer.close(resourceStart, BATCH_LENGTH_BYTES);
  return at;
}

function writeResource(writer: ProtobufWriter, { attributes }: Resource): void {
  const start = writer.open(RESOURCE.self, SPAN_LENGTH_BYTES);
  writeAttributes(writer, RESOURCE.attributes, attributes);
  writer.varint(RESOURCE.dropped, 0);
  writer.close(start, SPAN_LENGTH_BYTES);
}

function writeScope(writer: ProtobufWriter, { name, version }: InstrumentationScope): void {
  const start = writer.open(SCOPE.self);
  writer.text(SCOPE.name, name);
  writeIfAny(writer, SCOPE.version, version);
  writer.close(start);
}

function writeSpan(writer: ProtobufWriter, span: ReadableSpan): void {
  const context = span.spanContext();
  const parent = span.parentSpanContext;
  const start = writer.open(SPAN, SPAN_LENGTH_BYTES);
  writeIds(writer, context);
  if (parent !== undefined) writer.hex(FIELDS.parentSpanId, parent.spanId);
  writer.text(FIELDS.name, span.name);
  writer.varint(FIELDS.kind, span.kind + 1);
  writeTime(writer, FIELDS.startTime, span.startTime);
  writeTime(writer, FIELDS.endTime, span.endTime);
  for (const part of attributePartsOf(span)) writeKnown(writer, FIELDS.attributes, part);
  writer.varint(FIELDS.droppedAttributes, span.droppedAttributesCount);
  for (const event of span.events) writeEvent(writer, event);
  writer.varint(FIELDS.droppedEvents, span.droppedEventsCount);
  for (const link of span.links) writeLink(writer, link);
  writer.varint(FIELDS.droppedLinks, span.droppedLinksCount);
  writeStatus(writer, span);
  writer.fixed32(FIELDS.flags, flagsOf(context, parent));
  writer.close(start, SPAN_LENGTH_BYTES);
}

function writeIds(writer: ProtobufWriter, { traceId, spanId, traceState }: SpanContext): void {
  writer.hex(IDS.traceId, traceId);
  writer.hex(IDS.spanId, spanId);
  writeIfAny(writer, IDS.traceState, traceState?.serialize());
}

function writeEvent(writer: ProtobufWriter, { name, time, attributes, droppedAttributesCount }: TimedEvent): void {
  const start = writer.open(FIELDS.event);
  writeTime(writer, EVENT.time, time);
  writer.text(EVENT.name, name);
  writeAttributes(writer, EVENT.attributes, attributes ?? {});
  writer.varint(EVENT.droppedAttributes, droppedAttributesCount ?? 0);
  writer.close(start);
}

function writeLink(writer: ProtobufWriter, { context, attributes, droppedAttributesCount }: Link): void {
  const start = writer.open(FIELDS.link);
  writeIds(writer, context);
  writeAttributes(writer, LINK.attributes, attributes ?? {});
  writer.varint(LINK.droppedAttributes, droppedAttributesCount ?? 0);
  writer.fixed32(LINK.flags, flagsOf(context, context));
  writer.close(start);
}

function writeStatus(writer: ProtobufWriter, { status }: ReadableSpan): void {
  const start = writer.open(FIELDS.status);
  writeIfAny(writer, STATUS.message, status.message);
  writer.varint(STATUS.code, status.code);
  writer.close(start);
}

/** Of a context, and whether the one it comes from is in another process. */
function flagsOf({ traceFlags }: SpanContext, origin: SpanContext | undefined): number {
  return (traceFlags & TRACE_FLAGS) | KNOWS_IF_REMOTE | (origin?.isRemote === true ? IS_REMOTE : 0);
}

function writeTime(writer: ProtobufWriter, tag: number, [seconds, ns]: HrTime): void {
  const units = seconds * NS_PER_SECOND_BY_512;
  const upper = Math.floor(units / LIMIT_23);
  const lower = (units - upper * LIMIT_23) * 512 + ns;
  writer.fixed64(tag, lower, upper + Math.floor(lower / LIMIT_32));
}

function writeIfAny(writer: ProtobufWriter, tag: number, text: string | undefined): void {
  if (text !== undefined && text !== '') writer.text(tag, text);
}
