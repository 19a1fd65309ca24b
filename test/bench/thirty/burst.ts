// T05: nobody waits in a queue of ours, however many come at once, and whatever time a stream loses between engine
// and client is in the times that rubato says it took. The engine is slow: no stream ends before all have come.
import { nowNs } from '../../../src/base/clock.ts';
import { LightEngine } from '../harness/light-engine.ts';
import { Load, type LoadStream } from '../harness/load.ts';
import { largest, median, msOf, percentile, short } from '../harness/stats.ts';
import type { RecordEntry } from '../../support/sidecar.ts';
import type { Check, Finding } from './finding.ts';
import { inTurns, pause, type Turns } from './ways.ts';

const COUNTS = [300, 2_000];
const TURN_COUNT = 3;
const REACH_MAX_MS = 1_000;
const HEAD_AFTER_MS = 1_000;
const OWN_DELAY_SLACK_MS = 0.3;
const PACED = { streamCount: 60, chunkCount: 50, everyMs: 20, forMs: 3_000 };

/** All at once; how long until the last request is with the engine. */
async function burstMs(load: Load, port: number, count: number): Promise<number> {
  const beganAtNs = nowNs();
  let reachedCount = 0;
  let lastAtNs = NaN;
  const answered: LoadStream[] = [];
  const all = Promise.withResolvers<void>();
  const streams = Array.from({ length: count }, () =>
    load.open(port, {
      onAnswer: (stream) => {
        answered.push(stream);
        reachedCount += 1;
        lastAtNs = nowNs();
        if (reachedCount === count) all.resolve();
      },
    }),
  );
  await Promise.race([all.promise, ...streams.map((stream) => stream.ended)]);
  await pause(HEAD_AFTER_MS);
  for (const stream of answered) stream.chunk();
  for (const stream of answered) stream.answer?.end();
  await Promise.all(streams.map((stream) => stream.ended));
  return msOf(lastAtNs - beganAtNs);
}

function burstFinding(count: number, turns: Turns<number>, coldMs: number): Finding {
  return {
    id: 'T05',
    what: `${count} requests at once → the last one at the engine, median`,
    value: median(turns.rubato),
    target: REACH_MAX_MS,
    unit: 'ms',
    direct: median(turns.direct),
    pipe: median(turns.pipe),
    note: `just started ${short(coldMs)}, worst ${short(largest(turns.rubato))}`,
  };
}

async function bursts(engine: LightEngine, count: number): Promise<Finding> {
  const load = new Load(engine);
  let coldMs = NaN;
  const turns = await inTurns(TURN_COUNT, { enginePort: engine.port }, async ({ port }, name) => {
    const tookMs = await burstMs(load, port, count);
    if (name === 'rubato' && Number.isNaN(coldMs)) coldMs = tookMs;
    await pause(500);
    return tookMs;
  });
  return burstFinding(count, turns, coldMs);
}

/** Read's first stamp → the kernel took the chunk's last byte, of each chunk: all that rubato says it took of it. */
function ownNs(entries: readonly RecordEntry[]): number[] {
  return entries.flatMap(({ record: { chunks } }) =>
    chunks.flushedAtNs.map((atNs, row) => (atNs ?? NaN) - (chunks.receivedAtNs[row] as number)),
  );
}

/** Quantile by quantile: what a chunk takes through rubato is what it takes without, and what rubato says it took. */
async function ownDelays(engine: LightEngine): Promise<Finding[]> {
  const load = new Load(engine);
  let own: number[] = [];
  const turns = await inTurns(TURN_COUNT, { enginePort: engine.port }, async (way) => {
    const { chunkNs } = await load.paced(way.port, PACED);
    await pause(500);
    if (way.sidecar !== undefined) own = ownNs(way.sidecar.records());
    return chunkNs;
  });
  const [via, direct] = [turns.rubato.flat(), turns.direct.flat()];
  const unknownMs = (percent: number): number =>
    msOf(percentile(via, percent) - percentile(direct, percent) - percentile(own, percent));
  const unflushedCount = own.filter((lengthNs) => !(lengthNs >= 0)).length;
  return [
    {
      id: 'T05',
      what: 'delay of a chunk beyond direct that rubato’s own stamps do not hold, p50',
      value: unknownMs(50),
      target: OWN_DELAY_SLACK_MS,
      unit: 'ms',
      note: `p90 ${short(unknownMs(90))}; own p50 ${short(msOf(percentile(own, 50)))}, p99 ${short(msOf(percentile(own, 99)))} of ${own.length} chunks`,
    },
    { id: 'T05', what: 'chunks without both stamps', value: unflushedCount, target: 0, unit: 'chunks' },
  ];
}

export const burst: Check = {
  ids: ['T05'],
  about: `${COUNTS.join(' and ')} streams at once`,
  async run() {
    const engine = await LightEngine.start();
    const findings: Finding[] = [];
    for (const count of COUNTS) findings.push(await bursts(engine, count));
    findings.push(...(await ownDelays(engine)));
    await engine.stop();
    return findings;
  },
};
