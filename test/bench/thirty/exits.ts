// T19 and T20: the process is gone right behind its last stream, whatever else is open, and soon when the collector
// hangs. Read is the moment at which its parent learns of the exit.
import { largest, short, spreadText } from '../harness/stats.ts';
import { startScript } from '../harness/contender.ts';
import { playFleet, type FleetStream } from '../../support/fleet.ts';
import { RawClient } from '../../support/raw-client.ts';
import { RawEngine } from '../../support/raw-engine.ts';
import { Sidecar } from '../../support/sidecar.ts';
import { poll } from '../../support/signal.ts';
import type { Check, Finding } from './finding.ts';
import { pause } from './ways.ts';

const RUN_COUNT = 5;
const STREAM_COUNT = 100;
const BESIDE_COUNT = 20;
/** The sidecar has booted what it boots later, and nothing of its start is under way. */
const SETTLE_MS = 3_000;
const EXIT_MAX_MS = 100;
const EXIT_HANGING_MAX_MS = 2_000;

interface Exit {
  readonly afterLastMs: number;
  readonly cutCount: number;
  readonly readinessMs: number;
}

const isWhole = ({ response, exchange }: FleetStream): boolean =>
  response.complete && response.sha256 === exchange.answer?.sha256;

/** A drain with streams under way, and with connections that are idle or have sent half a head. */
async function drainOnce(env: Readonly<Record<string, string>>): Promise<Exit> {
  const engine = await RawEngine.start();
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, args: ['--drain', '30'], env });
  await pause(SETTLE_MS);
  const connect = (): Promise<RawClient> => RawClient.open(sidecar.listenPort);
  const beside = await Promise.all(Array.from({ length: 2 * BESIDE_COUNT }, connect));
  for (const half of beside.slice(BESIDE_COUNT)) half.request('POST /v1/chat/completions HTTP/1.1\r\nhost: engi');
  const fleet = playFleet({
    engine,
    port: sidecar.listenPort,
    name: 'drained',
    streamCount: STREAM_COUNT,
    chunkCount: 40,
    paceMs: 100,
  });
  await engine.signal.until('all streams to run', () => engine.requestCount === STREAM_COUNT);
  const toldAtMs = performance.now();
  sidecar.signal('SIGTERM');
  await poll('readiness to turn', async () => ((await sidecar.admin('/readyz')).status === 503 ? true : undefined));
  const readinessMs = performance.now() - toldAtMs;
  const streams = await fleet;
  const lastAtMs = performance.now();
  await sidecar.untilExit();
  const afterLastMs = (sidecar.exit?.atMs ?? NaN) - lastAtMs;
  for (const client of beside) client.close();
  await sidecar.stop();
  await engine.stop();
  return { afterLastMs, cutCount: streams.filter((stream) => !isWhole(stream)).length, readinessMs };
}

async function drains(env: Readonly<Record<string, string>>): Promise<Exit[]> {
  const exits: Exit[] = [];
  for (let run = 0; run < RUN_COUNT; run += 1) exits.push(await drainOnce(env));
  return exits;
}

function exitFinding(id: string, what: string, exits: readonly Exit[], target: number): Finding {
  const afterMs = exits.map(({ afterLastMs }) => afterLastMs);
  return { id, what, value: largest(afterMs), target, unit: 'ms', note: spreadText(afterMs) };
}

export const drain: Check = {
  ids: ['T20'],
  about: `SIGTERM under ${STREAM_COUNT} streams`,
  async run() {
    const exits = await drains({});
    const readiness = exits.map(({ readinessMs }) => readinessMs);
    return [
      exitFinding('T20', `last of ${STREAM_COUNT} streams → exit, worst of ${RUN_COUNT}`, exits, EXIT_MAX_MS),
      {
        id: 'T20',
        what: 'streams cut before the limit',
        value: exits.reduce((sum, { cutCount }) => sum + cutCount, 0),
        target: 0,
        unit: 'streams',
        note: `readiness 503 after ${short(largest(readiness))} ms at most`,
      },
    ];
  },
};

export const deadCollector: Check = {
  ids: ['T19'],
  about: 'SIGTERM with a collector that hangs',
  async run() {
    const collector = await startScript('collector', './otlp-sink.ts', ['hang']);
    const exits = await drains({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` });
    await collector.stop();
    return [exitFinding('T19', 'last stream → exit, worst', exits, EXIT_HANGING_MAX_MS)];
  },
};
