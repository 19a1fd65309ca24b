// Goal: what is sent over HTTP/2 to smuggle, to flood or to hold is refused within bounds, reaches no engine and takes
// nobody else with it: translation of HTTP/2 to HTTP/1.1 (RFC 9113 §8 and §10), CVE-2023-44487 (resets), CVE-2024-27316
// and its kin (CONTINUATION).
// Method: bare frames to a sidecar with --http2; each test ends with a good request, by HTTP/1.1 and by HTTP/2.
import { afterEach, describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import {
  block,
  FLAG,
  FRAME,
  frame,
  FrameClient,
  H2Client,
  headFrame,
  LINE,
  PREFACE,
  PROTOCOL_ERROR,
} from '../support/h2-client.ts';
import { at, head, requestOf } from '../support/script.ts';

const MIB = 1024 * 1024;
const ANSWER = [at(0, head('200 OK', 'content-length: 2'), 'ok')];

const bench = useBench({ args: ['--http2'] });
const open: { stop: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
  bench.engine.forgetPlans();
  bench.engine.plan(ANSWER);
  const plain = await bench.client();
  plain.request(requestOf());
  expect((await plain.response()).body.toString()).toBe('ok');
  plain.close();
  bench.engine.plan(ANSWER);
  const client = new H2Client(`http://127.0.0.1:${bench.sidecar.listenPort}`);
  expect((await client.ask({ ':method': 'GET' }).closed()).body).toBe('ok');
  await client.stop();
  expect(bench.sidecar.noise).toEqual([]);
});

function connect(): FrameClient {
  const client = new FrameClient(bench.sidecar.listenPort);
  open.push(client);
  return client;
}

const resetOf = ({ frames }: FrameClient, stream: number): number | undefined =>
  frames.find((each) => each.type === FRAME.reset && each.stream === stream)?.payload.readUInt32BE(0);

describe('heads that HTTP/1.1 would read otherwise', () => {
  test.each<[string, readonly (readonly [string, string])[]]>([
    ['transfer-encoding', [...LINE, ['transfer-encoding', 'chunked']]],
    ['connection', [...LINE, ['connection', 'close']]],
    ['upgrade', [...LINE, ['upgrade', 'websocket']]],
    ['te: gzip', [...LINE, ['te', 'gzip']]],
    ['capital letters in a name', [...LINE, ['Host', 'x']]],
    ['a space in the path', [...LINE.slice(0, 3), [':path', '/ HTTP/1.1']]],
    ['a line end in the path', [...LINE.slice(0, 3), [':path', '/ HTTP/1.1\r\nx: y']]],
    ['no path', LINE.slice(0, 3)],
    ['an empty path', [...LINE.slice(0, 3), [':path', '']]],
    ['a whole URL as path', [...LINE.slice(0, 3), [':path', 'http://y/']]],
    ['two paths', [...LINE, [':path', '/b']]],
    ['a space in the method', [[':method', 'GET / HTTP/1.1'], ...LINE.slice(1)]],
    ['no method', LINE.slice(1)],
    ['no scheme', [LINE[0], ...LINE.slice(2)]],
    ['an unknown pseudo field', [...LINE, [':x', 'y']]],
    ['a pseudo field behind a field', [...LINE.slice(0, 3), ['x', 'y'], [':path', '/']]],
    ['another Host than the authority', [...LINE, ['host', 'y']]],
    ['a bad length', [...LINE, ['content-length', '+2']]],
    ['two lengths', [...LINE, ['content-length', '2'], ['content-length', '3']]],
    ['a protocol to connect to', [...LINE, [':protocol', 'websocket']]],
  ])('%s is no request', async (_what, fields) => {
    const before = bench.engine.requestCount;
    const client = connect();
    client.begin(headFrame(1, fields));
    await client.signal.until('a reset', () => resetOf(client, 1) !== undefined || client.isClosed);
    expect(resetOf(client, 1) ?? PROTOCOL_ERROR).toBe(PROTOCOL_ERROR);
    expect(bench.engine.requestCount).toBe(before);
  });

  // nghttp2 leaves such a field out where RFC 9113 §8.2.1 would have the whole request refused.
  test.each<[string, readonly (readonly [string, string])[]]>([
    ['a line end in a value', [...LINE, ['x', 'a\r\nhost: y']]],
    ['a line feed in a value', [...LINE, ['x', 'a\nhost: y']]],
    ['NUL in a value', [...LINE, ['x', 'a\0b']]],
    ['a colon in a name', [...LINE, ['x: y', 'a']]],
    ['a line end in a name', [...LINE, ['x\r\ny', 'a']]],
    ['no name', [...LINE, ['', 'x']]],
  ])('%s is at no engine', async (_what, fields) => {
    const plan = bench.engine.plan(ANSWER);
    const client = connect();
    client.begin(headFrame(1, fields, FLAG.endStream));
    const { request } = await plan.exchange;
    expect([request.head?.startLine, request.head?.lines]).toEqual(['POST / HTTP/1.1', ['host: x']]);
    await client.frame('the answer', ({ type }) => type === FRAME.data);
  });

  test('CONNECT gets what it gets in HTTP/1.1', async () => {
    const before = bench.engine.requestCount;
    const client = connect();
    client.begin(
      headFrame(1, [
        [':method', 'CONNECT'],
        [':authority', 'x:1'],
      ]),
    );
    await client.frame('the body of an answer', ({ type }) => type === FRAME.data);
    expect(client.received.includes('RBT_')).toBe(true);
    expect(bench.engine.requestCount).toBe(before);
  });
});

describe('a body that is not as long as was said', () => {
  const data = (text: string, flags = 0): Buffer => frame(FRAME.data, flags, 1, Buffer.from(text));
  test.each<[string, string, readonly Buffer[]]>([
    // Node's own HTTP/2 ends the whole connection for it.
    ['longer', 'client_abort', [data('abcd')]],
    ['longer when it had been whole', 'client_abort', [data('abc'), data('GET / HTTP/1.1\r\n')]],
    ['shorter', 'client_protocol', [data('ab', FLAG.endStream)]],
  ])('is at an end, and the engine sees no more than was said: %s', async (what, outcome, frames) => {
    const plan = bench.engine.plan(() => undefined);
    const client = connect();
    const path = `/${what.replaceAll(' ', '-')}`;
    client.begin(headFrame(1, [...LINE.slice(0, 3), [':path', path], ['content-length', '3']]));
    const { connection, request } = await plan.exchange;
    client.send(...frames);
    await client.signal.until('a reset', () => resetOf(client, 1) !== undefined || client.isClosed);
    await connection.untilGone(2_000);
    expect([request.bodyBytes <= 3, connection.exchanges.at(-1)?.request === request]).toEqual([true, true]);
    const { record } = await bench.sidecar.record(path, (each) => each.request.path === path);
    expect(record.end.outcome).toBe(outcome);
  });

  test('is reset when nothing came of it', async () => {
    const before = bench.engine.requestCount;
    const client = connect();
    client.begin(headFrame(1, [...LINE, ['content-length', '3']], FLAG.endStream));
    await client.signal.until('a reset', () => resetOf(client, 1) !== undefined || client.isClosed);
    expect(bench.engine.requestCount).toBe(before);
  });
});

describe('floods', () => {
  test('of streams that are reset at once end with the connection', async () => {
    const goneBefore = bench.engine.openConnections.length;
    for (let i = 0; i < 4_000; i += 1) bench.engine.plan(() => undefined);
    const client = connect();
    client.begin();
    for (let i = 0; i < 4_000; i += 1) {
      const stream = 2 * i + 1;
      client.send(headFrame(stream, LINE, FLAG.endStream), frame(FRAME.reset, 0, stream, Buffer.from([0, 0, 0, 8])));
      if (i % 100 === 0) await new Promise((done) => setImmediate(done));
    }
    await client.untilGone();
    await expect
      .poll(() => bench.engine.openConnections.length, { timeout: 5_000 })
      .toBeLessThanOrEqual(goneBefore + 1);
    // The burst that is allowed, and what a second or two more.
    expect(bench.engine.requestCount).toBeLessThan(1_000 + 400);
  });

  test('of CONTINUATION end with the connection, and take no memory', async () => {
    const before = bench.sidecar.rssBytes();
    const client = connect();
    client.begin(frame(FRAME.headers, 0, 1, block(LINE)));
    const piece = frame(
      FRAME.continuation,
      0,
      1,
      Buffer.concat(Array.from({ length: 1_000 }, () => block([['x', 'y']]))),
    );
    for (let i = 0; i < 2_000 && !client.isClosed; i += 1) {
      client.send(piece);
      if (i % 10 === 0) await new Promise((done) => setImmediate(done));
    }
    await client.untilGone();
    expect(bench.sidecar.rssBytes() - before).toBeLessThan(32 * MIB);
  });

  test('of fields are refused', async () => {
    const before = bench.engine.requestCount;
    const client = new H2Client(`http://127.0.0.1:${bench.sidecar.listenPort}`, { maxSendHeaderBlockLength: MIB });
    open.push(client);
    const many = Object.fromEntries(Array.from({ length: 2_500 }, (_each, i) => [`x-${i}`, 'y']));
    const answer = await client.ask({ ':method': 'GET', ...many }).closed();
    expect(answer.status === 431 || answer.resetCode !== 0 || client.isClosed).toBe(true);
    const large = await client.ask({ ':method': 'GET', 'x-large': 'y'.repeat(100_000) }).closed();
    expect(large.status === 431 || large.resetCode !== 0 || client.isClosed).toBe(true);
    expect(bench.engine.requestCount).toBe(before);
  });

  test.each([
    ['pings', frame(FRAME.ping, 0, 0, Buffer.alloc(8))],
    ['settings', frame(FRAME.settings, 0, 0, Buffer.from([0, 3, 0, 0, 0, 9]))],
  ])('of %s whose answers nobody reads are bounded', async (_what, piece) => {
    const before = bench.sidecar.rssBytes();
    const client = connect();
    client.begin();
    client.socket.pause();
    const many = Buffer.concat(Array.from({ length: 2_000 }, () => piece));
    for (let i = 0; i < 500 && !client.socket.destroyed && client.socket.writableLength < 4 * MIB; i += 1) {
      client.send(many);
      await new Promise((done) => setImmediate(done));
    }
    await new Promise((done) => setTimeout(done, 300));
    expect(bench.sidecar.rssBytes() - before).toBeLessThan(48 * MIB);
  });

  test('of streams beyond the bound are refused, and those within it live on', async () => {
    const ends: (() => void)[] = [];
    for (let i = 0; i < 250; i += 1) {
      bench.engine.plan(async (exchange) => {
        await new Promise<void>((end) => ends.push(end));
        await exchange.write(head('200 OK', 'content-length: 2'), 'ok');
      });
    }
    const client = connect();
    // Its bound is not acknowledged, so that a stream beyond it is no fault of the connection yet.
    client.begin(...Array.from({ length: 260 }, (_each, i) => headFrame(2 * i + 1, LINE, FLAG.endStream)));
    const countOf = (type: number): number => client.frames.filter((each) => each.type === type).length;
    await client.signal.until('refusals', () => countOf(FRAME.reset) === 10);
    await expect.poll(() => ends.length, { timeout: 5_000 }).toBe(250);
    for (const end of ends) end();
    const answered = (): number =>
      client.frames.filter(({ type, payload }) => type === FRAME.data && payload.length === 2).length;
    await client.signal.until('all answers', () => answered() === 250);
  });
});

describe('a connection that does not get on', () => {
  test('with half a preface, or half a head, is closed when a head of HTTP/1.1 would be', async () => {
    const half = connect();
    half.send(Buffer.from(PREFACE.slice(0, 10)));
    const silent = connect();
    const halfHead = connect();
    halfHead.begin(frame(FRAME.headers, 0, 1, block(LINE)));
    await Promise.all([half, silent, halfHead].map((each) => each.untilGone(12_000)));
    expect([half.received.length, silent.received.length]).toEqual([0, 0]);
  });

  test('with bad frames is closed', async () => {
    const client = connect();
    client.begin(frame(FRAME.data, 0, 0, Buffer.from('x')));
    await client.untilGone();
    const other = connect();
    other.send(Buffer.from(PREFACE), Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
    await other.untilGone();
  });
});
