// Goal: a request whose body turns out to be no HTTP is the client's fault and is told so, not taken for
// a client that left.
// Method: good heads with broken chunked bodies; the answer, the record, and what the engine sees.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, c, D, HEAD, requestOf } from '../support/script.ts';

const bench = useBench();
const head = (path: string): string => `POST ${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`;

describe('a broken body', () => {
  test('before the answer is 400, and the engine is told to stop', async () => {
    const plan = bench.engine.plan([]);
    const client = await bench.client();
    client.request(`${head('/before')}5\r\nhello\r\n`);
    const { connection } = await plan.exchange;
    await client.send('XYZ\r\n');
    const response = await client.response();
    expect(response.status).toBe(400);
    expect(response.values('x-rubato-error')).toEqual(['RBT_BAD_REQUEST']);
    await connection.untilGone(1_000);
    await client.untilGone(1_000);
    const { record } = await bench.sidecar.record('it', ({ request }) => request.path === '/before');
    expect(record.end).toMatchObject({ outcome: 'client_protocol', code: 'RBT_BAD_REQUEST' });
  });

  test('in the middle of the answer is a cut', async () => {
    bench.engine.plan([at(0, HEAD, c(D('a')))]);
    const client = await bench.client();
    client.request(`${head('/middle')}5\r\nhello\r\n`);
    await client.bodyBytes(D('a').length);
    await client.send('XYZ\r\n');
    const response = await client.response();
    expect([response.complete, response.body.toString()]).toEqual([false, D('a')]);
    const { record } = await bench.sidecar.record('it', ({ request }) => request.path === '/middle');
    expect(record.end.outcome).toBe('client_protocol');
  });
});

test.each([
  ['a body of stated length', 'content-length: 10', 'hello'],
  ['a chunk', 'transfer-encoding: chunked', '5\r\nhel'],
  ['two chunks', 'transfer-encoding: chunked', '5\r\nhello\r\n'],
])('a client that closes within %s has left; that is no bad request', async (what, line, body) => {
  const path = `/left-${what.length}`;
  const plan = bench.engine.plan([]);
  const client = await bench.client();
  client.request(`POST ${path} HTTP/1.1\r\nhost: x\r\n${line}\r\n\r\n${body}`);
  const { connection } = await plan.exchange;
  client.fin();
  await connection.untilGone(1_000);
  const { record } = await bench.sidecar.record('it', ({ request }) => request.path === path);
  expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_head' });
});

test('garbage behind a request that waits for its answer is 400 once, and the last on its connection', async () => {
  bench.engine.plan([]);
  const client = await bench.client();
  client.request(Buffer.concat([requestOf({ target: '/garbage' }), Buffer.from('GARBAGE\r\n\r\n')]));
  expect((await client.response()).status).toBe(400);
  await client.send('MORE GARBAGE\r\n\r\n');
  await client.untilGone(1_000);
  expect(client.parser.messages.length).toBe(1);
});
