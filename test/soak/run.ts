// `npm run soak [-- --seconds N --seed N]`: mixed load with faults on all sides for half an hour, with quiet
// moments in between. After the warm-up nothing may grow (memory, timers and sockets of each thread,
// series), no stream may be lost or altered, and every counter must balance to the unit. Says what it does on the
// way; ends with 1 when anything was wrong. The load is made in this process, the sidecar runs in its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Crowd } from '../support/crowd/crowd.ts';
import type { Kind, StreamPlan } from '../support/crowd/crowd-engine.ts';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { parsePrometheus, sumOf, type Sample } from '../support/prometheus.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';
import { growthOf, type Holding, holdingText, lookAt } from './watch.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1800' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
  },
});
const SECONDS = Number(values.seconds);
const SEED = Number(values.seed);
const ROUND_COUNT = SECONDS >= 300 ? 10 : 4;
/** The first rounds fill what is kept on purpose: spares, lists of what was last, code that is compiled. */
const WARM_COUNT = SECONDS >= 300 ? 3 : 2;
/** Time in which idle connections close and telemetry is sent. */
const QUIET_MS = 7_000;
const ROUND_MS = Math.max(2_000, (SECONDS * 1_000) / ROUND_COUNT - QUIET_MS);
/** An exchange that is still open after this is a fault. */
const TOLD_WITHIN_MS = 60_000;
const LANE_COUNT = 150;
const FAULT_EVERY_MS = 1_500;
const RELOAD_EVERY_MS = 4_000;
const KINDS: readonly Kind[] = ['whole', 'whole', 'whole', 'whole', 'whole', 'slow', 'abort', 'leave', 'cut', 'refuse'];

/** Mulberry32: small, and the same everywhere. */
let state = SEED;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const below = (limit: number): number => Math.floor(random() * limit);

function anyPlan(): StreamPlan {
  const kind = KINDS[below(KINDS.length)] as Kind;
  return { kind, eventCount: 2 + below(60), everyMs: 5 + below(100) };
}

const faults: string[] = [];
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** The collector answers well, badly or not at all, in turns. */
async function troubleCollector(catcher: OtlpCatcher, isOver: () => boolean): Promise<void> {
  const moods = [200, 503, 'hang', 429, 200, 'reset', 413, 200] as const;
  for (let turn = 0; !isOver(); turn += 1) {
    catcher.mood = moods[turn % moods.length] ?? 200;
    await sleep(FAULT_EVERY_MS);
  }
  catcher.mood = 200;
}

/** Scrapers that leave, heads that never end, bytes that are no HTTP. */
async function troubleDoors(sidecar: Sidecar, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const admin = connect(sidecar.adminPort, '127.0.0.1');
    admin.on('error', () => undefined).write('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n');
    setTimeout(() => admin.resetAndDestroy(), below(30));
    const half = connect(sidecar.listenPort, '127.0.0.1');
    half.on('error', () => undefined).write(random() < 0.5 ? 'POST /v1/chat/comp' : 'what is this?\r\n\r\n');
    half.resume();
    setTimeout(() => half.destroy(), below(2_000));
    await sleep(100 + below(200));
  }
}

async function reloadNowAndThen(sidecar: Sidecar, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await sleep(RELOAD_EVERY_MS);
    if (!isOver()) process.kill(sidecar.pid, 'SIGHUP');
  }
}

async function oneRound(crowd: Crowd, catcher: OtlpCatcher, sidecar: Sidecar): Promise<void> {
  const endAtMs = performance.now() + ROUND_MS;
  const isOver = (): boolean => performance.now() > endAtMs || sidecar.exit !== undefined;
  const lane = async (): Promise<void> => {
    while (!isOver()) await crowd.play(sidecar.listenPort, anyPlan());
  };
  await Promise.all([
    ...Array.from({ length: LANE_COUNT }, lane),
    troubleCollector(catcher, isOver),
    troubleDoors(sidecar, isOver),
    reloadNowAndThen(sidecar, isOver),
  ]);
}

function count(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  return sumOf(samples, name, labels) ?? 0;
}

/** What must hold whenever nothing is open. */
function balance(crowd: Crowd, { samples }: Holding): string[] {
  const { goodCounts: good } = crowd;
  const exchanges = (...outcomes: string[]): number =>
    outcomes.reduce((sum, outcome) => sum + count(samples, 'rubato_exchanges_total', { outcome }), 0);
  const pairs: [string, number, number][] = [
    ['streams that ended well', good.whole + good.slow, exchanges('ok')],
    ['clients that left', good.abort + good.leave, exchanges('client_abort')],
    ['streams cut by the engine', good.cut, exchanges('upstream_aborted')],
    ['requests refused by the engine', good.refuse, exchanges('upstream_closed_before_head', 'upstream_reset_reused')],
    [
      'exchanges of all outcomes',
      Object.values(good).reduce((sum, each) => sum + each, 0),
      count(samples, 'rubato_exchanges_total'),
    ],
    ['open exchanges', 0, count(samples, 'rubato_active')],
    ['readers detached', 0, count(samples, 'rubato_self_reader_detached_total')],
    // Only a machine without a core to spare for the main thread makes this more than 0.
    ['entries of the tape lost', 0, count(samples, 'rubato_self_tape_dropped_total')],
  ];
  for (const signal of ['traces', 'metrics', 'records']) {
    const of = (name: string): number => count(samples, `rubato_self_${name}`, { signal });
    const told = of('exported_total') + of('export_dropped_total') + of('export_queued');
    pairs.push([`${signal} that were to leave`, told, of('export_taken_total')]);
  }
  return pairs.flatMap(([what, expected, told]) =>
    expected === told ? [] : [`${what}: ${expected}, but rubato says ${told}`],
  );
}

/** On a machine that others load, what the relay wrote down is read long after it happened. */
async function untilAllIsTold(sidecar: Sidecar): Promise<void> {
  const untilMs = performance.now() + TOLD_WITHIN_MS;
  for (;;) {
    const { text } = await sidecar.admin('/metrics');
    if (count(parsePrometheus(text), 'rubato_active') === 0 || performance.now() > untilMs) return;
    await sleep(500);
  }
}

async function soak(crowd: Crowd, catcher: OtlpCatcher, sidecar: Sidecar, folder: string): Promise<void> {
  let warm: Holding | undefined;
  for (let round = 1; round <= ROUND_COUNT && faults.length === 0; round += 1) {
    await oneRound(crowd, catcher, sidecar);
    await poll(
      'connections kept idle to be closed',
      () => (crowd.engine.sockets.size === 0 ? true : undefined),
      20_000,
      50,
    );
    await sleep(QUIET_MS);
    await untilAllIsTold(sidecar);
    if (sidecar.fault !== undefined) faults.push(sidecar.fault);
    if (faults.length > 0) return;
    const holding = await lookAt(sidecar, folder);
    faults.push(...crowd.notes, ...balance(crowd, holding));
    if (warm !== undefined) faults.push(...growthOf(warm, holding));
    if (round === WARM_COUNT) warm = holding;
    const total = Object.values(crowd.goodCounts).reduce((sum, each) => sum + each, 0);
    say(
      `round ${round} of ${ROUND_COUNT}${round <= WARM_COUNT ? ' (warm-up)' : ''}: ${total} streams, ${holdingText(holding)}`,
    );
  }
  faults.push(...sidecar.noise);
}

say(`soak for ${SECONDS} s, seed ${SEED}`);
const folder = mkdtempSync(join(tmpdir(), 'rubato-soak-'));
const crowd = await Crowd.start();
const catcher = await OtlpCatcher.start();
const sidecar = await Sidecar.start({
  upstream: `http://127.0.0.1:${crowd.engine.port}`,
  nodeArgs: ['--import', new URL('./resources.ts', import.meta.url).href],
  env: {
    SOAK_FOLDER: folder,
    OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRIC_EXPORT_INTERVAL: '2000',
  },
});
try {
  await soak(crowd, catcher, sidecar, folder);
} finally {
  await sidecar.stop();
  await catcher.stop();
  await crowd.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults) say(`FAULT ${fault}`);
say(
  faults.length === 0
    ? 'nothing was lost, altered or left behind'
    : `${faults.length} faults; again with --seed ${SEED}`,
);
process.exit(faults.length === 0 ? 0 : 1);
