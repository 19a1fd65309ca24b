// T18: whatever a collector does, streams feel nothing of it, memory stays, and what was to be exported is accounted
// for to the last item at every moment.
import { readFileSync } from 'node:fs';
import { startRubato, type Rubato } from '../harness/contender.ts';
import { LightEngine } from '../harness/light-engine.ts';
import { Load } from '../harness/load.ts';
import { residentKib } from '../harness/processes.ts';
import { largest, msOf, percentile, short } from '../harness/stats.ts';
import { OtlpCatcher, type CatcherMood } from '../../support/otlp-catcher.ts';
import { sumOf } from '../../support/prometheus.ts';
import type { Check, Finding } from './finding.ts';

const PACED = { streamCount: 40, chunkCount: 50, everyMs: 20, forMs: 4_000 };
const CHANGE_MAX_MS = 0.1;
const GROWTH_MAX_MIB = 16;
const SIGNALS = ['traces', 'metrics', 'records'];
/** Less patience than by default, so that failures come again and again within a turn. */
const ENV = {
  OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
  OTEL_METRIC_EXPORT_INTERVAL: '1000',
  OTEL_METRIC_EXPORT_TIMEOUT: '900',
  OTEL_BSP_SCHEDULE_DELAY: '500',
};

type Mode = CatcherMood | 'gone' | 'stranger' | 'flapping';
const MODES: readonly Mode[] = ['gone', 'hang', 'reset', 413, 429, 500, 'drip', 'page', 'stranger', 'flapping'];

interface Turn {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly growthMib: number;
  readonly unaccountedCount: number;
}

async function unaccounted({ sidecar }: Rubato): Promise<number> {
  const samples = await sidecar.metrics();
  const off = SIGNALS.map((signal) => {
    const count = (name: string): number => sumOf(samples, `rubato_self_${name}`, { signal }) ?? 0;
    const told = count('exported_total') + count('export_dropped_total') + count('export_queued');
    return Math.abs(told - count('export_taken_total'));
  });
  return off.reduce((sum, each) => sum + each, 0);
}

async function turn(load: Load, mode: Mode): Promise<Turn> {
  const pem = (name: string): string => readFileSync(new URL(`../../support/tls/${name}`, import.meta.url), 'utf8');
  const tls = { cert: pem('stranger.crt.pem'), key: pem('stranger.key.pem') };
  const catcher = await OtlpCatcher.start(mode === 'stranger' ? { tls } : {});
  const { url } = catcher;
  if (mode === 'gone') await catcher.stop();
  else if (mode !== 'stranger' && mode !== 'flapping') catcher.mood = mode;
  const flaps = setInterval(() => {
    if (mode === 'flapping') catcher.mood = catcher.mood === 200 ? 500 : 200;
  }, 1_000);
  const rubato = await startRubato(String(mode), {
    enginePort: load.enginePort,
    env: { ...ENV, OTEL_EXPORTER_OTLP_ENDPOINT: url },
  });
  await load.paced(rubato.port, { ...PACED, forMs: 1_500 });
  const beforeKib = residentKib(rubato.pid);
  const { chunkNs } = await load.paced(rubato.port, PACED);
  const growthMib = (residentKib(rubato.pid) - beforeKib) / 1024;
  const unaccountedCount = await unaccounted(rubato);
  clearInterval(flaps);
  await rubato.stop();
  if (mode !== 'gone') await catcher.stop();
  return { p50Ms: msOf(percentile(chunkNs, 50)), p99Ms: msOf(percentile(chunkNs, 99)), growthMib, unaccountedCount };
}

export const collectors: Check = {
  ids: ['T18'],
  about: `a collector in ${MODES.length} moods`,
  async run() {
    const engine = await LightEngine.start();
    const load = new Load(engine);
    const findings: Finding[] = [];
    const growths: number[] = [];
    let unaccountedCount = 0;
    for (const mode of MODES) {
      // A healthy one right before and right after, and the worse of the two: the machine changes as it goes.
      const [before, bad, after] = [await turn(load, 200), await turn(load, mode), await turn(load, 200)];
      growths.push(bad.growthMib - Math.max(before.growthMib, after.growthMib, 0));
      unaccountedCount += bad.unaccountedCount;
      findings.push({
        id: 'T18',
        what: `collector ${mode}: p99 of the delay of a chunk, above that with a healthy one`,
        value: bad.p99Ms - Math.max(before.p99Ms, after.p99Ms),
        target: CHANGE_MAX_MS,
        unit: 'ms',
        note: `p99 ${short(bad.p99Ms)}, healthy ${short(before.p99Ms)} and ${short(after.p99Ms)}; p50 ${short(bad.p50Ms)}, healthy ${short(before.p50Ms)} and ${short(after.p50Ms)}`,
      });
    }
    await engine.stop();
    return [
      ...findings,
      {
        id: 'T18',
        what: 'memory more than with a healthy one, worst',
        value: largest(growths),
        target: GROWTH_MAX_MIB,
        unit: 'MiB',
      },
      {
        id: 'T18',
        what: 'taken, and neither exported nor dropped nor queued',
        value: unaccountedCount,
        target: 0,
        unit: 'items',
      },
    ];
  },
};
