// Bytes → one request of the admin port. Strict and small: only heads without a body are of use here,
// and whatever two parsers could read in two ways is refused. Pure; knows no socket.
import { ADMIN_HEAD_MAX_BYTES } from '../base/admin-limits.ts';

export interface AdminRequest {
  readonly method: string;
  /** The target as it was sent, from its first slash. */
  readonly target: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  /** A further request may follow on this connection. */
  readonly keepAlive: boolean;
}

export type HeadReading =
  /** More bytes are needed. */
  | { readonly type: 'partial' }
  | { readonly type: 'request'; readonly request: AdminRequest; readonly bytes: number }
  | { readonly type: 'refused'; readonly status: 400 | 413 | 431 | 505; readonly message: string };

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const REQUEST_LINE = /^([A-Z]{1,20}) (\/[\x21-\x7e]*) HTTP\/(\d\.\d)$/;
/** A token, a colon, and a value without control characters (RFC 9110, 5.1 and 5.5). */
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** Of these a second line would be a second opinion. */
const SINGLE_FIELDS: ReadonlySet<string> = new Set(['host', 'origin', 'content-length', 'transfer-encoding']);

/** Reads the head at the start of the bytes. */
export function readHead(bytes: Buffer): HeadReading {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, end === -1 ? bytes.length : end);
  if (head.length > ADMIN_HEAD_MAX_BYTES) return refused(431, 'The request head is too large.');
  if (hasBareLineFeed(head)) return refused(400, 'Lines of a head end with CR LF.');
  if (end === -1) return { type: 'partial' };
  const [first = '', ...lines] = head.toString('latin1').split('\r\n');
  const [, method, target, version] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || target === undefined) return refused(400, 'The request line is not valid.');
  if (version !== '1.1' && version !== '1.0') return refused(505, 'This port speaks HTTP/1.1 and HTTP/1.0.');
  const fields = fieldsOf(lines);
  if (fields === undefined) return refused(400, 'A field of the request is not valid.');
  if (fields.has('transfer-encoding') || !/^0*$/.test(fields.get('content-length') ?? '')) {
    return refused(413, 'Requests to this port have no body.');
  }
  const request = {
    method,
    target,
    host: fields.get('host'),
    origin: fields.get('origin'),
    accept: fields.get('accept'),
    acceptEncoding: fields.get('accept-encoding'),
    keepAlive: keepsAlive(version, fields.get('connection') ?? ''),
  };
  return { type: 'request', request, bytes: end + 4 };
}

function refused(status: 400 | 413 | 431 | 505, message: string): HeadReading {
  return { type: 'refused', status, message };
}

/** Names in lower case; undefined when a line is no field, or one of a kind came twice. */
function fieldsOf(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = FIELD_LINE.exec(line) ?? [];
    if (name === undefined) return undefined;
    const key = name.toLowerCase();
    const before = fields.get(key);
    if (before !== undefined && SINGLE_FIELDS.has(key)) return undefined;
    fields.set(key, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }
  return fields;
}

function keepsAlive(version: string, connection: string): boolean {
  const options = connection.toLowerCase().split(',');
  const names = (option: string): boolean => options.some((each) => each.trim() === option);
  return version === '1.1' ? !names('close') : names('keep-alive');
}

function hasBareLineFeed(head: Buffer): boolean {
  for (let at = head.indexOf(LINE_FEED); at !== -1; at = head.indexOf(LINE_FEED, at + 1)) {
    if (head[at - 1] !== CARRIAGE_RETURN) return true;
  }
  return false;
}
