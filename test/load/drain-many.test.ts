// Goal: a planned stop with 500 live streams loses none of them, answers or closes everything else, and
// the process ends right behind the last one (T20); a collector that hangs does not hold it (T19).
// Method: a fleet of streams, connections that are idle and some that have sent half a head; SIGTERM when
// all streams run.
import { afterEach, expect, test } from 'vitest';
import { expectFleetExact, playFleet } from '../support/fleet.ts';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { Sidecar, type SidecarOptions } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';

const STREAM_COUNT = 500;
const IDLE_COUNT = 20;
/** From the last stream's end to the process's: 100 ms are promised, the rest is for a busy machine. */
const EXIT_MAX_MS = 1_000;
/** With a collector that hangs: 2 s are promised. */
const EXIT_HANGING_MAX_MS = 3_000;

const open: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

async function start(options: Partial<SidecarOptions>): Promise<{ engine: RawEngine; sidecar: Sidecar }> {
  const engine = await RawEngine.start();
  open.push(engine);
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, ...options });
  open.push(sidecar);
  return { engine, sidecar };
}

test('T20 500 live streams end whole, half a head is answered, idle connections are closed', async () => {
  const { engine, sidecar } = await start({ args: ['--drain', '25'] });
  const connect = (): Promise<RawClient> => RawClient.open(sidecar.listenPort);
  const idle = await Promise.all(Array.from({ length: IDLE_COUNT }, connect));
  const halves = await Promise.all(Array.from({ length: IDLE_COUNT }, connect));
  for (const half of halves) half.request('POST /v1/chat/completions HTTP/1.1\r\nhost: engi');
  const running = { engine, port: sidecar.listenPort, name: 'many', streamCount: STREAM_COUNT, chunkCount: 50 };
  const fleet = playFleet({ ...running, paceMs: 100 });
  await engine.signal.until('all streams to run', () => engine.requestCount === STREAM_COUNT);

  sidecar.signal('SIGTERM');
  await poll('readiness to turn', async () => ((await sidecar.admin('/readyz')).status === 503 ? true : undefined));
  // A drain looks to whoever watches liveness as healthy as any other time.
  expect((await sidecar.admin('/healthz')).status).toBe(200);
  await Promise.all(idle.map((client) => client.untilGone(2_000)));
  const answers = await Promise.all(halves.map((client) => client.response(0, 4_000)));
  expect(answers.map(({ status }) => status)).toEqual(halves.map(() => 408));

  const streams = await fleet;
  const endedAtMs = performance.now();
  expectFleetExact(streams);
  await sidecar.untilExit();
  expect(sidecar.exit).toMatchObject({ code: 0 });
  expect((sidecar.exit?.atMs ?? Infinity) - endedAtMs).toBeLessThan(EXIT_MAX_MS);
  expect(engine.faults).toEqual([]);
  const outcomes = sidecar.records().map(({ record }) => record.end.outcome);
  expect([outcomes.length, new Set(outcomes)]).toEqual([STREAM_COUNT, new Set(['ok'])]);
});

test('T19 a collector that hangs does not hold the process', async () => {
  const collector = await OtlpCatcher.start();
  open.push(collector);
  collector.mood = 'hang';
  const { engine, sidecar } = await start({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const fleet = playFleet({
    engine,
    port: sidecar.listenPort,
    name: 'few',
    streamCount: 5,
    chunkCount: 10,
    paceMs: 50,
  });
  await engine.signal.until('all streams to run', () => engine.requestCount === 5);
  sidecar.signal('SIGTERM');
  expectFleetExact(await fleet);
  const endedAtMs = performance.now();
  await sidecar.untilExit();
  expect(sidecar.exit).toMatchObject({ code: 0 });
  expect((sidecar.exit?.atMs ?? Infinity) - endedAtMs).toBeLessThan(EXIT_HANGING_MAX_MS);
});
