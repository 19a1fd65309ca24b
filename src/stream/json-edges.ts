// Finds top-level fields in a JSON object of which only the first and the last part are at hand.
// Bounded by what it is given, and tolerant: at the first thing that is no JSON it stops.
//
// The first part is read forwards from the opening brace. The last part is read backwards from the
// closing brace: there we are certainly outside every string, and going back every quote tells
// whether it is escaped by the number of backslashes before it. Read forwards, a last part that
// begins somewhere in a prompt could take the prompt's text for structure, `"model"` in it included.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Scalar values by key; values that are objects, lists or too long are left out. */
export type TopFields = Map<string, unknown>;

/** Keys and scalar values longer than this are nobody's model name or flag. */
const TOKEN_MAX_BYTES = 512;

/** Top-level scalar fields of the object that these first bytes of a body open. The last duplicate wins. */
export function fieldsFromStart(bytes: Uint8Array): TopFields {
  const fields: TopFields = new Map();
  let at = 0;
  while (isBlank(bytes[at])) at += 1;
  if (bytes[at] !== OPEN_BRACE) return fields;
  let depth = 0;
  let key: unknown;
  // A token that reaches the edge may go on behind it, so it is not looked at.
  for (let end = tokenEnd(bytes, at); end !== undefined && end < bytes.length; end = tokenEnd(bytes, at)) {
    const byte = bytes[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    else if (depth === 1 && byte === COMMA) key = undefined;
    else if (depth === 1 && isScalarStart(byte)) {
      const value = scalar(bytes, at, end);
      if (nextByte(bytes, end) === COLON) key = value;
      else if (typeof key === 'string' && value !== undefined) fields.set(key, value);
    }
    if (depth === 0) return fields;
    at = end;
  }
  return fields;
}

/** Top-level scalar fields of the object that these last bytes of a body close. The last duplicate wins. */
export function fieldsFromEnd(bytes: Uint8Array): TopFields {
  const fields: TopFields = new Map();
  let at = bytes.length;
  while (isBlank(bytes[at - 1])) at -= 1;
  if (bytes[at - 1] !== CLOSE_BRACE) return fields;
  let depth = 0;
  let value: unknown;
  let beforeColon = false;
  for (let start = tokenStart(bytes, at); start !== undefined && start > 0; start = tokenStart(bytes, at)) {
    const byte = bytes[at - 1];
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth += 1;
      value = undefined;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth -= 1;
    else if (depth === 1 && byte === COLON) beforeColon = true;
    else if (depth === 1 && isScalarStart(bytes[start])) {
      const token = scalar(bytes, start, at);
      if (!beforeColon) value = token;
      else if (typeof token === 'string' && value !== undefined && !fields.has(token)) fields.set(token, value);
    }
    if (depth === 1 && byte === COMMA) [value, beforeColon] = [undefined, false];
    if (depth === 0) return fields;
    at = start;
  }
  return fields;
}

/** Index behind the token at `at`; undefined for a string without end. */
function tokenEnd(bytes: Uint8Array, at: number): number | undefined {
  if (bytes[at] === QUOTE) {
    for (let index = at + 1; index < bytes.length; index += 1) {
      if (bytes[index] === BACKSLASH) index += 1;
      else if (bytes[index] === QUOTE) return index + 1;
    }
    return undefined;
  }
  let end = at + 1;
  if (isWordByte(bytes[at])) while (end < bytes.length && isWordByte(bytes[end])) end += 1;
  return end;
}

/** Index of the first byte of the token that ends before `end`; undefined for a string without start. */
function tokenStart(bytes: Uint8Array, end: number): number | undefined {
  let start = end - 1;
  if (bytes[start] === QUOTE) return stringStart(bytes, start);
  if (isWordByte(bytes[start])) while (start > 0 && isWordByte(bytes[start - 1])) start -= 1;
  return start;
}

/** Index of the quote that opens the string which the quote at `closing` closes. */
function stringStart(bytes: Uint8Array, closing: number): number | undefined {
  let quote = closing;
  while (quote > 0) {
    quote = bytes.lastIndexOf(QUOTE, quote - 1);
    let backslashCount = 0;
    while (bytes[quote - 1 - backslashCount] === BACKSLASH) backslashCount += 1;
    // Backslashes that reach the edge may have more of them behind it.
    if (quote - backslashCount <= 0) return undefined;
    if (backslashCount % 2 === 0) return quote;
    quote -= backslashCount;
  }
  return undefined;
}

function scalar(bytes: Uint8Array, start: number, end: number): unknown {
  if (end - start > TOKEN_MAX_BYTES) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes.subarray(start, end)).toString()) as unknown;
  } catch {
    // Not JSON after all; such a token tells nothing, and what follows it is still bounded by quotes.
    return undefined;
  }
}

function nextByte(bytes: Uint8Array, from: number): number | undefined {
  let at = from;
  while (isBlank(bytes[at])) at += 1;
  return bytes[at];
}

function isScalarStart(byte: number | undefined): boolean {
  return byte === QUOTE || isWordByte(byte);
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Bytes of numbers and of true, false, null: everything that is neither structure, string nor blank. */
function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined || isBlank(byte)) return false;
  return ![QUOTE, COLON, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET].includes(byte);
}
