// Reads just enough of OTLP's protobuf to count what came: spans with their names and the lengths of
// their array attributes. Field numbers are those of opentelemetry-proto 1.x (trace.proto, common.proto).
// Written by hand, so that it shares no code with what it checks.

export interface WireSpan {
  readonly traceId: string;
  readonly name: string;
  /** Entries of array attributes, by their keys. */
  readonly arrayCounts: Readonly<Record<string, number>>;
}

type Field = { readonly number: number; readonly bytes: Uint8Array };

const FIXED_BYTES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** The spans of an ExportTraceServiceRequest. Throws when the bytes are no protobuf. */
export function readTraceRequest(body: Uint8Array): WireSpan[] {
  const scopes = inside(fieldsOf(body), 1).flatMap((resourceSpans) => inside(resourceSpans, 2));
  return scopes.flatMap((scopeSpans) => inside(scopeSpans, 2)).map(readSpan);
}

function readSpan(fields: readonly Field[]): WireSpan {
  const arrayCounts: Record<string, number> = {};
  for (const attribute of inside(fields, 9)) {
    const array = inside(attribute, 2).flatMap((value) => inside(value, 5))[0];
    if (array !== undefined) arrayCounts[textOf(attribute, 1)] = array.filter(({ number }) => number === 1).length;
  }
  const traceId = Buffer.from(fields.find(({ number }) => number === 1)?.bytes ?? []).toString('hex');
  return { traceId, name: textOf(fields, 5), arrayCounts };
}

function textOf(fields: readonly Field[], number: number): string {
  return Buffer.from(fields.find((field) => field.number === number)?.bytes ?? []).toString();
}

/** The fields of each embedded message with this number. */
function inside(fields: readonly Field[], number: number): Field[][] {
  return fields.filter((field) => field.number === number).map(({ bytes }) => fieldsOf(bytes));
}

/** Every field of a message; numbers other than embedded bytes are passed over. */
function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = varint(bytes, at);
    const [number, wireType] = [tag.value >>> 3, tag.value & 7];
    if (wireType === 0) at = varint(bytes, tag.end).end;
    else if (wireType === 2) {
      const length = varint(bytes, tag.end);
      at = length.end + length.value;
      fields.push({ number, bytes: bytes.subarray(length.end, at) });
    } else {
      const size = FIXED_BYTES[wireType];
      if (size === undefined) throw new Error(`no protobuf: wire type ${wireType}`);
      at = tag.end + size;
    }
    if (at > bytes.length) throw new Error('no protobuf: a field ends behind its message');
  }
  return fields;
}

/** A varint; its high bits are lost above 2^53, which only skipped values reach. */
function varint(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let end = at, factor = 1; ; end += 1, factor *= 128) {
    const byte = bytes[end];
    if (byte === undefined) throw new Error('no protobuf: a number without end');
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end: end + 1 };
  }
}
