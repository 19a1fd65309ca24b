// Attributes as OTLP's KeyValue and AnyValue, in the order and to the byte as OpenTelemetry's own serialiser writes them.
import type { Attributes } from '@opentelemetry/api';
import type { AttributeParts } from './attribute-parts.ts';
import { FIXED_64, LENGTH_DELIMITED, type ProtobufWriter, tagOf, VARINT, varintBytes } from './protobuf-writer.ts';

const KEY = tagOf(1, LENGTH_DELIMITED);
const VALUE = tagOf(2, LENGTH_DELIMITED);
const STRING_VALUE = tagOf(1, LENGTH_DELIMITED);
const BOOL_VALUE = tagOf(2, VARINT);
const INT_VALUE = tagOf(3, VARINT);
const DOUBLE_VALUE = tagOf(4, FIXED_64);
const ARRAY_VALUE = tagOf(5, LENGTH_DELIMITED);
const MAP_VALUE = tagOf(6, LENGTH_DELIMITED);
const BYTES_VALUE = tagOf(7, LENGTH_DELIMITED);
/** Of a list or a map. */
const ITEM = tagOf(1, LENGTH_DELIMITED);
const INTEGER_ITEM = { message: ITEM, value: INT_VALUE };
const INTEGER_ITEM_MIN_BYTES = 4;

const INT_64_MIN = -(2 ** 63);
const INT_64_LIMIT = 2 ** 63;

export function writeAttributes(writer: ProtobufWriter, tag: number, attributes: Attributes): void {
  for (const key in attributes) if (Object.hasOwn(attributes, key)) writePair(writer, tag, key, attributes[key]);
}

/** Of a span of ours: what is undefined is left out. */
export function writeKnown(writer: ProtobufWriter, tag: number, part: AttributeParts[number]): void {
  for (const key in part) {
    const value = part[key];
    if (value !== undefined) writePair(writer, tag, key, value);
  }
}

function writePair(writer: ProtobufWriter, tag: number, key: string, value: unknown): void {
  const lengthBytes = lengthBytesOf(value);
  const start = writer.open(tag, lengthBytes);
  writer.text(KEY, key);
  writeAny(writer, VALUE, value, lengthBytes);
  writer.close(start, lengthBytes);
}

/** How many bytes the length of a value will take, guessed: the columns of chunks are what is long. */
function lengthBytesOf(value: unknown): number {
  return Array.isArray(value) ? varintBytes(value.length * INTEGER_ITEM_MIN_BYTES) : 1;
}

function writeAny(writer: ProtobufWriter, tag: number, value: unknown, lengthBytes: number): void {
  const start = writer.open(tag, lengthBytes);
  if (typeof value === 'string') writer.text(STRING_VALUE, value);
  else if (typeof value === 'boolean') writer.varint(BOOL_VALUE, value ? 1 : 0);
  else if (typeof value === 'number') writeNumber(writer, value);
  else if (Array.isArray(value)) writeArray(writer, value, lengthBytes);
  else if (value instanceof Uint8Array) writer.bytes(BYTES_VALUE, value);
  else if (typeof value === 'object' && value !== null) writeMap(writer, value as Attributes);
  writer.close(start, lengthBytes);
}

function writeNumber(writer: ProtobufWriter, value: number): void {
  const isInt64 = Number.isInteger(value) && value >= INT_64_MIN && value < INT_64_LIMIT;
  if (isInt64) writer.varint(INT_VALUE, value);
  else writer.double(DOUBLE_VALUE, value);
}

function writeArray(writer: ProtobufWriter, values: readonly unknown[], lengthBytes: number): void {
  const start = writer.open(ARRAY_VALUE, lengthBytes);
  if (areIntegers(values)) writer.varintMessages(INTEGER_ITEM, values);
  else for (const value of values) writeAny(writer, ITEM, value, lengthBytesOf(value));
  writer.close(start, lengthBytes);
}

function areIntegers(values: readonly unknown[]): values is readonly number[] {
  for (let index = 0; index < values.length; index += 1) if (!Number.isSafeInteger(values[index])) return false;
  return true;
}

function writeMap(writer: ProtobufWriter, map: Attributes): void {
  const start = writer.open(MAP_VALUE);
  writeAttributes(writer, ITEM, map);
  writer.close(start);
}
