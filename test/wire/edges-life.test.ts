// Goal: edges live and end with the main listener: one drain, one set of limits, one certificate, one successor
// when a relay dies; what cannot be had or changed is told with its key.
// Method: sidecars of their own for each question, raw clients on both ports, a small gateway between them.
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { configFile } from '../support/config-file.ts';
import { pem, pemPath } from '../support/certificates.ts';
import { Gateway } from '../support/gateway.ts';
import { useClients } from '../support/clients.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD, requestOf } from '../support/script.ts';
import { Sidecar, type SidecarOptions } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';

const open: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});
const clientOf = useClients();

interface Stage {
  readonly engine: RawEngine;
  readonly gateway: Gateway;
  readonly sidecar: Sidecar;
  readonly edgePort: number;
}

async function start(args: readonly string[], options: Partial<SidecarOptions> = {}): Promise<Stage> {
  const engine = await RawEngine.start();
  open.push(engine);
  const gateway = await Gateway.start();
  open.push(gateway);
  const upstream = `http://127.0.0.1:${engine.port}`;
  const edge = `gateway@127.0.0.1:0=${gateway.url}`;
  const sidecar = await Sidecar.start({ upstream, args: ['--edge', edge, ...args], ...options });
  open.push(sidecar);
  gateway.innerPort = sidecar.listenPort;
  return { engine, gateway, sidecar, edgePort: sidecar.edgePort('gateway') };
}

/** A stream that has sent its first event, and ends when told. */
async function stream(engine: RawEngine, port: number, model: string, until: Promise<unknown>) {
  const plan = engine.plan(async (exchange: EngineExchange) => {
    await exchange.write(HEAD, c(D('a')));
    await until;
    await exchange.write(c(D('b')), c(DONE), END);
  });
  const client = await clientOf(port);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  await client.bodyBytes(D('a').length);
  return client;
}

const WHOLE = D('a') + D('b') + DONE;

/** Asks for a stream that is over at once; gives its status. */
async function ask(engine: RawEngine, port: number): Promise<number | undefined> {
  const plan = engine.plan([at(0, HEAD, c(D('a')), c(DONE), END)]);
  const client = await clientOf(port);
  client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const { status } = await client.response();
  return status;
}

/** Statuses of one request on each port, once both are answered. */
function bothAnswer({ engine, sidecar, edgePort }: Stage): Promise<true> {
  return poll('both listeners', async () => {
    const statuses = await Promise.all(
      [sidecar.listenPort, edgePort].map((port) => ask(engine, port).catch(() => undefined)),
    );
    return statuses.every((status) => status === 200) ? true : undefined;
  });
}

test('a drain lets the streams of both listeners finish, and neither takes a new one', async () => {
  const { engine, sidecar, edgePort } = await start(['--drain', '20']);
  const { promise, resolve } = Promise.withResolvers<void>();
  const streams = [
    await stream(engine, sidecar.listenPort, 'main', promise),
    await stream(engine, edgePort, 'edge', promise),
  ];
  const idle = await clientOf(edgePort);
  sidecar.signal('SIGTERM');
  await idle.untilGone(3_000);
  for (const port of [sidecar.listenPort, edgePort]) await expect(RawClient.open(port)).rejects.toThrow();
  resolve();
  for (const client of streams) {
    const response = await client.response();
    expect([response.complete, response.body.toString()]).toEqual([true, WHOLE]);
  }
  await sidecar.untilExit();
  expect(sidecar.exit).toMatchObject({ code: 0 });
  const ends = sidecar
    .records()
    .map(({ record }) => `${record.request.model} ${record.edge ?? '-'} ${record.end.outcome}`);
  expect(ends.toSorted()).toEqual(['edge - ok', 'edge gateway ok', 'main - ok']);
});

test.each(['1', '2'])('with %s relays, both listeners are back after one died', async (relays) => {
  const preload = new URL('../support/kill-relay.ts', import.meta.url).href;
  const stage = await start(['--relays', relays], { nodeArgs: ['--import', preload] });
  const { engine, sidecar, edgePort } = stage;
  await bothAnswer(stage);
  process.kill(sidecar.pid, 'SIGUSR2');
  await poll('word of the death', () =>
    sidecar.logs.some((line) => String(line['msg']).startsWith('a relay thread died and is replaced'))
      ? true
      : undefined,
  );
  await poll('relays again', async () => ((await sidecar.admin('/healthz')).status === 200 ? true : undefined));
  // Often enough that each relay of the port had its turn.
  for (let round = 0; round < 12; round += 1) {
    expect(await Promise.all([ask(engine, sidecar.listenPort), ask(engine, edgePort)])).toEqual([200, 200]);
  }
});

test('limits are of all listeners together, and a stream through the hop takes two places', async () => {
  const { engine, sidecar, edgePort } = await start(['--max-streams', '3']);
  const { promise, resolve } = Promise.withResolvers<void>();
  const streams = [
    await stream(engine, edgePort, 'edge', promise),
    await stream(engine, sidecar.listenPort, 'main', promise),
  ];
  for (const port of [sidecar.listenPort, edgePort]) {
    const client = await clientOf(port);
    client.request(requestOf());
    const response = await client.response();
    expect([response.status, response.values('x-rubato-error')]).toEqual([503, ['RBT_SHED']]);
  }
  resolve();
  for (const client of streams) expect((await client.response()).complete).toBe(true);
});

test('the certificate of the listener is that of the edges', async () => {
  const { gateway, edgePort } = await start([
    '--tls-cert',
    pemPath('engine.crt.pem'),
    '--tls-key',
    pemPath('engine.key.pem'),
  ]);
  // It answers by itself: who asked it came through TLS, and that is all there is to see.
  gateway.innerPort = undefined;
  const client = await clientOf(edgePort, { ca: pem('authority.crt.pem') });
  client.request(requestOf());
  expect((await client.response()).status).toBe(503);
  expect(gateway.asked).toEqual(['GET /']);
});

test('a port that cannot be had is told with the key that moves it', async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  open.push({ stop: async () => void blocker.close() });
  const { port } = blocker.address() as AddressInfo;
  const args = ['--edge', `127.0.0.1:${port}=http://127.0.0.1:9`];
  await expect(Sidecar.start({ upstream: 'http://127.0.0.1:9', args })).rejects.toThrow(
    `127.0.0.1:${port} is in use by another program. Stop that program, or choose another port with --edge 127.0.0.1:PORT=http://127.0.0.1:9.`,
  );
});

test('a hop that cannot be reached is a reason not to be ready, until it can', async () => {
  const { gateway, sidecar, engine } = await start([]);
  await poll('readiness', async () => ((await sidecar.admin('/readyz')).status === 200 ? true : undefined));
  const args = ['--edge', 'gateway@127.0.0.1:0=http://127.0.0.1:1'];
  const lost = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, args });
  open.push(lost);
  const reason = 'the upstream http://127.0.0.1:1 cannot be reached';
  await poll('the reason', async () => ((await lost.admin('/readyz')).text.includes(reason) ? true : undefined));
  expect(gateway.asked).toEqual([]);
});

test('edges that were changed keep their old places, and this is said', async () => {
  const [engine, gateway] = [await RawEngine.start(), await Gateway.start()];
  open.push(engine, gateway);
  const file = configFile('');
  const write = (edges: string, more = ''): void =>
    writeFileSync(file, `upstream: http://127.0.0.1:${engine.port}\nedges: [${edges}]\n${more}`);
  write(`{ name: gateway, listen: "127.0.0.1:0", upstream: "${gateway.url}" }`);
  const sidecar = await Sidecar.start({ args: ['--config', file] });
  open.push(sidecar);
  gateway.innerPort = sidecar.listenPort;
  write('', 'host-header: upstream\n');
  process.kill(sidecar.pid, 'SIGHUP');
  await poll('the new configuration', () =>
    sidecar.logs.some(({ msg }) => msg === 'the configuration was read anew') ? true : undefined,
  );
  const kept = sidecar.logs.find(
    ({ msg }) => msg === 'these keys were changed and keep their old value until a restart',
  );
  expect(kept?.['keys']).toBe('edge');
  const stage = { engine, gateway, sidecar, edgePort: sidecar.edgePort('gateway') };
  await bothAnswer(stage);
});

test('nobody asks a gateway for the metrics of an engine', async () => {
  const { engine, gateway, edgePort, sidecar } = await start(['--engine-metrics', 'auto']);
  expect(await ask(engine, edgePort)).toBe(200);
  await sidecar.recordsAfter(0, 2);
  const told = poll('a look at the engine', () => (engine.requestCount > 1 ? true : undefined));
  await told;
  await sleep(300);
  expect(gateway.asked).toEqual(['POST /v1/chat/completions']);
  engine.faults.length = 0;
});

test.skipIf(process.platform !== 'linux')(
  'a client that leaves while the hop takes nothing of its upload is noticed at the edge as well',
  async () => {
    // A hop that accepts and never reads: only the kernel knows then that the client has gone.
    const deaf = createServer((socket) => socket.pause().on('error', () => undefined));
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    open.push({ stop: async () => void deaf.close() });
    const { port } = deaf.address() as AddressInfo;
    const args = ['--edge', `deaf@127.0.0.1:0=http://127.0.0.1:${port}`];
    const sidecar = await Sidecar.start({ upstream: 'http://127.0.0.1:9', args });
    open.push(sidecar);
    const client = await clientOf(sidecar.edgePort('deaf'));
    const uploadBytes = 48 * 1024 * 1024;
    client.request(`POST /blocked HTTP/1.1\r\nhost: x\r\ncontent-length: ${uploadBytes}\r\n\r\n`);
    void client.send(Buffer.alloc(uploadBytes, 'x'));
    await sleep(1_500);
    client.rst();
    const { record } = await sidecar.record('the blocked upload', ({ request }) => request.path === '/blocked');
    expect([record.edge, record.end.outcome]).toEqual(['deaf', 'client_abort']);
  },
);

test('a WebSocket passes the edge, the hop and the listener behind it', async () => {
  const engine = await RawEngine.start();
  open.push(engine);
  const inner = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
  open.push(inner);
  // Both listeners pass upgrades on; the plain gateway of these tests does not, so the hop is a rubato.
  const args = ['--edge', `hop@127.0.0.1:0=http://127.0.0.1:${inner.listenPort}`];
  const outer = await Sidecar.start({ upstream: 'http://127.0.0.1:9', args });
  open.push(outer);
  engine.plan(async (exchange: EngineExchange) => {
    await exchange.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    await exchange.write('from the engine');
  });
  const client = await clientOf(outer.edgePort('hop'));
  client.request(requestOf({ lines: ['connection: upgrade', 'upgrade: websocket'] }));
  await client.bodyBytes('from the engine'.length);
  expect(client.parser.messages[0]?.status).toBe(101);
});

test('a gateway that leads back to the edge is told so, and goes round once', async () => {
  const { gateway, edgePort, sidecar } = await start([]);
  gateway.innerPort = edgePort;
  const client = await clientOf(edgePort);
  client.request(requestOf({ target: '/round' }));
  const response = await client.response();
  expect([response.status, response.values('x-rubato-error')]).toEqual([508, ['RBT_EDGE_LOOP']]);
  expect(gateway.asked).toEqual(['GET /round']);
  const records = await sidecar.recordsAfter(0, 2);
  expect(records.map(({ record }) => record.end.code).toSorted()).toEqual(['RBT_EDGE_LOOP', undefined]);
  // The next one finds nothing left of it.
  gateway.innerPort = undefined;
  const next = await clientOf(edgePort);
  next.request(requestOf());
  expect((await next.response()).status).toBe(503);
});
