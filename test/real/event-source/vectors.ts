// Event streams, one topic of the HTML standard (§9.2.5 and §9.2.6) each, as the pieces in which they
// are sent. Where our reading is meant to differ from a browser's the vector says how and why.

/** A message as both sides tell it: the name is that of the field `event`, or `message`. */
export interface Message {
  readonly name: string;
  readonly data: string;
}

export interface Vector {
  readonly name: string;
  readonly pieces: readonly (string | Uint8Array)[];
  /** What we read, and why not what a browser dispatches. */
  readonly ours?: { readonly messages: readonly Message[]; readonly because: string };
}

/** Names of events that the page listens to. */
export const EVENT_NAMES = ['message', 'add', 'remove', 'error', 'Add', ' add'] as const;

function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}

const message = (data: string): Message => ({ name: 'message', data });

const BOM = '\u{feff}';
const TAIL = 'An answer that is cut, or whose engine forgets the last blank line, still said what it said.';
const ERROR = 'Some engines report an error in an event without data, which a browser drops.';
const BARE = 'Some engines write an error as an object without the field data, which a browser drops.';

export const VECTORS: readonly Vector[] = [
  // Line ends.
  { name: 'lines end in LF', pieces: ['data: a\n\ndata: b\n\n'] },
  { name: 'lines end in CR LF', pieces: ['data: a\r\n\r\ndata: b\r\n\r\n'] },
  { name: 'lines end in CR', pieces: ['data: a\r\rdata: b\r\r'] },
  { name: 'line ends are mixed', pieces: ['data: a\rdata: b\ndata: c\r\n\r\ndata: d\n\rdata: e\r\n\n'] },
  { name: 'CR and LF come in two pieces', pieces: ['data: a\r', '\n\r', '\ndata: b\r', '\n\r', '\n'] },
  { name: 'every byte comes by itself', pieces: [...'event: add\r\ndata: 1\r\n\r\ndata: 2\n\n'] },
  { name: 'other line ends of Unicode are none', pieces: ['data: a\u{2028}b\u{2029}c\u{85}d\v\fe\n\n'] },
  { name: 'blank lines alone are nothing', pieces: ['\n\n\n\r\n\r\rdata: a\n\n\n\n'] },
  // The byte order mark.
  { name: 'a byte order mark begins the stream', pieces: [`${BOM}data: a\n\n`] },
  { name: 'a byte order mark comes in pieces', pieces: [bytes(0xef), bytes(0xbb), bytes(0xbf), 'data: a\n\n'] },
  { name: 'a second byte order mark is part of a name', pieces: [`${BOM}${BOM}data: a\n\ndata: b\n\n`] },
  { name: 'a byte order mark inside is part of a name', pieces: [`data: a\n\n${BOM}data: b\n\n`] },
  { name: 'a byte order mark in a value stays', pieces: [`data: ${BOM}a\n\n`] },
  // Comments.
  { name: 'comments say nothing', pieces: [': hello\n:\n:data: no\n\ndata: a\n: in between\ndata: b\n\n'] },
  { name: 'a stream of comments only', pieces: [': a\n\n: b\n\n'] },
  { name: 'a long comment', pieces: [`:${'x'.repeat(70_000)}\n`, 'data: a\n\n'] },
  // Data.
  { name: 'data without a colon', pieces: ['data\n\ndata\ndata\n\n'] },
  { name: 'data without a value', pieces: ['data:\n\ndata: \n\n'] },
  { name: 'lines of data are joined', pieces: ['data: a\ndata:b\ndata\ndata: c\n\n'] },
  { name: 'one space is taken away, not two', pieces: ['data:a\ndata: b\ndata:  c\ndata:\td\n\n'] },
  { name: 'colons in data stay', pieces: ['data: a: b\ndata::c\n\n'] },
  { name: 'a NUL in data stays', pieces: ['data: a\0b\n\n'] },
  { name: 'data of 300 KiB', pieces: [`data: ${'0123456789abcdef'.repeat(19_200)}\n\n`, 'data: after\n\n'] },
  { name: 'a thousand small events', pieces: [Array.from({ length: 1000 }, (_, at) => `data: ${at}\n\n`).join('')] },
  { name: 'JSON as engines write it', pieces: ['data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n'] },
  // Other fields.
  { name: 'a name holds for one event', pieces: ['event: add\ndata: 1\n\ndata: 2\n\nevent: remove\ndata: 3\n\n'] },
  { name: 'the last name counts', pieces: ['event: remove\nevent: add\ndata: 1\n\n'] },
  { name: 'an empty name is the usual one', pieces: ['event: add\nevent:\ndata: 1\n\nevent\ndata: 2\n\n'] },
  { name: 'a name keeps its case and its second space', pieces: ['event: Add\ndata: 1\n\nevent:  add\ndata: 2\n\n'] },
  { name: 'a name without data is nothing', pieces: ['event: add\n\ndata: 1\n\n'] },
  { name: 'an error with data is an event', pieces: ['event: error\ndata: {"error":"x"}\n\n'] },
  { name: 'field names are case-sensitive', pieces: ['Data: a\nDATA: b\ndata: c\n\n'] },
  { name: 'a space before a name makes another one', pieces: [' data: a\ndata : b\ndata: c\n\n'] },
  { name: 'unknown fields are ignored', pieces: ['foo: bar\nfoo\nda: a\ndataX: b\ndata: c\n\n'] },
  { name: 'ids are no messages', pieces: ['id: 1\n\nid: 2\ndata: a\n\nid\ndata: b\n\n'] },
  { name: 'an id with NUL is ignored', pieces: ['id: 1\0\ndata: a\n\n'] },
  { name: 'retry is no message', pieces: ['retry: 100000\n\nretry: x\ndata: a\n\nretry\ndata: b\n\nretry: 1e3\n\n'] },
  // UTF-8.
  {
    name: 'characters come in pieces',
    pieces: ['data: ', bytes(0xe6, 0xb8), bytes(0x90), bytes(0xf0), bytes(0x9f, 0x8c, 0x8d), '\n\n'],
  },
  { name: 'bytes that are no UTF-8', pieces: ['data: a', bytes(0xff, 0xfe), 'b', bytes(0xc0, 0x80), '\n\n'] },
  { name: 'half a character before a line end', pieces: ['data: a', bytes(0xe6, 0xb8), '\n\ndata: b\n\n'] },
  { name: 'surrogates as UTF-8', pieces: ['data: ', bytes(0xed, 0xa0, 0x80), 'a\n\n'] },
  { name: 'an overlong slash', pieces: ['data: ', bytes(0xe0, 0x80, 0xaf), 'a\n\n'] },
  // The end.
  { name: 'an empty stream', pieces: [''] },
  { name: 'a half comment at the end', pieces: ['data: a\n\n: bye'] },
  {
    name: 'no blank line at the end',
    pieces: ['data: a\n\ndata: b\n'],
    ours: { messages: [message('a'), message('b')], because: TAIL },
  },
  {
    name: 'no line end at the end',
    pieces: ['data: a\n\nevent: add\ndata: b'],
    ours: { messages: [message('a'), { name: 'add', data: 'b' }], because: TAIL },
  },
  {
    name: 'half a field at the end',
    pieces: ['data: a\n\ndata'],
    ours: { messages: [message('a'), message('')], because: TAIL },
  },
  // What engines do beyond the standard.
  {
    name: 'an error without data',
    pieces: ['data: a\n\nevent: error\n\ndata: b\n\n'],
    ours: { messages: [message('a'), { name: 'error', data: '' }, message('b')], because: ERROR },
  },
  {
    name: 'an object without a field',
    pieces: ['data: a\n\n{"error":{"message":"x"}}\n\n'],
    ours: { messages: [message('a'), message('{"error":{"message":"x"}}')], because: BARE },
  },
];
