// Goal: what a client of HTTP/2 breaks off or never ends is not taken for whole, holds nothing for ever, and gets no more
// than the same would get over HTTP/1.1.
// Method: bare frames, and Node's client where it must read slowly, before a sidecar with --http2 and a raw engine.
import { constants } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { useH2Benches } from '../support/h2-bench.ts';
import { CANCEL, FLAG, FRAME, frame, type FrameClient, headFrame, LINE } from '../support/h2-client.ts';
import { RawClient } from '../support/raw-client.ts';
import { at, c, END, head, requestOf, type Step } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const NO_ERROR = constants.NGHTTP2_NO_ERROR;
const OK = [at(0, head('200 OK', 'content-length: 2'), 'ok')];
const { start, client: clientOf, frames } = useH2Benches();

const codeOf = (code: number): Buffer => Buffer.from([0, 0, 0, code]);

describe('a body without a stated length that is broken off', () => {
  test.each<[string, (client: FrameClient) => unknown]>([
    ['by RST_STREAM(CANCEL)', (client) => client.send(frame(FRAME.reset, 0, 1, codeOf(CANCEL)))],
    ['by RST_STREAM(NO_ERROR)', (client) => client.send(frame(FRAME.reset, 0, 1, codeOf(NO_ERROR)))],
    ['by the end of its connection', (client) => client.stop()],
  ])('%s is no whole request for the engine', async (_how, breakOff) => {
    const bench = await start();
    const plan = bench.engine.plan([at(60_000, 'never')]);
    const client = frames(bench);
    client.begin(headFrame(1, LINE), frame(FRAME.data, 0, 1, Buffer.from('half of a bo')));
    const { request, connection } = await plan.exchange;
    await connection.signal.until('the first half', () => request.body.length === 12);
    breakOff(client);
    await connection.untilGone(5_000);
    expect([request.body.toString(), request.complete]).toEqual(['half of a bo', false]);
  });

  test('is whole where its end is said', async () => {
    const bench = await start();
    const plan = bench.engine.plan(OK);
    const client = frames(bench);
    client.begin(headFrame(1, LINE), frame(FRAME.data, 0, 1, Buffer.from('half of a bo')));
    client.send(frame(FRAME.data, FLAG.endStream, 1, Buffer.from('dy')));
    await client.frame('the answer', ({ type }) => type === FRAME.data);
    const { request } = await plan.exchange;
    expect([request.body.toString(), request.complete]).toEqual(['half of a body', true]);
  });
});

test('a stream whose answer is over is let go, though its client never ends the body', async () => {
  const bench = await start();
  bench.engine.plan(OK);
  const client = frames(bench);
  client.begin(headFrame(1, [...LINE, ['content-length', '1']]), frame(FRAME.data, 0, 1, Buffer.from('x')));
  const isReset = ({ type, stream }: { type: number; stream: number }): boolean => type === FRAME.reset && stream === 1;
  await client.frame('a reset', isReset, 5_000);
  expect(client.frames.find(isReset)?.payload).toEqual(codeOf(NO_ERROR));
  expect(client.isClosed).toBe(false);
});

test('a connection beyond the limit has one request refused, and is closed behind it', async () => {
  const bench = await start('--max-connections', '1');
  bench.engine.plan(OK);
  const first = await RawClient.open(bench.sidecar.listenPort);
  first.request(requestOf());
  await first.response();
  const client = frames(bench);
  client.begin(headFrame(1, LINE, FLAG.endStream));
  await client.frame('goodbye', ({ type }) => type === FRAME.goaway, 5_000);
  await client.untilGone(5_000);
  expect(Buffer.concat(client.frames.map(({ payload }) => payload)).toString('latin1')).toContain('RBT_SHED');
  first.close();
});

describe('an answer that HTTP/1.1 lets pass reaches a client of HTTP/2', () => {
  test.each<[string, Step[], string]>([
    ['with its length twice', [at(0, head('200 OK', 'Content-Length: 2', 'Content-Length: 2'), 'ok')], 'ok'],
    ['behind a 103 with a length', [at(0, head('103 Early Hints', 'Content-Length: 7')), ...OK], 'ok'],
    ['204 with a length', [at(0, head('204 No Content', 'Content-Length: 5'))], ''],
    ['205 in chunks', [at(0, head('205 Reset Content', 'Transfer-Encoding: chunked'), END)], ''],
    [
      '205 with a body that it may not have',
      [at(0, head('205 Reset Content', 'Transfer-Encoding: chunked'), c('x'), END)],
      '',
    ],
  ])('%s', async (_what, script, body) => {
    const bench = await start();
    bench.engine.plan(script);
    const answer = clientOf(bench).ask({ ':method': 'GET' });
    await answer.closed();
    expect([answer.body, answer.isWhole]).toEqual([body, true]);
    const { record } = await bench.sidecar.record('the exchange', () => true);
    expect(record.end.outcome).toBe('ok');
  });
});

test('--client-stall does not cut a client that reads a little each time', async () => {
  const GRANT_BYTES = 8_192;
  const GRANT_COUNT = 16;
  // What both windows have room for at first, and then by grants: less than a whole write of ours each.
  const byteCount = 65_535 + GRANT_COUNT * GRANT_BYTES;
  const bench = await start('--client-stall', '2');
  bench.engine.plan([at(0, head('200 OK', `content-length: ${byteCount}`), Buffer.alloc(byteCount, 97))]);
  const client = frames(bench);
  client.begin(headFrame(1, LINE, FLAG.endStream));
  const more = Buffer.alloc(4);
  more.writeUInt32BE(GRANT_BYTES);
  for (let grant = 0; grant < GRANT_COUNT; grant += 1) {
    await sleep(400);
    client.send(frame(FRAME.window, 0, 0, more), frame(FRAME.window, 0, 1, more));
  }
  const isEnd = ({ type, flags }: { type: number; flags: number }): boolean =>
    type === FRAME.data && (flags & FLAG.endStream) !== 0;
  // Both windows are used up to the last byte now, and the end wants room as well.
  await sleep(1_500);
  client.send(frame(FRAME.window, 0, 0, more), frame(FRAME.window, 0, 1, more));
  await client.frame('the end', isEnd, 5_000);
  const bodies = client.frames.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload.length);
  expect(bodies.reduce((sum, length) => sum + length, 0)).toBe(byteCount);
}, 30_000);
