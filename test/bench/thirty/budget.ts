// T17: with all of telemetry on, no thread of rubato computes for long at a time, and streams do not feel it. Told is
// the CPU time between two turns of a timer that is always due, which a busy machine does not change, and beside it
// what rubato's own metric of its loops says, for which time without the CPU counts.
import { startRubato, startScript, direct, type Rubato } from '../harness/contender.ts';
import { LightEngine } from '../harness/light-engine.ts';
import { Load } from '../harness/load.ts';
import { largest, median, msOf, percentile, short, spreadText } from '../harness/stats.ts';
import { longestTasksMs } from '../../support/longest-tasks.ts';
import { sumOf } from '../../support/prometheus.ts';
import type { Check, Finding } from './finding.ts';
import { pause } from './ways.ts';

const TURN_COUNT = 3;
const PACED = { streamCount: 50, chunkCount: 75, everyMs: 20, forMs: 8_000 };
/** Longer than the metric looks back, so that nothing of the start is in it. */
const WARM_MS = 12_000;
const PRELOAD = new URL('../../support/longest-task.ts', import.meta.url).href;
const TASK_MAX_MS = 2;
const ADDED_MAX_MS = 1;

interface Turn {
  readonly addedP99Ms: number;
  /** By rubato's own metric. */
  readonly relayLagMs: number;
  readonly mainLagMs: number;
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
    relayLagMs: await lagMs(rubato, 'relay-0'),
    mainLagMs: await lagMs(rubato, 'main'),
  };
}

export const budget: Check = {
  ids: ['T17'],
  about: 'turns of the loops under full telemetry',
  async run() {
    const engine = await LightEngine.start();
    const load = new Load(engine);
    const collector = await startScript('collector', './otlp-sink.ts', ['200']);
    const rubato = await startRubato('rubato', {
      enginePort: engine.port,
      collectorPort: collector.port,
      nodeArgs: ['--import', PRELOAD],
    });
    await load.paced(rubato.port, PACED);
    await pause(WARM_MS);
    const from = rubato.sidecar.logs.length;
    const turns: Turn[] = [];
    for (let nth = 0; nth < TURN_COUNT; nth += 1) turns.push(await turn(load, rubato));
    const tasksMs = longestTasksMs(rubato.sidecar.logs.slice(from));
    await rubato.stop();
    await collector.stop();
    await engine.stop();
    const longest = (thread: string, lag: (turn: Turn) => number): Finding => ({
      id: 'T17',
      what: `longest task of ${thread} in a second, CPU time, median of ${tasksMs(thread).length}`,
      value: median(tasksMs(thread)),
      target: TASK_MAX_MS,
      unit: 'ms',
      note: `worst ${short(largest(tasksMs(thread)))}; own metric of ten seconds, wall time: ${spreadText(turns.map(lag))}`,
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
      longest('relay', ({ relayLagMs }) => relayLagMs),
      longest('main', ({ mainLagMs }) => mainLagMs),
    ];
  },
};
