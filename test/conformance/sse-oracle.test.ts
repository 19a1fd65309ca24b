// Goal: the incremental SSE reading agrees with the HTML standard's own definition on any text.
// Method: random bodies of lines, line ends, marks and odd bytes, cut at random, against a whole-text
// oracle written from §9.2.6 of the standard; fast-check prints its seed when it fails.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sse } from '../../src/stream/framings/sse.ts';
import { cutAt, inBytes } from '../unit/stream/read-all.ts';

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

/** The standard's algorithm on the whole text, but the end of the body dispatches what is there, and errors need no data. */
function oracle(bytes: Uint8Array): { items: Item[]; tail: boolean } {
  const text = Buffer.from(bytes)
    .toString()
    .replace(/^\uFEFF/, '');
  const items: Item[] = [];
  let data: string[] = [];
  let name: string | undefined;
  const dispatch = () => {
    if (data.length > 0 || name === 'error') items.push({ text: data.join('\n'), name });
    data = [];
    name = undefined;
  };
  const lines = text.split(/\r\n|\r|\n/);
  const lastLine = lines.pop() ?? '';
  const take = (line: string) => {
    if (line === '') dispatch();
    else if (line.startsWith(':')) items.push('comment');
    else {
      const [, field, value] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
      if (field === 'data') data.push(value ?? '');
      if (field === 'event') name = value === '' ? undefined : value;
    }
  };
  for (const line of lines) take(line);
  const before = items.length;
  if (lastLine !== '') take(lastLine);
  dispatch();
  return { items, tail: items.length > before };
}

const part = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('data: ', 'data:', 'data', 'event: ', 'event:', ': ', ':', 'id: 1', 'retry: 3'),
  },
  { weight: 4, arbitrary: fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r') },
  { weight: 2, arbitrary: fc.constantFrom('{"a":1}', '[DONE]', 'error', '渐', '🌍', 'é', ' ', 'dat', 'x:y') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
);
const body = fc
  .tuple(fc.boolean(), fc.array(part, { maxLength: 60 }))
  .map(([mark, parts]) => Buffer.from((mark ? '\uFEFF' : '') + parts.join('')));

describe('server-sent events against the standard', () => {
  it('give the same messages and comments, whichever way the bytes are cut', () => {
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
      { numRuns: 2000 },
    );
  });

  it('give the same for bytes that are no UTF-8', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((noise) => Buffer.concat([Buffer.from('data: '), noise]));
    fc.assert(
      fc.property(bytes, (noisy) => {
        expect(framed(inBytes(noisy))).toEqual(framed([noisy]));
      }),
      { numRuns: 500 },
    );
  });
});
