// Goal: nothing is edited in passing, in either direction, and what cannot be read is called
// unread, never empty (kind B).
// Method: raw bytes with cuts in the worst places; hashes of both ends are compared; the record
// file must not show half a character, a made-up count or an error.
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, createGzip, createDeflate, constants, zstdCompressSync, type Gzip } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { eventCounts } from '../support/answer.ts';
import { useBench } from '../support/bench.ts';
import { expectUntilWrite } from '../support/causal.ts';
import { sha256 } from '../support/exact.ts';
import {
  at,
  c,
  CHAT_TARGET,
  COMPLETIONS_TARGET,
  D,
  delta,
  DONE,
  END,
  event,
  HEAD,
  head,
  T,
  type Step,
} from '../support/script.ts';

const bench = useBench();

/** Writes the bytes in pieces that end at these offsets, so many ms apart. */
function cut(bytes: Buffer, offsets: readonly number[], everyMs: number, startMs = 0): Step[] {
  const ends = [...offsets, bytes.length];
  return ends.map((end, index) =>
    at(startMs + index * everyMs, c(bytes.subarray(index === 0 ? 0 : ends[index - 1], end))),
  );
}

describe('B1', () => {
  const text = '渐🌍';

  test('B1 half a character leaves at once and is read whole', async () => {
    const bytes = Buffer.from(D(text));
    expect(bytes.length).toBe(63);
    const run = await bench.check({ script: [at(0, HEAD), ...cut(bytes, [50, 54], 30), at(90, c(DONE), END)] });
    expect(eventCounts(run)).toEqual({ content: 1, done: 1 });
    expectUntilWrite(run, run.figures.ttftNs, 2);
    expect(JSON.stringify(run.record)).not.toContain('\uFFFD');
  });

  test.each([
    ['reasoning', delta({ reasoning_content: text }), { reasoning: 1, done: 1 }],
    [
      'tool arguments',
      delta({ tool_calls: [{ index: 0, function: { arguments: `{"a":"${text}"}` } }] }),
      { tool: 1, done: 1 },
    ],
    ['a refusal', delta({ refusal: text }), { refusal: 1, done: 1 }],
  ] as const)('B1 every single byte apart: %s', async (_, payload, counts) => {
    const bytes = Buffer.from(payload);
    const offsets = Array.from({ length: bytes.length - 1 }, (__, index) => index + 1);
    const run = await bench.check({ script: [at(0, HEAD), ...cut(bytes, offsets, 1), at(200, c(DONE), END)] });
    expect(eventCounts(run)).toEqual(counts);
    expect(JSON.stringify(run.record)).not.toContain('\uFFFD');
  });

  test('B1 completions with lines that end in CRLF, cut inside each character', async () => {
    const bytes = Buffer.from(T(text).replaceAll('\n', '\r\n'));
    const first = bytes.indexOf('渐');
    const offsets = [first + 1, first + 2, first + 4, first + 6];
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: [at(0, HEAD), ...cut(bytes, offsets, 15), at(120, c(DONE), END)],
    });
    expect(eventCounts(run)).toEqual({ content: 1, done: 1 });
  });

  test('B1 bytes that are no UTF-8 at all pass as they are', async () => {
    const bytes = Buffer.concat([
      Buffer.from('data: '),
      Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
      Buffer.from('\n\n'),
    ]);
    const run = await bench.check({ script: [at(0, HEAD, c(bytes)), at(20, c(D('a'))), at(40, c(DONE), END)] });
    expect(eventCounts(run)).toMatchObject({ content: 1, done: 1 });
  });
});

describe('B2', () => {
  const parts = [D('a'), D('b'), DONE];

  /** The parts as one compressed stream, flushed after each so that a reader can have it at once. */
  async function flushed(stream: Gzip, texts: readonly string[]): Promise<Buffer[]> {
    const pieces: Buffer[] = [];
    for (const text of texts) {
      stream.write(text);
      await new Promise<void>((resolve) => stream.flush(constants.Z_SYNC_FLUSH, resolve));
      pieces.push(stream.read() as Buffer);
    }
    const last = pieces.pop() ?? Buffer.alloc(0);
    return [...pieces, Buffer.concat([last, await buffer(stream.end())])];
  }

  function scriptOf(encoding: string, pieces: readonly Buffer[]): Step[] {
    const top = head(
      '200 OK',
      'content-type: text/event-stream',
      `content-encoding: ${encoding}`,
      'transfer-encoding: chunked',
    );
    return [
      at(0, top),
      ...pieces.map((piece, index) => at(10 + index * 100, c(piece))),
      at(20 + pieces.length * 100, END),
    ];
  }

  test.each([
    ['gzip', (): Gzip => createGzip()],
    ['deflate', (): Gzip => createDeflate()],
    ['X-GZIP', (): Gzip => createGzip()],
  ])('B2 a %s stream passes compressed and is read on a copy', async (encoding, make) => {
    const pieces = await flushed(make(), parts);
    const run = await bench.check({ lines: ['accept-encoding: gzip'], script: scriptOf(encoding, pieces) });
    expect(run.response.values('content-encoding')).toEqual([encoding]);
    expect(run.exchange.request.values('accept-encoding')).toEqual(['gzip']);
    expect(eventCounts(run)).toEqual({ content: 2, done: 1 });
    expect(run.record.end.outcome).toBe('ok');
    expect(run.record.response.encoding).toBeDefined();
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expect(run.record.tokens.output).toBeUndefined();
  });

  test('B2 gzip in single bytes is read all the same', async () => {
    const bytes = Buffer.concat(await flushed(createGzip(), parts));
    const top = head(
      '200 OK',
      'content-type: text/event-stream',
      'content-encoding: gzip',
      'transfer-encoding: chunked',
    );
    const steps = [...bytes].map((byte, index) => at(index, c(Buffer.from([byte]))));
    const run = await bench.check({ script: [at(0, top), ...steps, at(bytes.length + 10, END)] });
    expect(eventCounts(run)).toEqual({ content: 2, done: 1 });
  });

  test.each([
    ['br', brotliCompressSync(parts.join(''))],
    ['zstd', zstdCompressSync(parts.join(''))],
  ])('B2 a %s answer passes untouched and is read or called unreadable', async (encoding, bytes) => {
    const run = await bench.check({ script: scriptOf(encoding, [bytes]) });
    expectReadOrUnread(run.record.answer.unreadable, eventCounts(run).content);
    expect(run.record.answer.errorType).toBeUndefined();
  });

  test.each([
    ['an unknown coding', 'x-rot13', Buffer.from(parts.join(''))],
    ['a coding that is a lie', 'gzip', Buffer.from(parts.join(''))],
    ['two codings', 'gzip, br', Buffer.from([1, 2, 3, 4])],
  ])('B2 %s passes untouched and is called unreadable, not an error', async (_, encoding, bytes) => {
    const run = await bench.check({ script: scriptOf(encoding, [bytes]) });
    expect(run.record.answer.unreadable).toBeDefined();
    expect(run.record.doubts).toContain('unreadable');
    expect(run.figures.noFirstToken).toBe('unreadable');
    expect(run.record.tokens).toEqual({});
    expect(run.record.end.outcome).not.toBe('error_inband');
  });

  function expectReadOrUnread(unreadable: string | undefined, contentCount: number | undefined): void {
    expect(unreadable === undefined ? contentCount : 'unread').toBe(unreadable === undefined ? 2 : 'unread');
  }
});

describe('B3', () => {
  const answer = [at(0, HEAD, c(D('a'))), at(30, c(DONE), END)];

  test.each([
    ['the case', '{"stream" : true,"stream_options": {"include_usage":false} }'],
    ['no options at all', '{"stream":true, "n":1}\r\n'],
    ['options of null', '\t{"stream":true,"stream_options":null}'],
  ])('B3 the request body is not edited to obtain usage: %s', async (name, body) => {
    const path = `/b3-${slug(name)}${CHAT_TARGET}`;
    const { exchange, response } = await bench.run({ script: answer, body, target: path });
    expect(exchange.request.body.toString()).toBe(body);
    expect(exchange.request.values('content-length')).toEqual([String(body.length)]);
    expect(response.body.toString()).toBe(D('a') + DONE);
    const { record, figures } = await bench.sidecar.record(name, ({ request }) => request.path === path);
    expect(record.answer.dialect).toBe('openai-chat');
    expect(record.tokens.output).toBeUndefined();
    expect(figures.tpotNs).toBeUndefined();
    expect(record.request.stream).toBe(true);
  });

  test('B3 usage that the client asked for is read and passes', async () => {
    const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 } });
    const run = await bench.check({ script: [at(0, HEAD, c(D('a'))), at(20, c(usage)), at(40, c(DONE), END)] });
    expect(run.record.tokens).toMatchObject({ prompt: 7, output: 1, basis: 'usage' });
  });
});

describe('B4', () => {
  const answer = [at(0, HEAD, c(D('a'))), at(30, c(DONE), END)];
  const odd = '{\n  "a":1, "a":2, "n":12345678901234567890, "s":"\\u00e9\\/"\n}\n';
  const late = `{"messages":[{"role":"user","content":"${'long '.repeat(80_000)}"}],"model":"late","stream":true}`;

  test.each([
    ['the case', 'application/json; charset=utf-8', Buffer.from(odd)],
    ['no JSON at all', 'application/json', Buffer.from('{"model": "m", stream: yes')],
    ['an empty body with a JSON type', 'application/json', Buffer.alloc(0)],
    ['Latin-1', 'text/plain; charset=iso-8859-1', Buffer.from('é\u0000\u00ff', 'latin1')],
    ['a form', 'multipart/form-data; boundary="--x y"', Buffer.from('----x y\r\n\r\n\x00\xff\r\n----x y--', 'latin1')],
    ["a media type of one's own", 'application/vnd.acme.v2+json;q=1;;', Buffer.from(odd)],
    ['keys behind 400 KB of messages', 'application/json', Buffer.from(late)],
  ])('B4 the request body reaches the engine byte for byte: %s', async (name, type, body) => {
    const path = `/b4-${slug(name)}${CHAT_TARGET}`;
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd();
      await exchange.play(answer);
    });
    const client = await bench.client();
    const top = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
    client.request(Buffer.concat([Buffer.from(top), body]));
    await client.response();
    const { request } = await plan.exchange;
    expect(request.sha256).toBe(sha256(body));
    expect(request.values('content-length')).toEqual([String(body.length)]);
    expect(request.values('content-type')).toEqual([type]);
    const { record } = await bench.sidecar.record(name, (each) => each.request.path === path);
    expect(record.request.bodyBytes).toBe(body.length);
    expect(record.end.outcome).toBe('ok');
  });
});

/** A case's name as a part of a path, by which its record is found. */
function slug(name: string): string {
  return name.replaceAll(/\W+/g, '-');
}
