// Goal: the same bytes give the same events however they are cut, parsing resumes after what it
// cannot take, and the body is never touched (kind C).
// Method: raw writes cut inside line ends, characters and marks; events are read from the record.
import { describe, expect, test } from 'vitest';
import { eventCounts, eventKinds, gapCount } from '../support/answer.ts';
import { useBench } from '../support/bench.ts';
import { doubtsOfStream } from '../support/doubts.ts';
import { expectExact } from '../support/exact.ts';
import { expectUntilWrite } from '../support/causal.ts';
import { actAt, at, c, COMPLETIONS_TARGET, D, DONE, END, FINISH, HEAD, head, T, type Step } from '../support/script.ts';

const bench = useBench();
const MIB = 1024 * 1024;

/** Each feed is a chunk of its own, 20 ms after the one before. */
function feeds(...parts: readonly (string | Buffer)[]): Step[] {
  return [at(0, HEAD), ...parts.map((part, index) => at((index + 1) * 20, c(part))), at((parts.length + 1) * 20, END)];
}

function singleBytes(text: string): Buffer[] {
  return [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
}

describe('C1', () => {
  test('C1 a CRLF cut in two does not make two events of one', async () => {
    const run = await bench.check({ script: feeds('data: A\r\n', 'data: B\r', '\ndata: C\r\n', '\r', '\n') });
    expect(run.record.events.kind).toHaveLength(1);
    // The blank line is over at its CR; whoever waits for the LF is one read late, which is allowed.
    expect(run.record.events.chunk[0]).toBeGreaterThanOrEqual(3);
  });

  test.each([
    ['chat, CRLF', D('a') + D('b') + DONE, '\r\n', undefined],
    ['completions, CRLF', T('a') + T('b') + DONE, '\r\n', COMPLETIONS_TARGET],
    ['chat, CR alone', D('a') + D('b') + DONE, '\r', undefined],
  ])('C1 line ends in single bytes: %s', async (_, text, lineEnd, target) => {
    const bytes = singleBytes(text.replaceAll('\n', lineEnd));
    const script = [at(0, HEAD), ...bytes.map((byte, index) => at(index * 2, c(byte))), at(bytes.length * 2 + 20, END)];
    const run = await bench.check({ script, ...(target === undefined ? {} : { target }) });
    expect(eventCounts(run)).toMatchObject({ content: 2 });
    expect(run.record.answer.finishReasons).toEqual([]);
  });

  test('C1 CR, LF and CRLF mixed in one event', async () => {
    const text = `: x\r${D('a').trimEnd()}\r\n\n${D('b').trimEnd()}\n\r${DONE}`;
    const run = await bench.check({ script: feeds(text.slice(0, 30), text.slice(30)) });
    expect(eventCounts(run)).toMatchObject({ content: 2, done: 1 });
  });
});

describe('C2', () => {
  test('C2 a tail without its blank line is read and flagged, and nothing is appended', async () => {
    const run = await bench.check({ script: feeds(D('a'), FINISH.trimEnd()) });
    expect(run.record.answer.finishReasons).toEqual(['stop']);
    expect(run.record.doubts).toEqual(expect.arrayContaining(['unterminated_tail', 'no_done']));
    expect(run.record.end.outcome).toBe('ok');
    expect(gapCount(run)).toBe(0);
  });

  test.each([
    ['one line end of two', [D('a'), FINISH.slice(0, -1)], { content: 1, finish: 1 }],
    ['the end mark is the tail', [D('a'), DONE.trimEnd()], { content: 1, done: 1 }],
    ['the tail carries a token', [D('a'), FINISH + D('b').trimEnd()], { content: 2, finish: 1 }],
    ['CRLF lines', [D('a').replaceAll('\n', '\r\n'), FINISH.trimEnd()], { content: 1, finish: 1 }],
  ])('C2 %s', async (_, parts, counts) => {
    const run = await bench.check({ script: feeds(...parts) });
    expect(eventCounts(run)).toMatchObject(counts);
    expect(run.record.doubts).toContain('unterminated_tail');
    expect(run.record.end.outcome).toBe('ok');
  });

  test('C2 completions, close-delimited', async () => {
    const tail = T('b', {}).replace('"text":"b"', '"text":"b","finish_reason":"length"').trimEnd();
    const script = [
      at(0, head('200 OK', 'content-type: text/event-stream')),
      at(20, T('a')),
      at(40, tail),
      actAt(60, 'fin'),
    ];
    const run = await bench.check({ target: COMPLETIONS_TARGET, script });
    expect(run.record.answer.finishReasons).toEqual(['length']);
    expect(run.record.doubts).toEqual(expect.arrayContaining(['unterminated_tail', 'close_delimited']));
  });

  test('C2 a tail of half an event is no event', async () => {
    const run = await bench.check({ script: feeds(D('a'), DONE, D('b').slice(0, 30)) });
    expect(eventCounts(run)).toMatchObject({ content: 1, done: 1 });
    expect(run.record.end.outcome).toBe('ok');
  });
});

describe('C3', () => {
  async function endless(totalBytes: number, start: string, fill: string): Promise<void> {
    const block = Buffer.alloc(64 * 1024, fill);
    const run = await bench.run({
      script: async (exchange) => {
        await exchange.write(HEAD, c(start));
        for (let bytes = 0; bytes < totalBytes; bytes += block.length) await exchange.write(c(block));
        await exchange.write(END);
      },
    });
    expectExact(run);
    const entry = await bench.recordOf(run);
    expect(entry.record.doubts).toContain('parse_overflow');
    expect(entry.record.response.receivedBytes).toBe(run.exchange.answer?.bodyBytes);
    expect(entry.record.response.deliveredBytes).toBe(run.response.bodyBytes);
  }

  test('C3 64 MiB without a line end pass whole, in bounded memory', async () => {
    // The pages of the tape and the heap's room for short-lived buffers are taken once, by these two.
    for (let round = 0; round < 2; round += 1) await endless(64 * MIB, 'data: ', 'x');
    const before = bench.sidecar.rssBytes();
    await endless(64 * MIB, 'data: ', 'x');
    expect(bench.sidecar.rssBytes() - before).toBeLessThan(32 * MIB);
    const after = await bench.check({ script: feeds(D('a'), D('b'), DONE) });
    expect(eventCounts(after)).toEqual({ content: 2, done: 1 });
  });

  test.each([
    ['a comment', ': ', 'x'],
    ['a field name', 'y', 'y'],
    ['many data lines but no blank one', 'data: z', '\ndata: z'],
  ])('C3 %s without end', async (_, start, fill) => {
    await endless(4 * MIB, start, fill);
  });
});

describe('C4', () => {
  function oversize(bytes: Buffer, rest: readonly string[]): Step[] {
    const pieces: Step[] = [];
    for (let from = 0, index = 0; from < bytes.length; from += 16 * 1024, index += 1) {
      pieces.push(at(index * 2, c(bytes.subarray(from, from + 16 * 1024))));
    }
    const next = pieces.length * 2 + 20;
    return [at(0, HEAD), ...pieces, ...rest.map((part, index) => at(next + index * 20, c(part))), at(next + 80, END)];
  }

  const image = `data: {"type":"response.image_generation_call.partial_image","b64":"${'A'.repeat(4 * MIB)}"}\n\n`;

  test.each([
    ['a 4 MiB image event', image],
    ['its lines end in CRLF', image.replaceAll('\n', '\r\n')],
    ['it spreads over many data lines', `data: {"a":[\n${'data: 1234567,\n'.repeat(150_000)}data: 0]}\n\n`],
  ])('C4 parsing goes on after an oversize event: %s', async (_, big) => {
    const run = await bench.check({ script: oversize(Buffer.from(big), [D('a'), D('b'), DONE]) });
    expect(eventCounts(run)).toMatchObject({ content: 2, done: 1 });
    expect(run.record.end.outcome).toBe('ok');
    expect(run.record.doubts.includes('parse_overflow') || eventCounts(run).other === 1).toBe(true);
  });

  test('C4 an oversize event that ends in the chunk that begins the next one', async () => {
    const run = await bench.check({ script: oversize(Buffer.from(image + D('a') + D('b') + DONE), []) });
    expect(eventCounts(run)).toMatchObject({ content: 2, done: 1 });
    expect(run.record.end.outcome).toBe('ok');
  });

  test('C4 two oversize events around a normal one', async () => {
    const run = await bench.check({ script: oversize(Buffer.from(image + D('a') + image), [D('b'), DONE]) });
    expect(eventCounts(run)).toMatchObject({ content: 2, done: 1 });
  });
});

describe('C5', () => {
  const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
  const text = (parts: readonly (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));

  test('C5 a byte order mark cut in two costs no event', async () => {
    const run = await bench.check({
      script: [
        at(0, HEAD, c(BOM.subarray(0, 1))),
        at(20, c(text([BOM.subarray(1), D('first')]))),
        at(40, c(D('second')), c(DONE), END),
      ],
    });
    expect(eventCounts(run)).toEqual({ content: 2, done: 1 });
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expectUntilWrite(run, run.figures.firstEventNs, 1);
  });

  test.each([
    ['whole, with the first event', [text([BOM, D('a')]), D('b'), DONE]],
    ['alone in a chunk', [BOM, D('a'), D('b'), DONE]],
    ['in three chunks', [...[0, 1, 2].map((index) => BOM.subarray(index, index + 1)), D('a'), D('b'), DONE]],
    ['before a comment', [text([BOM, ': hi\n\n']), D('a'), D('b'), DONE]],
  ])('C5 a byte order mark %s', async (_, parts) => {
    const run = await bench.check({ script: feeds(...parts) });
    expect(eventCounts(run)).toMatchObject({ content: 2, done: 1 });
    expect(doubtsOfStream(run.record)).toEqual([]);
  });

  test('C5 completions with a mark and CRLF', async () => {
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: feeds(text([BOM, T('a').replaceAll('\n', '\r\n')]), T('b'), DONE),
    });
    expect(eventCounts(run)).toEqual({ content: 2, done: 1 });
  });
});

describe('C6', () => {
  const lines = [
    'event: message',
    'id: 3',
    'data: {"choices":[{"index":0,',
    'data: "delta":{"content":"a"}}]}',
    '',
    '',
  ];

  test('C6 several data lines are one event', async () => {
    const run = await bench.check({ script: feeds(lines.join('\n'), DONE) });
    expect(eventKinds(run)).toEqual(['content', 'done']);
    expect(doubtsOfStream(run.record)).toEqual([]);
  });

  test.each([
    ['CRLF', lines.join('\r\n')],
    ['no space after the colon', lines.join('\n').replaceAll('data: ', 'data:')],
    [
      'an unknown field and a comment between',
      lines.join('\n').replace('data: "delta"', ': c\nfoo: bar\ndata: "delta"'),
    ],
    ['an empty data line between', lines.join('\n').replace('data: "delta"', 'data:\ndata: "delta"')],
  ])('C6 several data lines: %s', async (_, text) => {
    const run = await bench.check({ script: feeds(text.slice(0, 40), text.slice(40), DONE) });
    expect(eventCounts(run)).toMatchObject({ content: 1, done: 1 });
  });

  test('C6 completions, each line in a chunk of its own', async () => {
    const text = ['data: {"choices":[', 'data: {"index":0,', 'data: "text":"a"}]}', ''].map((line) => `${line}\n`);
    const run = await bench.check({ target: COMPLETIONS_TARGET, script: feeds(...text, DONE) });
    expect(eventKinds(run)).toEqual(['content', 'done']);
    expectUntilWrite(run, run.figures.ttftNs, 3);
  });
});
