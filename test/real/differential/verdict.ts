// What a proxy did with a request, in words that fit into a cell: refused it, passed it, or altered it.
// Compares the bytes that were sent with those that arrived; knows no proxy.
import type { Seen } from './probe.ts';

export interface Verdict {
  readonly kind: 'refused' | 'passed' | 'altered';
  readonly words: string;
}

/** Fields that belong to one connection, which each hop writes for itself. */
const OWN_FIELDS = /^(?:connection|keep-alive|proxy-connection|upgrade|http2-settings|te):/i;
/** One with which every proxy frames a body that it passes on piece by piece. */
const CODING = 'transfer-encoding: chunked';
const SHOWN_MAX_CHARS = 28;

interface Request {
  readonly line: string;
  readonly fields: readonly string[];
  readonly body: string;
}

/** Readable leniently: line ends of all kinds, names in lower case, no blanks around values. */
function read(text: string): Request {
  const [head = '', ...rest] = text.replace(/^(?:\r?\n)+/, '').split(/\r?\n\r?\n/);
  const [line = '', ...fields] = head.split(/\r?\n(?![ \t])/);
  const trimmed = fields
    .filter((field) => field !== '')
    .map((field) =>
      field.replace(
        /^([^:]*):[ \t]*(.*?)[ \t]*$/s,
        (_, name: string, value: string) => `${name.toLowerCase()}: ${value}`,
      ),
    );
  return {
    line,
    // The names of codings have no case.
    fields: trimmed.map((field) => (field.toLowerCase() === CODING ? CODING : field)),
    body: rest.join('\r\n\r\n'),
  };
}

/** Chunks put together when they are what they say; else the text as it is. */
function contentOf({ fields, body }: Request): string {
  if (!fields.includes(CODING)) return body;
  let [content, rest] = ['', body.endsWith('\r\n\r\n') ? body : `${body}\r\n\r\n`];
  for (
    let size = /^([0-9a-fA-F]+)[^\r\n]*\r\n/.exec(rest);
    size !== null;
    size = /^([0-9a-fA-F]+)[^\r\n]*\r\n/.exec(rest)
  ) {
    const length = Number.parseInt(size[1] ?? '', 16);
    if (length === 0) return content;
    content += rest.slice(size[0].length, size[0].length + length);
    rest = rest.slice(size[0].length + length + 2);
  }
  return body;
}

function short(text: string): string {
  // Control characters would not show, and a bar would end the cell.
  const plain = JSON.stringify(text).slice(1, -1).replaceAll('|', '¦').replaceAll('\\"', '"');
  return plain.length <= SHOWN_MAX_CHARS ? plain : `${plain.slice(0, SHOWN_MAX_CHARS)}…`;
}

/** What is in one list and not in the other, repeats counted. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function requestCount(text: string): number {
  return text.match(/^[A-Z]+ \S.* HTTP\/\d\.\d\r?$/gm)?.length ?? 0;
}

/** Changes of a request on its way that a reader should know of. */
function changes(sent: Request, arrived: Request): string[] {
  const found: string[] = [];
  if (arrived.line !== sent.line) found.push(`line "${short(arrived.line)}"`);
  const named = sent.fields
    .filter((field) => /^connection:/i.test(field))
    .flatMap((field) => field.slice(11).split(','));
  const hop = new Set(named.map((name) => name.trim().toLowerCase()));
  const end = (fields: readonly string[]): string[] =>
    fields.filter((field) => !OWN_FIELDS.test(field) && !hop.has(field.split(':')[0]?.toLowerCase() ?? ''));
  const [before, after] = [end(sent.fields), end(arrived.fields)];
  found.push(...without(before, after).map((field) => `−"${short(field)}"`));
  found.push(...without(after, before).map((field) => `+"${short(field)}"`));
  const leaked = arrived.fields.filter((field) => hop.has(field.split(':')[0]?.toLowerCase() ?? ''));
  found.push(...leaked.filter((field) => !OWN_FIELDS.test(field)).map((field) => `leaks "${short(field)}"`));
  if (contentOf(sent) !== contentOf(arrived)) found.push(`body "${short(contentOf(arrived))}"`);
  return found;
}

export function verdictOf(sentBytes: string, { status, arrived }: Seen): Verdict {
  if (arrived === '') return { kind: 'refused', words: status === undefined ? 'closes' : String(status) };
  const [sent, got] = [read(sentBytes), read(arrived)];
  const found = changes(sent, got);
  const count = requestCount(arrived);
  if (count > 1) found.unshift(`${count} requests`);
  // The engine saw some of it, but the client was told no.
  if (status !== undefined && status >= 400) found.unshift(`begins, then ${status}`);
  if (found.length === 0) return { kind: 'passed', words: 'passes' };
  return { kind: 'altered', words: `alters: ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}` };
}
