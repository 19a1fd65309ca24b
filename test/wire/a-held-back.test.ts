// Goal: rubato itself never holds, compresses or hides anything that was already there (kind A).
// Method: raw engine and client; `check` compares bytes with what the engine wrote (EXACT) and
// each delivery with a direct run of the same script beside it (PROMPT).
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { expectLargestGap, expectUntilWrite } from '../support/causal.ts';
import { actAt, at, c, COMPLETIONS_TARGET, D, DONE, END, HEAD, head, T } from '../support/script.ts';

const bench = useBench();
const SSE = 'content-type: text/event-stream';
const CHUNKED = 'transfer-encoding: chunked';

describe('A1', () => {
  test('A1 the head leaves at once although the body comes 600 ms later', async () => {
    const run = await bench.check({ script: [at(0, HEAD), at(600, c(D('a')), c(DONE), END)] });
    const { figures } = run;
    expect(figures.headNs).toBeLessThan((figures.firstEventNs ?? 0) - 400e6);
    expectUntilWrite(run, figures.firstEventNs, 0);
    expectUntilWrite(run, figures.ttftNs, 0);
  });

  test.each([
    ['completions', COMPLETIONS_TARGET, [at(0, HEAD), at(200, c(T('a')), c(DONE), END)]],
    [
      'a media type with parameters',
      undefined,
      [
        at(0, head('200 OK', 'Content-Type: text/event-stream; charset="utf-8"; x=1', CHUNKED)),
        at(200, c(D('a')), c(DONE), END),
      ],
    ],
    [
      'a body of stated length',
      undefined,
      [at(0, head('200 OK', 'content-type: application/json', 'content-length: 9')), at(200, '{"a":'), at(300, '"b"}')],
    ],
    ['a close-delimited body', undefined, [at(0, head('200 OK', SSE)), at(200, D('a'), DONE), actAt(220, 'fin')]],
    [
      'an error status',
      undefined,
      [at(0, head('503 Loading Model', 'retry-after: 5', CHUNKED)), at(200, c('wait'), END)],
    ],
  ] as const)('A1 the head leaves at once: %s', async (_, target, script) => {
    await bench.check({ script, ...(target === undefined ? {} : { target }) });
  });

  test('A1 a head that trickles in byte by byte leaves when it is whole', async () => {
    const bytes = [...HEAD].map((char, index) => at(index * 2, char));
    await bench.check({ script: [...bytes, at(400, c(D('a')), c(DONE), END)] });
  });

  test('A1 an HTTP/1.0 reader gets the head at once', async () => {
    const script = [at(0, HEAD), at(300, c(D('a')), c(DONE), END)];
    const { client, exchange, response } = await bench.run({ script, version: '1.0' });
    await client.untilGone();
    expect(response.head?.atNs).toBeLessThan(exchange.writes[1]?.atNs ?? 0);
  });
});

describe('A3', () => {
  const events = [0, 50, 100, 150, 200].map((ms) => at(ms, c(D('a'))));

  test.each([
    ['lower case', ['x-accel-buffering: no', 'cache-control: no-cache, no-transform']],
    [
      'other case and spacing',
      ['X-Accel-Buffering:no', 'Cache-Control:   no-cache,no-transform', 'X-Accel-Buffering: no'],
    ],
    ['nothing of the kind', []],
    ['the opposite wish', ['x-accel-buffering: yes', 'cache-control: max-age=0', 'surrogate-control: x', 'pragma: y']],
  ])('A3 what edges are told about buffering passes untouched: %s', async (_, lines) => {
    const { response } = await bench.check({
      script: [at(0, head('200 OK', SSE, ...lines, CHUNKED)), ...events, at(250, c(DONE), END)],
    });
    const told = response.head?.lines.filter((line) => /^(x-accel|cache-control|surrogate|pragma)/i.test(line));
    expect(told?.map(unpadded)).toEqual(lines.map(unpadded));
  });

  test('A3 neither Date nor Server nor Via nor Vary is added', async () => {
    const { response } = await bench.check({ script: [at(0, HEAD), at(10, c(DONE), END)] });
    const names = response.head?.lines.map((line) => line.split(':')[0]?.toLowerCase());
    expect(names?.filter((name) => name !== 'connection' && name !== 'keep-alive').toSorted()).toEqual([
      'content-type',
      'transfer-encoding',
    ]);
  });
});

describe('A4', () => {
  test.each([['gzip, br, zstd'], ['identity;q=1, *;q=0'], ['GZIP'], ['']])(
    'A4 accept-encoding "%s" reaches the engine, and an identity stream stays one',
    async (wish) => {
      const run = await bench.check({
        lines: [`accept-encoding: ${wish}`],
        script: [at(0, HEAD, c(D('a'))), at(300, c(D('b'))), at(600, c(DONE), END)],
      });
      expect(run.exchange.request.values('accept-encoding')).toEqual([wish]);
      expect(run.response.values('content-encoding')).toEqual([]);
      expectLargestGap(run, 0, 1);
    },
  );

  test('A4 an engine that is not asked for an encoding is not asked by rubato', async () => {
    const run = await bench.check({ script: [at(0, HEAD, c(D('a'))), at(30, c(DONE), END)] });
    expect(run.exchange.request.values('accept-encoding')).toEqual([]);
    expect(run.exchange.request.values('te')).toEqual([]);
  });

  test('A4 a large text answer is not compressed either', async () => {
    const text = 'the same words again and again '.repeat(4_000);
    const length = `content-length: ${text.length}`;
    const run = await bench.check({
      lines: ['accept-encoding: gzip, deflate, br, zstd'],
      script: [at(0, head('200 OK', 'content-type: text/plain', length), text.slice(0, 10)), at(100, text.slice(10))],
    });
    expect(run.response.values('content-length')).toEqual([String(text.length)]);
    expect(run.response.values('content-encoding')).toEqual([]);
  });
});

/** Space around a field's value is not part of it (RFC 9110 section 5.5). */
function unpadded(line: string): string {
  const colon = line.indexOf(':');
  return `${line.slice(0, colon)}:${line.slice(colon + 1).trim()}`;
}
