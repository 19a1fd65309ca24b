// Goal: each upstream is tried once at start, told of when it cannot be reached, and again only until it can.
// Method: real listeners on loopback; a port that nobody listens on; a log that is kept.
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { UpstreamWatch } from '../../../src/app/upstream-watch.ts';
import type { UpstreamAddress } from '../../../src/config/config.ts';
import { freePort } from '../../../src/client/hops/free-port.ts';
import { poll } from '../../support/signal.ts';
import { catchLog } from '../telemetry/reports.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(() => cleanUps.splice(0).forEach((cleanUp) => cleanUp()));

async function listen(
  port = 0,
): Promise<{ server: net.Server; address: UpstreamAddress; connectionCount: () => number }> {
  let connectionCount = 0;
  const server = net.createServer((socket) => {
    connectionCount += 1;
    socket.on('error', () => undefined);
    socket.resume();
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  cleanUps.push(() => server.close());
  return { server, address: addressOf((server.address() as AddressInfo).port), connectionCount: () => connectionCount };
}

function addressOf(port: number): UpstreamAddress {
  return { protocol: 'http:', host: '127.0.0.1', port, origin: `http://127.0.0.1:${port}` };
}

function createWatch() {
  const log = catchLog();
  const watch = new UpstreamWatch(log);
  cleanUps.push(() => watch.close());
  return { log, watch };
}

test('an upstream that answers is no news, and is asked once however many routes lead to it', async () => {
  const { address, connectionCount } = await listen();
  const { log, watch } = createWatch();
  await watch.start([address, { ...address }, address]);
  expect([watch.unreachable, log.lines]).toEqual([[], []]);
  await poll('the connection', () => (connectionCount() > 0 ? true : undefined));
  expect(connectionCount()).toBe(1);
});

test(
  'one that does not is told of once, with its code, and again when it can be reached',
  { timeout: 15_000 },
  async () => {
    const port = await freePort();
    const up = await listen();
    const { log, watch } = createWatch();
    await watch.start([addressOf(port), up.address]);
    const upstream = `http://127.0.0.1:${port}`;
    expect(watch.unreachable).toEqual([upstream]);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { upstream, code: 'ECONNREFUSED' } }]);
    await listen(port);
    await poll('the upstream to be found', () => (watch.unreachable.length === 0 ? true : undefined));
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
    // The one that answered at once was not asked again.
    expect(up.connectionCount()).toBe(1);
  },
);

test('a watch that was closed does not try again', async () => {
  const port = await freePort();
  const { watch, log } = createWatch();
  watch.close();
  await watch.start([addressOf(port)]);
  expect([watch.unreachable.length, log.lines.length]).toEqual([1, 1]);
});

test('other upstreams may be watched: those that went are no news any more, those that stay are not asked again', async () => {
  const gone = addressOf(await freePort());
  const [stays, comes] = [await listen(), await listen()];
  const { log, watch } = createWatch();
  await watch.start([gone, stays.address]);
  expect(watch.unreachable).toEqual([gone.origin]);
  await watch.start([stays.address, comes.address]);
  expect(watch.unreachable).toEqual([]);
  await poll('the connection', () => (comes.connectionCount() > 0 ? true : undefined));
  expect([stays.connectionCount(), comes.connectionCount(), log.lines.length]).toEqual([1, 1, 1]);
});
