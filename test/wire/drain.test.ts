// Goal: a planned stop lets streams finish within its limit, cuts the rest openly and ends (N3).
// Method: SIGTERM while raw streams are open; each test has a sidecar of its own, for it ends.
import { afterEach, describe, expect, test } from 'vitest';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD, head, requestOf } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';

const open: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

async function start(...args: string[]): Promise<{ engine: RawEngine; sidecar: Sidecar }> {
  const engine = await RawEngine.start();
  open.push(engine);
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, args });
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

  test('N3 a second signal does not wait any longer', async () => {
    const { engine, sidecar } = await start('--drain', '20');
    const endless = await stream(engine, sidecar, 'endless', new Promise(() => undefined));
    sidecar.signal('SIGTERM');
    await sleep(200);
    sidecar.signal('SIGTERM');
    expect((await endless.client.response()).complete).toBe(false);
    await sidecar.untilExit(6_000);
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
