// The strict gate: request heads that two parsers could read in two ways are refused, not guessed
// (request smuggling). Everything that is unusual but unambiguous passes. llhttp has already
// refused most; these are the cases it lets through.
import { FIELDS_MAX_COUNT, NOMINATIONS_MAX_COUNT } from '../base/limits.ts';
import { fieldList, listMembers } from '../base/fields.ts';

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly minorVersion: number;
  readonly majorVersion: number;
  readonly fields: readonly string[];
}

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~%!$&'()*+,;=]*)(?::\d{0,5})?$/;
// oxlint-disable-next-line no-control-regex
const BAD_IN_TARGET = /[\x00-\x20\x7f#\\]/;

export interface Refusal {
  /** Of the answer: 431 for a head that is only too large (RFC 6585 §5), 400 for what is wrong. */
  readonly status: 400 | 431;
  /** Why, in a sentence that is ours alone. */
  readonly detail: string;
}

/** Why a request must not be forwarded; undefined when it may. */
export function refusal(request: RequestLine): Refusal | undefined {
  if (request.fields.length / 2 > FIELDS_MAX_COUNT) {
    return { status: 431, detail: 'The request has too many header fields.' };
  }
  const detail = refuseLine(request) ?? refuseFraming(request) ?? refuseHost(request) ?? refuseConnection(request);
  return detail === undefined ? undefined : { status: 400, detail };
}

function refuseLine({ majorVersion, target }: RequestLine): string | undefined {
  if (majorVersion !== 1) return 'The HTTP version is not 1.0 or 1.1.';
  if (BAD_IN_TARGET.test(target)) return 'The request target holds a character that no target may hold.';
  return undefined;
}

function refuseFraming({ fields, minorVersion }: RequestLine): string | undefined {
  const coding = fieldList(fields, 'transfer-encoding');
  if (coding === undefined) return undefined;
  if (minorVersion === 0) return 'Transfer-Encoding does not exist in HTTP/1.0.';
  if (coding.toLowerCase() !== 'chunked') return 'Only one Transfer-Encoding, "chunked", is understood.';
  if (fieldList(fields, 'content-length') !== undefined) return 'Content-Length and Transfer-Encoding are both stated.';
  return undefined;
}

function refuseHost({ fields, minorVersion, target, method }: RequestLine): string | undefined {
  let host: string | undefined;
  for (let i = 0; i < fields.length; i += 2) {
    if ((fields[i] as string).toLowerCase() !== 'host') continue;
    if (host !== undefined) return 'The request has more than one Host field.';
    host = fields[i + 1] as string;
  }
  if (host === undefined) return minorVersion === 0 ? undefined : 'The request has no Host field.';
  if (!HOST.test(host)) return 'The Host field is not a host and port.';
  if (target.startsWith('/')) return undefined;
  if (target === '*') return method === 'OPTIONS' ? undefined : 'Only OPTIONS may ask for "*".';
  // Absolute form is for proxies; it must not name another host than Host does.
  const authority = /^https?:\/\/([^/?]*)/i.exec(target)?.[1];
  if (authority === undefined) return 'The request target is neither a path nor an absolute URL.';
  if (authority.toLowerCase() !== host.toLowerCase())
    return 'The request target and the Host field name different hosts.';
  return undefined;
}

function refuseConnection({ fields }: RequestLine): string | undefined {
  const nominations = listMembers(fieldList(fields, 'connection'));
  if (nominations.length > NOMINATIONS_MAX_COUNT) return 'The Connection field names too many fields.';
  return undefined;
}
