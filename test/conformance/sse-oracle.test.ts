// Goal: the incremental SSE reading agrees with the HTML standard's own definition on any text.
// Method: random bodies of lines, line ends, marks and odd bytes, cut at random, against a whole-text
// oracle written from §9.2.6 of the standard, and from our own words for what goes beyond it (an error
// without data, an object without a field, the tail); fast-check prints its seed when it fails (T23).
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sse } from '../../src/stream/framings/sse.ts';
import { cutAt, inBytes } from '../unit/stream/read-all.ts';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.ts';

type Item = { readonly text: string; readonly name: string | undefined } | 'comment';

function framed(pieces: readonly Uint8Array[]): { items: Item[]; tail: boolean } {
  const items: Item[] = [];
  let tail = false;
  const framing = sse.open({
    onMessage: (text, name) => items.push({ text, name }),
    onComment: () => items.push('comment'),
    onOverflow: () => expect.unreachable('no body here is that large'),
    onDoubt: (doubt) => {
      tail ||= doubt === 'unterminated_tail';
    },
    onUnreadable: () => expect.unreachable('SSE is always readable'),
  });
  for (const piece of pieces) framing.feed(piece);
  framing.end();
  return { items, tail };
}

interface Found {
  /** Offset in the text behind its last character. */
  readonly end: number;
  readonly item: Item;
}

/** The standard's algorithm on the whole text, but errors need no data; and what the end of the body dispatches. */
function standardItems(text: string): { found: Found[]; tail: Item[] } {
  const found: Found[] = [];
  let data: string[] = [];
  let name: string | undefined;
  const take = (line: string): Item[] => {
    if (line.startsWith(':')) return ['comment'];
    if (line === '') {
      const item = data.length > 0 || name === 'error' ? [{ text: data.join('\n'), name }] : [];
      data = [];
      name = undefined;
      return item;
    }
    const [, field, value] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
    if (field === 'data') data.push(value ?? '');
    if (field === 'event') name = value === '' ? undefined : value;
    return [];
  };
  let end = 0;
  for (const [whole, line = ''] of text.matchAll(/([^\r\n]*)(?:\r\n|\r|\n)/g)) {
    end += whole.length;
    for (const item of take(line)) found.push({ end, item });
  }
  const lastLine = text.slice(end);
  return { found, tail: [...(lastLine === '' ? [] : take(lastLine)), ...take('')] };
}

/** Objects that begin a line; the last one may have no end. */
function bareItems(text: string, marked: boolean): Found[] {
  const found: Found[] = [];
  let at = 0;
  while (at < text.length) {
    const begins = text[at] === '{' && (at === 0 ? !marked : text[at - 1] === '\n');
    if (begins) {
      const end = bareEnd(text, at);
      found.push({ end: end ?? Infinity, item: { text: text.slice(at, end), name: undefined } });
      at = end ?? text.length;
    } else at += 1;
  }
  return found;
}

/** Behind the shortest part that has as many brackets closed as opened, texts left out. */
function bareEnd(text: string, start: number): number | undefined {
  for (let end = start + 1; end <= text.length; end += 1) {
    const outside = text.slice(start, end).replaceAll(/"(?:[^"\\]|\\.)*"/gs, '');
    const opened = outside.split(/[{[]/).length;
    if (!outside.includes('"') && opened === outside.split(/[}\]]/).length) return end;
  }
  return undefined;
}

function oracle(bytes: Uint8Array): { items: Item[]; tail: boolean } {
  const marked = Buffer.from(bytes).toString();
  const text = marked.replace(/^\uFEFF/, '');
  const { found, tail } = standardItems(text);
  const bare = bareItems(text, marked !== text);
  const all = [...found, ...bare].toSorted((one, other) => one.end - other.end);
  const unended = bare.some(({ end }) => end === Infinity);
  return { items: [...all.map(({ item }) => item), ...tail], tail: unended || tail.length > 0 };
}

const part = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('data: ', 'data:', 'data', 'event: ', 'event:', ': ', ':', 'id: 1', 'retry: 3'),
  },
  { weight: 4, arbitrary: fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r') },
  { weight: 2, arbitrary: fc.constantFrom('{"a":1}', '{', '}"', '[DONE]', 'error', '渐', '🌍', ' ', 'dat', 'x:y') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
);
const body = fc
  .tuple(fc.boolean(), fc.array(part, { maxLength: 60 }))
  .map(([mark, parts]) => Buffer.from((mark ? '\uFEFF' : '') + parts.join('')));

describe('server-sent events against the standard', () => {
  it(
    'give the same messages and comments, whichever way the bytes are cut',
    () => {
      fc.assert(
        fc.property(body, fc.array(fc.nat(200), { maxLength: 10 }), (bytes, cuts) => {
          const expected = oracle(bytes);
          expect(framed([bytes])).toEqual(expected);
          expect(framed(inBytes(bytes))).toEqual(expected);
          expect(
            framed(
              cutAt(
                bytes,
                cuts.map((cut) => Math.min(cut, bytes.length)),
              ),
            ),
          ).toEqual(expected);
        }),
        fuzz(2000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  it(
    'give the same for bytes that are no UTF-8',
    () => {
      const bytes = fc.uint8Array({ maxLength: 40 }).map((noise) => Buffer.concat([Buffer.from('data: '), noise]));
      fc.assert(
        fc.property(bytes, (noisy) => {
          expect(framed(inBytes(noisy))).toEqual(framed([noisy]));
        }),
        fuzz(500),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});
