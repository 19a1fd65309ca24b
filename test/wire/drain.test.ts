// Goal: a planned stop lets streams finish within its limit, cuts the rest openly and ends (N3).
// Method: SIGTERM while raw streams are open; each test has a sidecar of its own, for it ends.
import { afterEach, describe, expect, test } from 'vitest';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD, head, requestOf } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';

const open: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

function start(...args: string[]): Promise<{ engine: RawEngine; sidecar: Sidecar }> {
  return startWith({}, ...args);
}

async function startWith(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ engine: RawEngine; sidecar: Sidecar }> {
  const engine = await RawEngine.start();
  open.push(engine);
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, args, env });
  open.push(sidecar);
  return { engine, sidecar };
}

interface Stream {
  readonly client: RawClient;
  readonly exchange: EngineExchange;
}

/** A stream that has sent its first event and ends when told, if ever. */
async function stream(engine: RawEngine, sidecar: Sidecar, model: string, until: Promise<void>): Promise<Stream> {
  const plan = engine.plan(async (exchange) => {
    await exchange.write(HEAD, c(D('a')));
    await until;
    await exchange.write(c(D('b')), c(DONE), END);
  });
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  await client.bodyBytes(D('a').length);
  return { client, exchange: await plan.exchange };
}

describe('N3', () => {
  test('N3 a stream within the limit ends whole, one beyond it is cut, and the process ends', async () => {
    const { engine, sidecar } = await start('--drain', '1.5');
    const short = await stream(engine, sidecar, 'short', sleep(600));
    const endless = await stream(engine, sidecar, 'endless', new Promise(() => undefined));
    const idle = await RawClient.open(sidecar.listenPort);
    const startedAtMs = performance.now();
    sidecar.signal('SIGTERM');
    await expect.poll(async () => (await sidecar.admin('/readyz').catch(() => ({ status: 503 }))).status).toBe(503);
    await idle.untilGone(2_000);
    await expectNoNewRequests(sidecar);

    const response = await short.client.response();
    expect(response.complete).toBe(true);
    expect(response.body.toString()).toBe(D('a') + D('b') + DONE);
    const cut = await endless.client.response();
    expect(cut.complete).toBe(false);
    expect(endless.client.tail.endsWith(END)).toBe(false);
    await endless.exchange.connection.untilGone(2_000);
    await sidecar.untilExit();
    expect(sidecar.exit).toMatchObject({ code: 0 });
    // The limit, the telemetry's last flush and a busy machine.
    expect((sidecar.exit?.atMs ?? Infinity) - startedAtMs).toBeLessThan(1_500 + 2_000 + 2_000);
    const ends = Object.fromEntries(sidecar.records().map(({ record }) => [record.request.model, record.end.outcome]));
    expect(ends).toEqual({ short: 'ok', endless: 'shutdown' });
  });

  test('N3 the process does not wait for its limit when nothing is open', async () => {
    const { engine, sidecar } = await start('--drain', '20');
    engine.plan([at(0, head('200 OK', 'content-length: 2'), 'ok')]);
    const client = await RawClient.open(sidecar.listenPort);
    client.request(requestOf());
    await client.response();
    sidecar.signal('SIGTERM');
    await client.untilGone(3_000);
    await sidecar.untilExit(6_000);
    expect(sidecar.exit).toMatchObject({ code: 0 });
  });

  test('N3 a connection that becomes idle during the drain is closed, so that the end is not delayed', async () => {
    const { engine, sidecar } = await start('--drain', '20');
    const last = await stream(engine, sidecar, 'last', sleep(400));
    sidecar.signal('SIGTERM');
    expect((await last.client.response()).complete).toBe(true);
    await last.client.untilGone(3_000);
    await sidecar.untilExit(6_000);
    expect(sidecar.exit).toMatchObject({ code: 0 });
    expect(sidecar.records().map(({ record }) => record.end.outcome)).toEqual(['ok']);
  });

  test('N3 a second signal does not wait any longer, and what it cuts is told', async () => {
    const { engine, sidecar } = await start('--drain', '20');
    const endless = await stream(engine, sidecar, 'endless', new Promise(() => undefined));
    sidecar.signal('SIGTERM');
    await sleep(200);
    sidecar.signal('SIGTERM');
    expect((await endless.client.response()).complete).toBe(false);
    await sidecar.untilExit(6_000);
    expect(sidecar.exit).toMatchObject({ code: 0 });
    expect(sidecar.records().map(({ record }) => record.end.outcome)).toEqual(['shutdown']);
  });

  test('N3 a third signal ends the process where it stands', async () => {
    // With a collector that hangs the last flush takes its whole time, so there is something left to end.
    const collector = await OtlpCatcher.start();
    open.push(collector);
    collector.mood = 'hang';
    const { engine, sidecar } = await startWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, '--drain', '20');
    const endless = await stream(engine, sidecar, 'endless', new Promise(() => undefined));
    sidecar.signal('SIGTERM');
    await sleep(200);
    sidecar.signal('SIGTERM');
    await endless.client.response();
    sidecar.signal('SIGTERM');
    await sidecar.untilExit();
    expect(sidecar.exit).toMatchObject({ signal: 'SIGTERM' });
  });
});

describe('E20', () => {
  test('E20 half a head is answered 408 while the process goes down, and a whole one is told so', async () => {
    const { engine, sidecar } = await start('--drain', '20');
    const last = await stream(engine, sidecar, 'last', sleep(3_500));
    const [half, late] = [await RawClient.open(sidecar.listenPort), await RawClient.open(sidecar.listenPort)];
    half.request('GET / HTTP/1.1\r\nhost: e');
    late.request('GET / HTTP/1.1\r\nhost: e');
    await sleep(50);
    sidecar.signal('SIGTERM');
    await sleep(100);
    await late.send('ngine\r\n\r\n');
    expect((await late.response()).status).toBe(503);
    expect((await half.response(0, 3_000)).status).toBe(408);
    await half.untilGone(2_000);
    expect((await last.client.response()).complete).toBe(true);
    await sidecar.untilExit();
  });

  test('E20 half a head does not delay the end when nothing else is open', async () => {
    const { sidecar } = await start('--drain', '20');
    const half = await RawClient.open(sidecar.listenPort);
    half.request('POST / HTTP/1.1\r\nhost: engi');
    await sleep(50);
    sidecar.signal('SIGTERM');
    await half.untilGone(3_000);
    await sidecar.untilExit(4_000);
    expect(sidecar.exit).toMatchObject({ code: 0 });
  });
});

describe('drain-delay', () => {
  test('new requests are served for so long after the signal, while readiness says no', async () => {
    const { engine, sidecar } = await start('--drain', '20', '--drain-delay', '1.5');
    sidecar.signal('SIGTERM');
    await expect.poll(async () => (await sidecar.admin('/readyz')).status).toBe(503);
    const during = await stream(engine, sidecar, 'during', sleep(2_500));
    expect((await during.client.response()).complete).toBe(true);
    await sidecar.untilExit();
    expect(sidecar.records().map(({ record }) => record.end.outcome)).toEqual(['ok']);
  });

  test('a second signal ends the delay too', async () => {
    const { engine, sidecar } = await start('--drain', '20', '--drain-delay', '20');
    const endless = await stream(engine, sidecar, 'endless', new Promise(() => undefined));
    sidecar.signal('SIGTERM');
    await expect.poll(async () => (await sidecar.admin('/readyz')).status).toBe(503);
    sidecar.signal('SIGTERM');
    expect((await endless.client.response()).complete).toBe(false);
    await sidecar.untilExit(6_000);
    expect(sidecar.exit).toMatchObject({ code: 0 });
  });
});

describe('F29', () => {
  test('F29 the last answer on a connection of a process that goes down says that it is the last', async () => {
    const { engine, sidecar } = await start('--drain', '20');
    engine.plan([at(600, head('200 OK', 'content-length: 2'), 'ok')]);
    const client = await RawClient.open(sidecar.listenPort);
    client.request(requestOf());
    await engine.signal.until('the request', () => engine.requestCount === 1);
    sidecar.signal('SIGTERM');
    const response = await client.response();
    expect([response.status, response.body.toString()]).toEqual([200, 'ok']);
    expect(response.head?.lines.map((line) => line.toLowerCase())).toContain('connection: close');
    await client.untilGone(2_000);
    await sidecar.untilExit();
  });
});

/** A new client is refused or told so: it is never left waiting. */
async function expectNoNewRequests(sidecar: Sidecar): Promise<void> {
  const client = await RawClient.open(sidecar.listenPort).catch(() => undefined);
  if (client === undefined) return;
  client.request(requestOf());
  const response = await client.response(0, 2_000).catch(() => undefined);
  expect(response?.status ?? 503).toBe(503);
  client.close();
}
