// What streams feel of rubato's own telling, scenario (i): chunks that were written while a batch of spans was on its
// way to the collector or a scrape was being answered, against all others of the same turn.
import { nowNs } from '../../../../src/base/clock.ts';
import { largest, msOf, percentile } from '../../harness/stats.ts';
import type { PacedPlan } from '../../harness/load.ts';
import type { Stretch } from '../collector.ts';
import type { Running } from '../contenders.ts';
import type { Scenario } from '../figures.ts';
import { delayValues, playPaced } from './paced.ts';

/** 67 streams a second end, so the spans of a second are a batch of 64 and more, each with 75 chunks. */
const PLAN: PacedPlan = { streamCount: 200, chunkCount: 75, everyMs: 40, forMs: 8_000 };
const SCRAPE_EVERY_MS = 500;
/** Spans are put into bytes before the first of these leaves; that belongs to the export. */
const BEFORE_BATCH_NS = 30e6;

/** Asks for the metrics again and again; the function it gives ends that and tells when they were being answered. */
function scrapeOften(running: Running): () => Stretch[] {
  const scrapes: Stretch[] = [];
  const one = async (): Promise<void> => {
    const fromNs = nowNs();
    await running.admin?.('/metrics');
    scrapes.push({ fromNs, toNs: nowNs() });
  };
  const timer = setInterval(() => void one().catch(() => undefined), SCRAPE_EVERY_MS);
  return () => {
    clearInterval(timer);
    return scrapes;
  };
}

/** Which moments lie within a stretch. Pure. */
export function within(moments: readonly number[], stretches: readonly Stretch[]): boolean[] {
  return moments.map((atNs) => stretches.some(({ fromNs, toNs }) => atNs >= fromNs && atNs <= toNs));
}

export const exporting: Scenario = {
  letter: 'i',
  title: 'while spans are exported and metrics are read',
  only: ['direct', 'rubato', 'rubato-2'],
  async play(stage, running) {
    const stopScrapes = scrapeOften(running);
    const batchCount = stage.collector.batches.length;
    const [delays] = await playPaced(stage, running, PLAN);
    const scrapes = stopScrapes();
    if (running.admin === undefined) return delayValues(delays);
    const batches = stage.collector.batches.slice(batchCount);
    const stretches = [...batches.map(({ fromNs, toNs }) => ({ fromNs: fromNs - BEFORE_BATCH_NS, toNs })), ...scrapes];
    const isBusy = within(delays.writtenAtNs, stretches);
    const busyNs = delays.chunkNs.filter((_, index) => isBusy[index] === true);
    const calmNs = delays.chunkNs.filter((_, index) => isBusy[index] === false);
    if (batches.length === 0 || busyNs.length === 0) throw new Error('no batch of spans came');
    return {
      ...delayValues({ ...delays, chunkNs: calmNs }),
      busyP50Ms: msOf(percentile(busyNs, 50)),
      busyWorstMoreMs: msOf(largest(busyNs) - largest(calmNs)),
    };
  },
};
