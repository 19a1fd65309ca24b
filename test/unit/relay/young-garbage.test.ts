// Goal: what an exchange needed goes with the collections of the young generation, which cost nearly nothing; what
// grows old costs a collection of the whole heap.
// Method: a real relay that serves short answers over one connection on either side; its old generation is looked at
// after collections of the young one alone.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { BOUNDLESS } from '../../../src/relay/admission-limits.ts';
import { Relay } from '../../../src/relay/relay.ts';
import { createRelayServer } from '../../../src/relay/server.ts';
import { NO_LIMITS } from '../../../src/relay/settings.ts';
import { createTape } from '../../../src/tape/layout.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (how: { type: 'minor' }) => void;

const EXCHANGE_COUNT = 1_000;
/** Each left 4,600 in the old generation when one function of it was old from its birth, and leaves 450 now. */
const LEFT_MAX_BYTES = 1_500;
const REQUEST = 'POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}';
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0).toReversed()) each();
});

async function portOf(server: Server): Promise<number> {
  undo.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A client's connection through a relay to an engine that answers at once. */
async function connectThrough(): Promise<Socket> {
  const engine = createServer((socket) => {
    socket.on('data', () => socket.write(ANSWER));
    undo.push(() => socket.destroy());
  });
  const port = await portOf(engine);
  const upstream = { secure: false, hostname: '127.0.0.1', port, hostField: undefined, ca: undefined, insecure: false };
  const relay = new Relay({
    routes: [{ id: 0, name: 'only', prefix: undefined, host: undefined, upstream }],
    edges: [],
    tracing: { root: 'always_on', ratio: 1, parentBased: true },
    timeLimits: NO_LIMITS,
    admission: BOUNDLESS,
    turns: undefined,
    tls: undefined,
    http2: false,
    tape: createTape(64 * 1024).shared,
  });
  undo.push(() => relay.close());
  const { servers } = await createRelayServer(relay);
  const client = connect(await portOf(servers[0] as Server), '127.0.0.1');
  undo.push(() => client.destroy());
  return client;
}

/** One after the other. */
async function ask(client: Socket, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) {
    client.write(REQUEST);
    let text = '';
    while (!text.endsWith('\r\n\r\n{}')) text += String((await once(client, 'data'))[0]);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  }
}

/** What has outlived the young generation. Whoever is still needed has done so after two collections of it. */
function oldBytes(): number {
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? NaN;
}

test('an exchange that is over leaves nothing to the collections of the whole heap', async () => {
  const client = await connectThrough();
  // What is made once, and what V8 learns of the code, is old by then.
  await ask(client, EXCHANGE_COUNT);
  const before = oldBytes();
  await ask(client, EXCHANGE_COUNT);
  expect((oldBytes() - before) / EXCHANGE_COUNT).toBeLessThan(LEFT_MAX_BYTES);
});
