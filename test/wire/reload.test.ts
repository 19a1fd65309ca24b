// Goal: SIGHUP has the configuration read anew. No stream is cut, no request fails, what is open keeps the
// route, class and limits it began with, and a configuration with faults changes nothing.
// Method: a YAML file that is rewritten while raw streams are open; two engines, so that it is seen who
// was asked.
import { writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { configFile } from '../support/config-file.ts';
import { expectFleetExact, playFleet } from '../support/fleet.ts';
import { sumOf } from '../support/prometheus.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD, head, requestOf } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const open: { stop: () => Promise<void> | void }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

async function startEngine(): Promise<RawEngine> {
  const engine = await RawEngine.start();
  open.push(engine);
  return engine;
}

interface Running {
  readonly sidecar: Sidecar;
  /** Writes the file anew and says so; gives the lines that were logged then. */
  reload(yaml: string): Promise<Record<string, unknown>[]>;
}

async function start(yaml: string, args: readonly string[] = [], nodeArgs: readonly string[] = []): Promise<Running> {
  const path = configFile(yaml);
  const sidecar = await Sidecar.start({ args: ['--config', path, ...args], nodeArgs });
  open.push(sidecar);
  return {
    sidecar,
    async reload(next) {
      writeFileSync(path, next);
      const from = sidecar.logs.length;
      process.kill(sidecar.pid, 'SIGHUP');
      const lines = () => sidecar.logs.slice(from);
      await poll('word of it', () =>
        lines().some(({ msg }) => String(msg).startsWith('the configuration')) ? true : undefined,
      );
      // The faults come right behind the line that announces them.
      await sleep(100);
      return lines();
    },
  };
}

const urlOf = (engine: RawEngine): string => `http://127.0.0.1:${engine.port}`;
const messagesOf = (lines: readonly Record<string, unknown>[]): unknown[] => lines.map(({ msg }) => msg);
const TAKEN = 'the configuration was read anew';
const REFUSED = 'the configuration was read anew and has faults, so the old one goes on';

/** A stream that goes on until told; resolves when it has begun. */
async function openStream(engine: RawEngine, sidecar: Sidecar, model: string, lines: readonly string[] = []) {
  const { promise: told, resolve: end } = Promise.withResolvers<void>();
  const plan = engine.plan(async (exchange) => {
    await exchange.write(HEAD, c(D('a')));
    await told;
    await exchange.write(c(D('b')), c(DONE), END);
  });
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`, ...lines] }));
  await client.bodyBytes(D('a').length);
  return {
    async finish(): Promise<void> {
      end();
      const response = await client.response();
      expect([response.complete, response.body.toString()]).toEqual([true, D('a') + D('b') + DONE]);
      client.close();
    },
  };
}

/** One request from start to end. */
async function ask(engine: RawEngine, sidecar: Sidecar, model: string, lines: readonly string[] = []): Promise<void> {
  await (await openStream(engine, sidecar, model, lines)).finish();
}

test('E3 routes lead elsewhere, and a stream that is open stays where it is', async () => {
  const [one, other] = [await startEngine(), await startEngine()];
  const { sidecar, reload } = await start(`upstream: ${urlOf(one)}\n`);
  const stream = await openStream(one, sidecar, 'before');
  expect(messagesOf(await reload(`routes: [{ name: second, upstream: "${urlOf(other)}" }]\n`))).toEqual([TAKEN]);
  expect((await sidecar.admin('/readyz')).status).toBe(200);
  await ask(other, sidecar, 'after');
  await stream.finish();
  const entries = await sidecar.untilRecords(2);
  expect(Object.fromEntries(entries.map(({ record }) => [record.request.model, record.route]))).toEqual({
    before: 'default',
    after: 'second',
  });
  expect(entries.map(({ record }) => record.end.outcome)).toEqual(['ok', 'ok']);
  const samples = await sidecar.metrics();
  for (const route of ['default', 'second']) {
    expect(sumOf(samples, 'rubato_exchanges_total', { route, outcome: 'ok' })).toBe(1);
  }
  expect([one.requestCount, other.requestCount]).toEqual([1, 1]);
});

test('E3 a new class is there at once, and an open stream keeps the class and stall limit it began with', async () => {
  const engine = await startEngine();
  const rules = (name: string): string =>
    `upstream: ${urlOf(engine)}\nclasses: [{ name: ${name}, match: [{ header: { name: x-kind, equals: k } }] }]\n`;
  const { sidecar, reload } = await start(rules('first'));
  const { promise: told, resolve: send } = Promise.withResolvers<void>();
  // Nothing was received yet when the rules change: what class it has is not even looked up by then.
  const plan = engine.plan(async (exchange) => {
    await told;
    await exchange.write(HEAD, c(D('a')), c(DONE), END);
  });
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ model: 'before', lines: [`${PLAN_FIELD}: ${plan.id}`, 'x-kind: k'] }));
  await plan.exchange;
  await poll('the exchange', async () =>
    (await sidecar.admin('/api/streams')).text.includes('"class":"first"') ? true : undefined,
  );
  await reload(rules('second'));
  expect(sumOf(await sidecar.metrics(), 'rubato_exchanges_total', { class: 'second', outcome: 'ok' })).toBe(0);
  send();
  await client.response();
  await ask(engine, sidecar, 'after', ['x-kind: k']);
  await sidecar.untilRecords(2);
  const samples = await sidecar.metrics();
  for (const name of ['first', 'second']) {
    expect(sumOf(samples, 'rubato_exchanges_total', { class: name, outcome: 'ok' })).toBe(1);
  }
});

test('E3 limits hold for what comes after', async () => {
  const engine = await startEngine();
  const { sidecar, reload } = await start(`upstream: ${urlOf(engine)}\n`);
  const before = await openStream(engine, sidecar, 'before');
  await reload(`upstream: ${urlOf(engine)}\ntimeout-idle: 0.2\n`);
  const after = await openStream(engine, sidecar, 'after');
  await sidecar.record('the one that fell silent', ({ end }) => end.outcome === 'timeout_idle');
  await before.finish();
  await expect(after.finish()).rejects.toThrow();
  const entries = await sidecar.untilRecords(2);
  expect(entries.map(({ record }) => [record.request.model, record.end.outcome])).toEqual([
    ['after', 'timeout_idle'],
    ['before', 'ok'],
  ]);
});

test('T21 a bad configuration leaves the old one running, and every fault is told', async () => {
  const engine = await startEngine();
  const { sidecar, reload } = await start(`upstream: ${urlOf(engine)}\n`);
  const stream = await openStream(engine, sidecar, 'a');
  const lines = await reload('upstream: nonsense\nstall-ms: -1\nno-such-key: 1\n');
  expect(lines[0]).toMatchObject({ level: 'error', msg: REFUSED, fault_count: 3 });
  expect(messagesOf(lines).slice(1).map(String)).toEqual([
    expect.stringContaining('no-such-key'),
    expect.stringContaining('upstream'),
    expect.stringContaining('stall-ms'),
  ]);
  expect(messagesOf(await reload(': : :'))[0]).toBe(REFUSED);
  expect((await sidecar.admin('/readyz')).status).toBe(200);
  await ask(engine, sidecar, 'b');
  await stream.finish();
});

test('E3 keys that need a restart are named in one line and keep their value', async () => {
  const engine = await startEngine();
  const { sidecar, reload } = await start(`upstream: ${urlOf(engine)}\n`);
  const lines = await reload(
    `upstream: ${urlOf(engine)}\nrelays: 2\notlp-listen: 127.0.0.1:0\ngen-ai-provider: p\nstall-ms: 7\n`,
  );
  expect(messagesOf(lines)).toEqual(['these keys were changed and keep their old value until a restart', TAKEN]);
  expect(lines[0]).toMatchObject({ level: 'warn', keys: 'relays, otlp-listen, gen-ai-provider' });
  await ask(engine, sidecar, 'a');
});

test('E3 idle connections to an upstream that stays serve on, those to one that went are closed', async () => {
  const [stays, goes] = [await startEngine(), await startEngine()];
  const routes = (...names: (readonly [string, RawEngine])[]): string =>
    `routes:\n${names.map(([name, engine]) => `  - { name: ${name}, prefix: /${name}, upstream: "${urlOf(engine)}" }\n`).join('')}`;
  const { sidecar, reload } = await start(routes(['a', stays], ['b', goes]));
  const get = async (engine: RawEngine, target: string): Promise<void> => {
    engine.plan([at(0, head('200 OK', 'content-length: 2'), 'ok')]);
    const client = await RawClient.open(sidecar.listenPort);
    client.request(requestOf({ target }));
    expect((await client.response()).status).toBe(200);
    client.close();
  };
  await get(stays, '/a');
  await get(goes, '/b');
  await sleep(1_500);
  await reload(routes(['c', stays]));
  await goes.signal.until('the idle connection to be closed', () => goes.openConnections.length === 0);
  await get(stays, '/c');
  // Whether an upstream can be reached is asked by connections that carry no request.
  expect(stays.connections.map(({ exchanges }) => exchanges.length).filter((count) => count > 0)).toEqual([2]);
});

test('E3 a relay that takes over from a dead one goes by what holds now', async () => {
  const [one, other] = [await startEngine(), await startEngine()];
  const preload = new URL('../support/kill-relay.ts', import.meta.url).href;
  const { sidecar, reload } = await start(`upstream: ${urlOf(one)}\n`, [], ['--import', preload]);
  await reload(`upstream: ${urlOf(other)}\n`);
  process.kill(sidecar.pid, 'SIGUSR2');
  await poll('word of the death', () =>
    messagesOf(sidecar.logs).includes('a relay thread died and is replaced; its streams were cut') ? true : undefined,
  );
  await poll('a relay again', async () => ((await sidecar.admin('/healthz')).status === 200 ? true : undefined));
  await ask(other, sidecar, 'a');
});

test('T21 no error and no cut stream while the configuration is read anew again and again under load', async () => {
  const engine = await startEngine();
  const yaml = (round: number): string => {
    const classes = `classes: [{ name: c${round % 3}, match: [{ path: /v1 }] }]\n`;
    return round % 4 === 3
      ? 'stall-ms: none\n'
      : `routes: [{ name: r${round % 2}, upstream: "${urlOf(engine)}" }]\n${classes}`;
  };
  const { sidecar, reload } = await start(yaml(0), ['--relays', '2']);
  const fleets = Array.from({ length: 6 }, (_, index) =>
    sleep(index * 150).then(() =>
      playFleet({ engine, port: sidecar.listenPort, name: `f${index}`, streamCount: 12, chunkCount: 60, paceMs: 20 }),
    ),
  );
  for (let round = 1; round <= 8; round += 1) {
    await reload(yaml(round));
    expect((await sidecar.admin('/readyz')).status).toBe(200);
  }
  for (const fleet of await Promise.all(fleets)) expectFleetExact(fleet);
  const entries = await sidecar.untilRecords(6 * 12);
  expect(new Set(entries.map(({ record }) => record.end.outcome))).toEqual(new Set(['ok']));
  expect([...new Set(entries.map(({ record }) => record.route))].toSorted()).toEqual(['r0', 'r1']);
  expect(sumOf(await sidecar.metrics(), 'rubato_exchanges_total', { outcome: 'ok' })).toBe(6 * 12);
});

test('E3 a hang-up that comes while streams drain neither cuts them nor changes anything', async () => {
  const engine = await startEngine();
  const { sidecar } = await start(`upstream: ${urlOf(engine)}\ndrain: 5\n`);
  const stream = await openStream(engine, sidecar, 'a');
  sidecar.signal('SIGTERM');
  await sleep(100);
  process.kill(sidecar.pid, 'SIGHUP');
  await sleep(200);
  await stream.finish();
  await sidecar.untilExit();
  expect(sidecar.exit).toMatchObject({ code: 0 });
  expect(messagesOf(sidecar.logs)).toContain('the configuration is not read: shutting down');
});
