// ExportTraceServiceRequest in protobuf → engine spans. Field numbers are those of opentelemetry-proto
// 1.x (trace/v1/trace.proto, common/v1/common.proto). A generator that yields after every field it
// passes, so that whoever drives it decides how long the thread is kept.
import type { EngineSpan } from '../../evidence/engine-span.ts';
import { SPAN_ATTRIBUTES } from '../../evidence/engine-spans.ts';
import { OTLP_ATTRIBUTES_MAX_COUNT, OTLP_FIELDS_MAX_COUNT, OTLP_TEXT_MAX_CHARS } from '../../base/otlp-limits.ts';
import { BYTES, FieldCursor, FIXED64, VARINT } from './field-cursor.ts';
import { spanFrom, type SpanDraft } from './span-draft.ts';

/** Yields a span, or undefined for a step that made none. Throws a MalformedError for what is no protobuf. */
export function* protobufSpans(bytes: Buffer): Generator<EngineSpan | undefined, void> {
  const request = new FieldCursor(bytes);
  while (request.next()) {
    yield undefined;
    if (request.number === 1 && request.wireType === BYTES) yield* resourceSpans(request.inside());
  }
}

function* resourceSpans(fields: FieldCursor): Generator<EngineSpan | undefined, void> {
  let serviceName: string | undefined;
  while (fields.next()) {
    yield undefined;
    if (fields.wireType !== BYTES) continue;
    // Writers write fields in the order of their numbers: the resource comes before its spans.
    if (fields.number === 1) serviceName = serviceNameOf(fields.inside());
    else if (fields.number === 2) yield* scopeSpans(fields.inside(), serviceName);
  }
}

function* scopeSpans(fields: FieldCursor, serviceName: string | undefined): Generator<EngineSpan | undefined, void> {
  while (fields.next()) {
    yield fields.number === 2 && fields.wireType === BYTES ? readSpan(fields.inside(), serviceName) : undefined;
  }
}

function serviceNameOf(resource: FieldCursor): string | undefined {
  while (resource.count < OTLP_ATTRIBUTES_MAX_COUNT && resource.next()) {
    if (resource.number !== 1 || resource.wireType !== BYTES) continue;
    const { key, value } = readAttribute(resource.inside(), SERVICE_NAME);
    if (key !== '' && typeof value === 'string') return value;
  }
  return undefined;
}

function readSpan(fields: FieldCursor, serviceName: string | undefined): EngineSpan | undefined {
  const draft: SpanDraft = { attributes: [], serviceName };
  while (fields.next()) {
    if (fields.count > OTLP_FIELDS_MAX_COUNT) return undefined;
    if (fields.wireType === BYTES) readBytesField(fields, draft);
    else if (fields.wireType === FIXED64 && fields.number === 7) draft.startEpochNs = fields.fixed64();
    else if (fields.wireType === FIXED64 && fields.number === 8) draft.endEpochNs = fields.fixed64();
  }
  return spanFrom(draft);
}

function readBytesField(fields: FieldCursor, draft: SpanDraft): void {
  switch (fields.number) {
    case 1:
      draft.traceId = shortHex(fields, 16);
      break;
    case 2:
      draft.spanId = shortHex(fields, 8);
      break;
    case 4:
      draft.parentSpanId = shortHex(fields, 8);
      break;
    case 5:
      draft.name = fields.text(OTLP_TEXT_MAX_CHARS);
      break;
    case 9:
      if (draft.attributes.length < OTLP_ATTRIBUTES_MAX_COUNT)
        draft.attributes.push(readAttribute(fields.inside(), SPAN_ATTRIBUTES));
      break;
    default: // Events, links, status: not read.
  }
}

/** An id of the right length; an empty one stands for none. */
function shortHex(fields: FieldCursor, length: number): string | undefined {
  return fields.to - fields.from === length ? fields.hex() : undefined;
}

interface Attribute {
  readonly key: string;
  readonly value: string | number | boolean | undefined;
}

const SERVICE_NAME: ReadonlySet<string> = new Set(['service.name']);

/** An attribute that is asked for; of any other neither key nor value, which may be as long as a prompt. */
function readAttribute(fields: FieldCursor, wanted: ReadonlySet<string>): Attribute {
  let key = '';
  let value: Attribute['value'];
  while (fields.count < OTLP_ATTRIBUTES_MAX_COUNT && fields.next()) {
    if (fields.wireType !== BYTES) continue;
    if (fields.number === 1) key = fields.text(OTLP_TEXT_MAX_CHARS);
    // Writers write fields in the order of their numbers: the key is known before its value.
    else if (fields.number === 2 && wanted.has(key)) value = readValue(fields.inside());
  }
  return wanted.has(key) ? { key, value } : { key: '', value: undefined };
}

/** Of an AnyValue what is plain; lists and maps are nothing that evidence is made of. */
function readValue(fields: FieldCursor): Attribute['value'] {
  let value: Attribute['value'];
  while (fields.count < OTLP_ATTRIBUTES_MAX_COUNT && fields.next()) {
    if (fields.number === 1 && fields.wireType === BYTES) value = fields.text(OTLP_TEXT_MAX_CHARS);
    else if (fields.number === 2 && fields.wireType === VARINT) value = fields.int64() !== 0;
    else if (fields.number === 3 && fields.wireType === VARINT) value = fields.int64();
    else if (fields.number === 4 && fields.wireType === FIXED64) value = fields.double();
  }
  return value;
}
