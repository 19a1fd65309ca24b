// T17: with all of telemetry on, no thread of rubato is busy for long in one turn of its loop, and streams do not
// feel it. Turns are by rubato's own metric, which takes time without the CPU for time of its own: two cores that
// are busy with engine, clients and collector make it an upper bound.
import { startRubato, startScript, direct, type Rubato } from '../harness/contender.ts';
import { LightEngine } from '../harness/light-engine.ts';
import { Load } from '../harness/load.ts';
import { largest, median, msOf, percentile, short, spreadText } from '../harness/stats.ts';
import { sumOf } from '../../support/prometheus.ts';
import type { Check, Finding } from './finding.ts';
import { pause } from './ways.ts';

const TURN_COUNT = 3;
const PACED = { streamCount: 50, chunkCount: 75, everyMs: 20, forMs: 8_000 };
/** Longer than the metric looks back, so that nothing of the start is in it. */
const WARM_MS = 12_000;
const TASK_MAX_MS = 2;
const ADDED_MAX_MS = 1;

interface Turn {
  readonly addedP99Ms: number;
  readonly relayMs: number;
  readonly mainMs: number;
}

async function lagMs({ sidecar }: Rubato, thread: string): Promise<number> {
  return (sumOf(await sidecar.metrics(), 'rubato_self_loop_lag_seconds', { thread }) ?? NaN) * 1e3;
}

async function turn(load: Load, rubato: Rubato): Promise<Turn> {
  const without = await load.paced(direct(load.enginePort).port, PACED);
  const scrape = setInterval(() => void rubato.sidecar.metrics().catch(() => undefined), 1_000);
  const through = await load.paced(rubato.port, PACED);
  clearInterval(scrape);
  const p99 = (values: readonly number[]): number => msOf(percentile(values, 99));
  return {
    addedP99Ms: p99(through.chunkNs) - p99(without.chunkNs),
    relayMs: await lagMs(rubato, 'relay-0'),
    mainMs: await lagMs(rubato, 'main'),
  };
}

export const budget: Check = {
  ids: ['T17'],
  about: 'turns of the loops under full telemetry',
  async run() {
    const engine = await LightEngine.start();
    const load = new Load(engine);
    const collector = await startScript('collector', './otlp-sink.ts', ['200']);
    const rubato = await startRubato('rubato', { enginePort: engine.port, collectorPort: collector.port });
    await load.paced(rubato.port, PACED);
    await pause(WARM_MS);
    const idleMs = { relay: await lagMs(rubato, 'relay-0'), main: await lagMs(rubato, 'main') };
    const turns: Turn[] = [];
    for (let nth = 0; nth < TURN_COUNT; nth += 1) turns.push(await turn(load, rubato));
    await rubato.stop();
    await collector.stop();
    await engine.stop();
    const longest = (what: string, idle: number, read: (turn: Turn) => number): Finding => ({
      id: 'T17',
      what: `longest turn of ${what} in ten seconds, best of ${TURN_COUNT}`,
      value: -largest(turns.map((each) => -read(each))),
      target: TASK_MAX_MS,
      unit: 'ms',
      note: `${spreadText(turns.map(read))}; with nothing to do ${short(idle)}`,
    });
    return [
      {
        id: 'T17',
        what: 'p99 of the delay of a chunk, above that of the direct way, median',
        value: median(turns.map(({ addedP99Ms }) => addedP99Ms)),
        target: ADDED_MAX_MS,
        unit: 'ms',
        note: spreadText(turns.map(({ addedP99Ms }) => addedP99Ms)),
      },
      longest('the relay', idleMs.relay, ({ relayMs }) => relayMs),
      longest('main', idleMs.main, ({ mainMs }) => mainMs),
    ];
  },
};
