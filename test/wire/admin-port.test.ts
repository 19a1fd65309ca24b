// Goal: the admin port is read by those who may and by nobody else; whoever hangs on it costs a fixed
// amount, and liveness is answered however busy the main thread is.
// Method: raw sockets against a sidecar as its users run it; a preload keeps its main thread busy on
// SIGUSR2. Memory is that of the whole process, with room for what has nothing to do with it.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, head, requestOf } from '../support/script.ts';
import { poll, sleep } from '../support/signal.ts';

const MIB = 1024 * 1024;
const BLOCK_MS = 8_000;
/** What any process gains by itself in such a while, and the pages that are under way. */
const GROWTH_MAX_BYTES = 48 * MIB;

const bench = useBench({
  nodeArgs: ['--import', './test/support/block-main.ts'],
  env: { TEST_BLOCK_MS: `${BLOCK_MS}` },
});

function asks(target: string): string {
  return `GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
}

async function askRaw(request: string): Promise<{ readonly status: number; readonly text: string }> {
  const client = await RawClient.open(bench.sidecar.adminPort);
  client.request(request);
  await client.untilGone();
  const text = client.parser.messages.map(({ body }) => body.toString()).join('');
  return { status: client.parser.messages[0]?.status ?? 0, text };
}

const REFUSED: readonly [string, string, number][] = [
  [
    'a name that somebody pointed at this machine',
    'GET /metrics HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
    403,
  ],
  ['no host at all', 'GET /metrics HTTP/1.1\r\nconnection: close\r\n\r\n', 403],
  ['two hosts', 'GET /metrics HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n', 400],
  [
    'a page of another origin',
    'GET /metrics HTTP/1.1\r\nhost: localhost\r\norigin: http://evil.example\r\nconnection: close\r\n\r\n',
    403,
  ],
  [
    'a target that cannot be decoded',
    'GET /api/streams/%E0%A4%A?key=Secret7 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    404,
  ],
  [
    'the same from elsewhere',
    'GET /%E0%A4%A?key=Secret7 HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
    403,
  ],
  [
    'a target that leaves its folder',
    'GET /api/streams/../../metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    404,
  ],
  [
    'another host in the target',
    'GET http://evil.example/metrics?key=Secret7 HTTP/1.1\r\nhost: localhost\r\n\r\n',
    400,
  ],
  ['a request to pass on', 'CONNECT example.com:443 HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
  ['a post', 'POST /api/streams HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n', 405],
  ['a body', `POST /api/streams HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nSecret777`, 413],
  ['a head without end', `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['garbage', '\u0016\u0003\u0001\u0002\u0000 Secret7\r\n\r\n', 400],
];

test.each(REFUSED)('%s is refused in words of ours, and the port lives on', async (_name, request, status) => {
  const answer = await askRaw(request);
  expect(answer.status).toBe(status);
  expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['error', 'message']);
  expect(answer.text).not.toContain('Secret7');
  expect((await bench.sidecar.admin('/healthz')).status).toBe(200);
});

test('every answer carries the fields that keep it from others, a refusal too', async () => {
  for (const [, request] of REFUSED) {
    const client = await RawClient.open(bench.sidecar.adminPort);
    client.request(request);
    const { head: answer } = await client.response();
    for (const field of ['cache-control: no-store', 'x-content-type-options: nosniff']) {
      expect(answer?.lines).toContain(field);
    }
    client.close();
  }
});

test('requests on one connection are answered one after the other, in order', async () => {
  const client = await RawClient.open(bench.sidecar.adminPort);
  const paths = ['/healthz', '/nothing', '/readyz', '/api/summary', '/healthz'];
  client.request(paths.map(asks).join(''));
  await poll('five answers', () =>
    client.parser.messages.filter(({ complete }) => complete).length === 5 ? true : undefined,
  );
  const bodies = client.parser.messages.map(({ body }) => Object.keys(JSON.parse(body.toString()) as object).at(-1));
  expect(bodies).toEqual(['relays', 'message', 'reasons', 'hops', 'relays']);
  client.close();
});

test('a port of the data path serves no page of the admin port', async () => {
  for (const path of ['/metrics', '/healthz', '/readyz', '/api/streams']) {
    const plan = bench.engine.plan([at(0, head('200 OK', 'content-length: 10'), 'the engine')]);
    const client = await RawClient.open(bench.sidecar.listenPort);
    client.request(requestOf({ target: path, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    expect((await client.response()).body.toString()).toBe('the engine');
    client.close();
  }
});

/** Memory once what boots in the background has booted. */
async function settledRssBytes(): Promise<number> {
  let lastBytes = 0;
  const settled = async (): Promise<number | undefined> => {
    await bench.sidecar.admin('/metrics');
    const bytes = bench.sidecar.rssBytes();
    const isStill = Math.abs(bytes - lastBytes) < MIB;
    lastBytes = bytes;
    return isStill ? bytes : undefined;
  };
  return await poll('memory to settle', settled, 15_000, 1_000);
}

test('a client that asks three thousand times and never reads holds one page, and sixty such clients sixty', async () => {
  const beforeBytes = await settledRssBytes();
  const clients: RawClient[] = [];
  for (let count = 0; count < 60; count += 1) {
    const client = await RawClient.open(bench.sidecar.adminPort);
    client.pause();
    client.request(asks('/metrics').repeat(3_000));
    clients.push(client);
  }
  await sleep(3_000);
  expect(bench.sidecar.rssBytes() - beforeBytes).toBeLessThan(GROWTH_MAX_BYTES);
  expect((await bench.sidecar.admin('/healthz')).status).toBe(200);
  expect((await bench.sidecar.admin('/metrics')).status).toBe(200);
  for (const client of clients) client.close();
});

test('a client that keeps its head to itself is told so and let go', async () => {
  const client = await RawClient.open(bench.sidecar.adminPort);
  client.request('GET /metrics HTTP/1.1\r\nx: ');
  await client.untilGone(20_000);
  expect(client.parser.messages[0]?.status).toBe(408);
});

test('the 257th connection gets in: the stillest one goes', async () => {
  const still: RawClient[] = [];
  for (let count = 0; count < 256; count += 1) still.push(await RawClient.open(bench.sidecar.adminPort));
  const answer = await askRaw('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  expect(answer.status).toBe(200);
  // Connections of earlier tests may have been stiller than any of these.
  const goneCount = still.filter(({ closedAtNs }) => closedAtNs !== undefined).length;
  expect(goneCount).toBeLessThanOrEqual(1);
  for (const client of still) client.close();
});

test('with a main thread that is busy, hearts are answered for at once and the rest is told to come again', async () => {
  process.kill(bench.sidecar.pid, 'SIGUSR2');
  await sleep(200);
  const fromMs = performance.now();
  const busy = Promise.all(Array.from({ length: 12 }, () => bench.sidecar.admin('/metrics')));
  for (let round = 0; round < 5; round += 1) {
    const health = await bench.sidecar.admin('/healthz');
    expect([health.status, (JSON.parse(health.text) as { ok: boolean }).ok]).toEqual([200, true]);
  }
  expect(performance.now() - fromMs).toBeLessThan(BLOCK_MS / 2);
  for (const { status, text } of await busy) {
    expect([status, (JSON.parse(text) as { error: string }).error]).toEqual([503, 'busy']);
  }
  expect(bench.sidecar.logs.some(({ msg }) => msg === 'main was blocked')).toBe(false);
  await poll('the main thread to be free', () => bench.sidecar.logs.find(({ msg }) => msg === 'main was blocked'));
  expect((await bench.sidecar.admin('/metrics')).status).toBe(200);
});
