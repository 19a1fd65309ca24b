// Reads the head of an HTTP/1.1 response (RFC 9112) and decides how its body's end is known. Pure: text
// in, head or fault out.
import { FIELDS_MAX_COUNT } from '../base/limits.ts';
import type { Framing } from '../base/outcome.ts';

export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  /** HTTP/1.0 answers end their connection unless they say otherwise; we never reuse one. */
  readonly minorVersion: 0 | 1;
  /** Names and values in turn, as received. */
  readonly fields: readonly string[];
  readonly framing: Framing;
  /** Only for framing `length`. */
  readonly lengthBytes: number;
}

/** The engine sent something that is no HTTP/1.1 response. The text is ours, never from the wire. */
export class ParseFault extends Error {}

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/s;
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Everything below space but tab, and DEL: refused in values, they could end a field for others.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** A head without its last blank line. Throws {@link ParseFault}. */
export function parseHead(text: string, isHeadRequest: boolean): ResponseHead {
  const lines = text.split('\r\n');
  if (lines.length - 1 > FIELDS_MAX_COUNT) throw new ParseFault('too many response fields');
  const match = STATUS_LINE.exec(lines[0] as string);
  if (match === null) throw new ParseFault('bad status line');
  const status = Number(match[2]);
  const reason = match[3] ?? '';
  if (status < 100) throw new ParseFault('status below 100');
  if (CONTROL.test(reason)) throw new ParseFault('control character in reason phrase');
  const fields: string[] = [];
  for (let i = 1; i < lines.length; i += 1) pushField(fields, lines[i] as string);
  const minorVersion = match[1] === '0' ? 0 : 1;
  return { status, reason, minorVersion, fields, ...framingOf(status, minorVersion, fields, isHeadRequest) };
}

/** Adds the name and value of one field line. Throws {@link ParseFault}. */
export function pushField(fields: string[], line: string): void {
  const colon = line.indexOf(':');
  // A line that begins with white space is an obsolete folded field; it has no name either.
  if (colon <= 0) throw new ParseFault('field without name');
  const name = line.slice(0, colon);
  const value = trimBlanks(line, colon + 1);
  if (!FIELD_NAME.test(name)) throw new ParseFault('bad field name');
  if (CONTROL.test(value)) throw new ParseFault('control character in field value');
  fields.push(name, value);
}

/** The text from `from` on without the spaces and tabs around it (`trim` would take more). */
function trimBlanks(text: string, from: number): string {
  let start = from;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Message body length by RFC 9112 §6.3. Both framings stated: chunking wins and the length goes. */
function framingOf(
  status: number,
  minorVersion: 0 | 1,
  fields: readonly string[],
  isHeadRequest: boolean,
): { framing: Framing; lengthBytes: number } {
  let length: string | undefined;
  let coding: string | undefined;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    // Lengths first: comparing them spares lower-casing nearly every name.
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      const value = fields[i + 1] as string;
      if (!/^\d{1,15}$/.test(value)) throw new ParseFault('bad content length');
      if (length !== undefined && length !== value) throw new ParseFault('two different content lengths');
      length = value;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (coding !== undefined) throw new ParseFault('two transfer encodings');
      coding = (fields[i + 1] as string).toLowerCase();
    }
  }
  if (status === 101) return { framing: 'upgrade', lengthBytes: 0 };
  if (isHeadRequest || status < 200 || status === 204 || status === 304) return { framing: 'none', lengthBytes: 0 };
  if (coding !== undefined && coding !== 'identity') {
    // Another coding under the chunks would lose its name when we frame anew.
    if (coding !== 'chunked' || minorVersion === 0) throw new ParseFault('unsupported transfer encoding');
    return { framing: length === undefined ? 'chunked' : 'conflict', lengthBytes: 0 };
  }
  if (length !== undefined) return { framing: 'length', lengthBytes: Number(length) };
  return { framing: 'close_delimited', lengthBytes: 0 };
}
