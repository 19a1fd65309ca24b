// T15: two thousand streams that have had one token and wait cost little each, and a token to each of them within a
// second comes through at once.
import { LightEngine } from '../harness/light-engine.ts';
import { Load, type LoadStream } from '../harness/load.ts';
import { residentKib } from '../harness/processes.ts';
import { largest, median, msOf, percentile, short } from '../harness/stats.ts';
import { openWaiting } from '../harness/waiting-streams.ts';
import type { Check } from './finding.ts';
import { inTurns, pause, type Way, type WayName } from './ways.ts';

const STREAM_COUNT = Number(process.env['THIRTY_IDLE_STREAMS'] ?? 2_000);
const SETTLE_MS = 2_000;
const TURN_COUNT = 2;
const STREAM_MAX_KB = 60;
const TOKENS_WITHIN_MS = 1_000;
const TOKEN_MAX_MS = 50;

interface Turn {
  readonly streamKb: number;
  readonly tokenNs: readonly number[];
}

/** One token to each, evenly over a second. */
async function tokenToEach(streams: readonly LoadStream[]): Promise<void> {
  const beganAtMs = performance.now();
  for (let given = 0; given < streams.length;) {
    const due = Math.min(streams.length, ((performance.now() - beganAtMs) / TOKENS_WITHIN_MS) * streams.length);
    for (; given < due; given += 1) streams[given]?.chunk();
    await pause(1);
  }
}

async function turn(load: Load, way: Way): Promise<Turn> {
  await pause(SETTLE_MS);
  const idleKib = residentKib(way.pid);
  const streams = await openWaiting(load, way.port, STREAM_COUNT);
  await pause(SETTLE_MS);
  const streamKb = ((residentKib(way.pid) - idleKib) * 1.024) / STREAM_COUNT;
  await tokenToEach(streams);
  await pause(SETTLE_MS);
  for (const stream of streams) stream.answer?.end();
  await Promise.all(streams.map((stream) => stream.ended));
  return { streamKb, tokenNs: streams.map(({ delaysNs }) => delaysNs[1] ?? NaN) };
}

export const idle: Check = {
  ids: ['T15'],
  about: `${STREAM_COUNT} streams that wait`,
  async run() {
    const engine = await LightEngine.start();
    const load = new Load(engine);
    const freshKb: Partial<Record<WayName, number>> = {};
    const turns = await inTurns(TURN_COUNT, { enginePort: engine.port }, async (way, name) => {
      const played = await turn(load, way);
      freshKb[name] ??= played.streamKb;
      return played;
    });
    await engine.stop();
    const p99 = (each: readonly Turn[]): number =>
      msOf(
        percentile(
          each.flatMap(({ tokenNs }) => tokenNs),
          99,
        ),
      );
    const kb = (each: readonly Turn[]): number => median(each.map(({ streamKb }) => streamKb));
    const worst = msOf(largest(turns.rubato.flatMap(({ tokenNs }) => tokenNs)));
    return [
      {
        id: 'T15',
        what: `a stream of ${STREAM_COUNT} that wait, of a process just started`,
        value: freshKb.rubato ?? NaN,
        target: STREAM_MAX_KB,
        unit: 'kB',
        ...(freshKb.pipe !== undefined && { pipe: freshKb.pipe }),
        note: `with as many again: ${short(kb(turns.rubato))} more, pipe ${short(kb(turns.pipe))}`,
      },
      {
        id: 'T15',
        what: 'one token to each within 1 s: written → at the client, p99',
        value: p99(turns.rubato),
        target: TOKEN_MAX_MS,
        unit: 'ms',
        direct: p99(turns.direct),
        pipe: p99(turns.pipe),
        note: `worst ${short(worst)}`,
      },
    ];
  },
};
