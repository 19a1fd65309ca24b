// ExportTraceServiceRequest in JSON → engine spans. Takes what writers really write: ids in hex of either
// case or, against the specification, in base64; 64-bit integers as text or as numbers; field names in
// lowerCamelCase or, as opentelemetry-cpp does by default, in snake_case. Generator as in trace-protobuf.ts.
import type { EngineSpan } from '../../evidence/engine-span.ts';
import { OTLP_ATTRIBUTES_MAX_COUNT, OTLP_TEXT_MAX_CHARS } from '../../base/otlp-limits.ts';
import { isObject, parseJson, type JsonObject } from '../../stream/json-value.ts';
import { MalformedError } from './field-cursor.ts';
import { spanFrom, type SpanDraft } from './span-draft.ts';

/** Throws a MalformedError for what is no JSON object. */
export function* jsonSpans(bytes: Buffer): Generator<EngineSpan | undefined, void> {
  const request = parse(bytes);
  for (const resourceSpans of objects(pick(request, 'resourceSpans', 'resource_spans'))) {
    yield undefined;
    const serviceName = serviceNameOf(resourceSpans['resource']);
    for (const scopeSpans of objects(pick(resourceSpans, 'scopeSpans', 'scope_spans'))) {
      yield undefined;
      for (const span of objects(scopeSpans['spans'])) yield readSpan(span, serviceName);
    }
  }
}

function parse(bytes: Buffer): JsonObject {
  const value = parseJson(bytes.toString('utf8'));
  if (value === undefined) throw new MalformedError('the body is no JSON');
  if (!isObject(value)) throw new MalformedError('the body is no JSON object');
  return value;
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}

function pick(from: JsonObject, camel: string, snake: string): unknown {
  return from[camel] ?? from[snake];
}

function serviceNameOf(resource: unknown): string | undefined {
  if (!isObject(resource)) return undefined;
  const attributes = objects(resource['attributes']).slice(0, OTLP_ATTRIBUTES_MAX_COUNT);
  const value = attributes.map((each) => readAttribute(each)).find(({ key }) => key === 'service.name')?.value;
  return typeof value === 'string' ? value : undefined;
}

function readSpan(span: JsonObject, serviceName: string | undefined): EngineSpan | undefined {
  const attributes = objects(span['attributes']).slice(0, OTLP_ATTRIBUTES_MAX_COUNT);
  const name = span['name'];
  const draft: SpanDraft = {
    traceId: readId(pick(span, 'traceId', 'trace_id'), 16),
    spanId: readId(pick(span, 'spanId', 'span_id'), 8),
    parentSpanId: readId(pick(span, 'parentSpanId', 'parent_span_id'), 8),
    name: typeof name === 'string' ? name.slice(0, OTLP_TEXT_MAX_CHARS) : '',
    startEpochNs: readUint64(pick(span, 'startTimeUnixNano', 'start_time_unix_nano')),
    endEpochNs: readUint64(pick(span, 'endTimeUnixNano', 'end_time_unix_nano')),
    serviceName,
    attributes: attributes.map((each) => readAttribute(each)),
  };
  return spanFrom(draft);
}

function readId(value: unknown, byteCount: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.length === 2 * byteCount && /^[0-9a-fA-F]+$/.test(value)) return value.toLowerCase();
  // Base64 of 16 bytes is 24 characters long and of 8 bytes 12: no length of hex.
  if (value.length !== Math.ceil(byteCount / 3) * 4) return undefined;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === byteCount ? bytes.toString('hex') : undefined;
}

function readUint64(value: unknown): bigint | undefined {
  if (typeof value === 'string') return /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
  // A number has lost its last digits already; a microsecond at the most.
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? BigInt(value) : undefined;
}

function readAttribute(attribute: JsonObject): SpanDraft['attributes'][number] {
  const { key, value } = attribute;
  return { key: typeof key === 'string' ? key : '', value: isObject(value) ? readValue(value) : undefined };
}

function readValue(value: JsonObject): string | number | boolean | undefined {
  const text = pick(value, 'stringValue', 'string_value');
  if (typeof text === 'string') return text.slice(0, OTLP_TEXT_MAX_CHARS);
  const flag = pick(value, 'boolValue', 'bool_value');
  if (typeof flag === 'boolean') return flag;
  // Also a double may be text: `NaN` and `Infinity` have no JSON number, and some write all numbers so.
  const number = pick(value, 'intValue', 'int_value') ?? pick(value, 'doubleValue', 'double_value');
  if (typeof number === 'number') return number;
  return typeof number === 'string' && number !== '' ? Number(number) : undefined;
}
