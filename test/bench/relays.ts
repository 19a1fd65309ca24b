// `npm run bench -- relays`: how evenly `--relays N` spreads connections, which is the kernel's doing, and what a
// second relay brings at saturation. What more of them would bring on a machine with more cores is a model, and said
// as one. Gives no verdict.
import { startRubato, type Rubato } from './harness/contender.ts';
import { LightEngine } from './harness/light-engine.ts';
import { Load } from './harness/load.ts';
import { CORE_COUNT } from './harness/processes.ts';
import { progress, report, type BenchResult } from './harness/report.ts';
import { median, short, spreadText } from './harness/stats.ts';
import { untilBegun } from './harness/waiting-streams.ts';
import { startCollector, type Collector } from './speed/collector.ts';
import type { Values } from './speed/figures.ts';
import { busiestShare, scalingModel } from './speed/relay-model.ts';
import { saturation } from './speed/scenarios/saturation.ts';

const CONNECTION_COUNTS = [50, 100, 200, 400];
const RELAY_COUNTS = [2, 4];
const ROUND_COUNT = 5;
const SATURATION_TURN_COUNT = 3;
const RECORDS_MAX_MS = 20_000;
const MODELLED = [1, 2, 3, 4, 8];

const start = (load: Load, collector: Collector, relayCount: number): Promise<Rubato> =>
  startRubato(`${relayCount} relays`, {
    enginePort: load.enginePort,
    collectorPort: collector.port,
    args: ['--relays', String(relayCount)],
  });

/** The share of the busiest relay, as a multiple of an even one: each record says which relay had the stream. */
async function busiest(load: Load, rubato: Rubato, connectionCount: number, relayCount: number): Promise<number> {
  const { sidecar } = rubato;
  const before = sidecar.records().length;
  const streams = Array.from({ length: connectionCount }, () =>
    load.open(rubato, { onAnswer: (self) => self.chunk() }),
  );
  await untilBegun(streams);
  for (const stream of streams) stream.answer?.end();
  await Promise.all(streams.map((stream) => stream.ended));
  const all = await sidecar.untilRecords(before + connectionCount, RECORDS_MAX_MS);
  return busiestShare(all.slice(before).map(({ record }) => record.id)) * relayCount;
}

async function spreadRows(load: Load, collector: Collector): Promise<string[][]> {
  const rows: string[][] = [];
  for (const relayCount of RELAY_COUNTS) {
    const rubato = await start(load, collector, relayCount);
    for (const connectionCount of CONNECTION_COUNTS) {
      progress(`relays: ${relayCount}, ${connectionCount} connections`);
      const shares: number[] = [];
      for (let nth = 0; nth < ROUND_COUNT; nth += 1) {
        shares.push(await busiest(load, rubato, connectionCount, relayCount));
      }
      rows.push([String(relayCount), String(connectionCount), spreadText(shares)]);
    }
    await rubato.stop();
  }
  return rows;
}

/** Saturation with one relay and with two, in turns. */
async function saturate(load: Load, collector: Collector): Promise<Map<number, Values[]>> {
  const turns = new Map<number, Values[]>([1, 2].map((count) => [count, []]));
  const running = new Map<number, Rubato>();
  for (const count of turns.keys()) running.set(count, await start(load, collector, count));
  for (let nth = 0; nth <= SATURATION_TURN_COUNT; nth += 1) {
    for (const [count, rubato] of running) {
      progress(`relays: saturation with ${count}, turn ${nth}/${SATURATION_TURN_COUNT}`);
      const given = await saturation.play({ load, collector, scale: 1 }, { ...rubato, pids: [rubato.sidecar.pid] });
      if (nth > 0) turns.get(count)?.push(given);
    }
  }
  for (const rubato of running.values()) await rubato.stop();
  return turns;
}

async function bench(): Promise<BenchResult> {
  const engine = await LightEngine.start();
  const load = new Load(engine);
  const collector = await startCollector();
  const spread = await spreadRows(load, collector);
  const turns = await saturate(load, collector);
  await collector.stop();
  await engine.stop();
  const of = (count: number, figure: keyof Values): number[] =>
    (turns.get(count) ?? []).flatMap((each) => each[figure] ?? []);
  const costs = {
    relayUs: median(of(1, 'relayUsPerChunk')),
    mainUs: median(of(1, 'mainUsPerChunk')),
    totalUs: median(of(1, 'cpuUsPerChunk')),
  };
  return {
    name: 'relays',
    tables: [
      {
        title: 'Connections of the busiest relay, as a multiple of an even share',
        head: ['relays', 'connections', 'busiest, ×'],
        rows: spread,
      },
      {
        title: `Saturation, measured on ${CORE_COUNT} cores with the load tool on the same machine`,
        head: ['relays', 'chunks/s', 'CPU a chunk, µs', 'of it relay, µs', 'of it main, µs', 'load tool, cores'],
        rows: [...turns.keys()].map((count) => [
          String(count),
          spreadText(of(count, 'chunksPerSecond')),
          spreadText(of(count, 'cpuUsPerChunk')),
          spreadText(of(count, 'relayUsPerChunk')),
          spreadText(of(count, 'mainUsPerChunk')),
          spreadText(of(count, 'toolShare')),
        ]),
      },
      {
        title: 'A model, not measured: chunks/s with cores enough, from the costs with one relay',
        head: ['relays', 'chunks/s', 'cores', 'what ends it'],
        rows: MODELLED.map((count) => {
          const { chunksPerSecond, cores, limit } = scalingModel(costs, count);
          return [String(count), short(chunksPerSecond), short(cores), limit];
        }),
      },
    ],
    verdicts: [],
    figures: { spread, saturation: Object.fromEntries(turns), costs },
  };
}

await report(bench);
