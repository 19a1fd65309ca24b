// The head of a request of HTTP/2 as the same request has it in HTTP/1.1 (RFC 9113 §8). What no parser of HTTP/1.1
// may see, because it would end a line or frame a body there, is malformed and goes no further. Pure.

export interface PlainRequest {
  /** Request line and fields with the blank line behind them. */
  readonly head: string;
  readonly method: string;
  /** Its body has no stated length, so in HTTP/1.1 it comes in chunks. */
  readonly isChunked: boolean;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Fields have names in lower case here. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// oxlint-disable-next-line no-control-regex
const ENDS_LINE = /[\0\r\n]/;
// oxlint-disable-next-line no-control-regex
const NOT_IN_LINE = /[\x00-\x20\x7f]/;
/** They are about a connection of HTTP/1.1, and whoever sends them here wants to be read in two ways (§8.2.2). */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

interface Parts {
  readonly pseudo: Map<string, string>;
  /** Each with the end of its line. */
  fields: string;
  host: string | undefined;
  cookie: string | undefined;
  length: string | undefined;
}

/** `fields`: names and values in turn as received. `isWhole`: no body follows. Undefined when it is malformed. */
export function plainRequest(fields: readonly string[], isWhole: boolean): PlainRequest | undefined {
  const parts = partsOf(fields);
  const line = parts && requestLine(parts.pseudo);
  if (line === undefined || parts === undefined) return undefined;
  const { pseudo, host, cookie, length } = parts;
  const authority = pseudo.get(':authority');
  if (authority !== undefined && host !== undefined && authority !== host) return undefined;
  if (isWhole && length !== undefined && length !== '0') return undefined;
  const isChunked = !isWhole && length === undefined;
  const named = authority ?? host;
  const head =
    `${line} HTTP/1.1\r\n${named === undefined ? '' : `host: ${named}\r\n`}${parts.fields}` +
    `${cookie === undefined ? '' : `cookie: ${cookie}\r\n`}${isChunked ? 'transfer-encoding: chunked\r\n' : ''}\r\n`;
  return { head, method: pseudo.get(':method') as string, isChunked };
}

/** Trailers as lines of HTTP/1.1; what has no place among them is left out. */
export function plainTrailers(fields: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < fields.length; i += 2) {
    const [name, value] = [fields[i] as string, fields[i + 1] as string];
    if (NAME.test(name) && !OF_CONNECTIONS.has(name) && !ENDS_LINE.test(value)) lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

function partsOf(fields: readonly string[]): Parts | undefined {
  const parts: Parts = { pseudo: new Map(), fields: '', host: undefined, cookie: undefined, length: undefined };
  let isBehindPseudo = false;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    const value = fields[i + 1] as string;
    if (ENDS_LINE.test(value)) return undefined;
    if (!name.startsWith(':')) isBehindPseudo = true;
    const isGood = name.startsWith(':')
      ? !isBehindPseudo && takePseudo(parts.pseudo, name, value)
      : takeField(parts, name, value);
    if (!isGood) return undefined;
  }
  return parts;
}

function takePseudo(pseudo: Map<string, string>, name: string, value: string): boolean {
  if (pseudo.has(name) || NOT_IN_LINE.test(value)) return false;
  pseudo.set(name, value);
  return name === ':method' || name === ':scheme' || name === ':authority' || name === ':path';
}

function takeField(parts: Parts, name: string, value: string): boolean {
  if (!NAME.test(name) || OF_CONNECTIONS.has(name)) return false;
  switch (name) {
    case 'te':
      return value.toLowerCase() === 'trailers';
    case 'host':
      if (parts.host !== undefined) return false;
      parts.host = value;
      return true;
    case 'cookie':
      // Sent in pieces so that they compress better; others know one field only (§8.2.3).
      parts.cookie = parts.cookie === undefined ? value : `${parts.cookie}; ${value}`;
      return true;
    case 'content-length':
      if (parts.length !== undefined || !/^\d{1,15}$/.test(value)) return false;
      parts.length = value;
      break;
  }
  parts.fields += `${name}: ${value}\r\n`;
  return true;
}

function requestLine(pseudo: ReadonlyMap<string, string>): string | undefined {
  const method = pseudo.get(':method');
  const path = pseudo.get(':path');
  const authority = pseudo.get(':authority');
  if (method === undefined || !TOKEN.test(method)) return undefined;
  if (method === 'CONNECT') {
    const isPlain = authority !== undefined && authority !== '' && path === undefined && !pseudo.has(':scheme');
    return isPlain ? `CONNECT ${authority}` : undefined;
  }
  if (path === undefined || !pseudo.has(':scheme')) return undefined;
  if (!path.startsWith('/') && !(path === '*' && method === 'OPTIONS')) return undefined;
  return `${method} ${path}`;
}
