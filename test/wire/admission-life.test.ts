// Goal: the admission queue through the life of the process: a drain lets those in line have their turn, limits that are
// reloaded hold at once, each relay has its share, and a relay that dies takes its own line with it and no more.
// Method: a sidecar of its own for each test, its engine's streams held open, signals from outside.
import { writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { configFile } from '../support/config-file.ts';
import { useClients } from '../support/clients.ts';
import type { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import { Sidecar, type SidecarOptions } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const clientOf = useClients();
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function yamlOf(maxRunning: number): string {
  return `admission: { max_running: ${maxRunning}, classes: [{ class: default, max_wait_ms: 60000 }] }\n`;
}

async function start(maxRunning: number, args: readonly string[] = [], more: Partial<SidecarOptions> = {}) {
  const config = configFile(yamlOf(maxRunning));
  const engine = await RawEngine.start();
  closers.push(() => engine.stop());
  const upstream = `http://127.0.0.1:${engine.port}`;
  const sidecar = await Sidecar.start({ upstream, args: ['--config', config, ...args], ...more });
  closers.push(() => sidecar.stop());
  return { config, engine, sidecar };
}

interface Stream {
  readonly client: RawClient;
  /** The engine has it. */
  exchange: EngineExchange | undefined;
}

/** A stream that goes on until it is ended. */
async function open({ engine, sidecar }: { engine: RawEngine; sidecar: Sidecar }): Promise<Stream> {
  const plan = engine.plan([at(0, HEAD), at(0, c(D('a')))]);
  const client = await clientOf(sidecar.listenPort);
  client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const stream: Stream = { client, exchange: undefined };
  void plan.exchange.then((exchange) => (stream.exchange = exchange));
  return stream;
}

const atEngine = (streams: readonly Stream[]): Stream[] => streams.filter(({ exchange }) => exchange !== undefined);

/** Waits until so many are at the engine, and sees that no more get there. */
async function settled(streams: readonly Stream[], count: number): Promise<void> {
  await poll(`${count} at the engine`, () => (atEngine(streams).length >= count ? true : undefined));
  await sleep(200);
  expect(atEngine(streams)).toHaveLength(count);
}

async function end({ exchange, client }: Stream): Promise<void> {
  await exchange?.write(c(DONE), END);
  expect((await client.response()).complete).toBe(true);
}

test('a drain lets those in line have their turn', async () => {
  const stage = await start(1, ['--drain', '20']);
  const [first, second] = [await open(stage), await open(stage)];
  await settled([first, second], 1);
  stage.sidecar.signal('SIGTERM');
  await sleep(100);
  for (const stream of [first, second]) {
    await poll('its turn', () => stream.exchange);
    await end(stream);
  }
  await stage.sidecar.untilExit();
  expect(stage.sidecar.exit).toMatchObject({ code: 0 });
  expect(stage.sidecar.records().map(({ record }) => record.end.outcome)).toEqual(['ok', 'ok']);
});

test('a drain that is over tells those in line', async () => {
  const stage = await start(1, ['--drain', '0.5']);
  const streams = [await open(stage), await open(stage)];
  await settled(streams, 1);
  stage.sidecar.signal('SIGTERM');
  const response = await (streams[1] as Stream).client.response();
  expect([response.status, response.values('x-rubato-error')]).toEqual([503, ['RBT_SHUTDOWN']]);
  await stage.sidecar.untilExit();
});

test('limits that are reloaded hold at once, for those in line too', async () => {
  const stage = await start(1);
  const streams = [await open(stage), await open(stage), await open(stage), await open(stage)];
  await settled(streams, 1);
  writeFileSync(stage.config, yamlOf(3));
  process.kill(stage.sidecar.pid, 'SIGHUP');
  await settled(streams, 3);
  writeFileSync(stage.config, yamlOf(2));
  process.kill(stage.sidecar.pid, 'SIGHUP');
  await poll('word of the reload', () =>
    stage.sidecar.logs.filter(({ msg }) => /reload|configuration/.test(String(msg))).length >= 2 ? true : undefined,
  );
  const [one, two] = atEngine(streams) as [Stream, Stream];
  await end(one);
  // Three were there, and two may be.
  await settled(streams, 3);
  await end(two);
  await settled(streams, 4);
  for (const stream of streams) if (stream !== one && stream !== two) await end(stream);
});

test('two relays have half of the places each', async () => {
  const stage = await start(4, ['--relays', '2']);
  const streams: Stream[] = [];
  for (let count = 0; count < 16; count += 1) streams.push(await open(stage));
  await settled(streams, 4);
  for (let ended = 0; ended < 16; ended += 1) {
    const stream = await poll('one at the engine', () => atEngine(streams)[0]);
    streams.splice(streams.indexOf(stream), 1);
    await end(stream);
  }
});

test('a relay that dies takes its line with it, and the next has all places', async () => {
  const preload = new URL('../support/kill-relay.ts', import.meta.url).href;
  const stage = await start(1, [], { nodeArgs: ['--import', preload] });
  const streams = [await open(stage), await open(stage)];
  await settled(streams, 1);
  process.kill(stage.sidecar.pid, 'SIGUSR2');
  for (const { client } of streams) await client.untilGone();
  await poll('relays again', async () => ((await stage.sidecar.admin('/healthz')).status === 200 ? true : undefined));
  const next = await open(stage);
  await settled([next], 1);
  await end(next);
});
