// The collector that rubato's spans and metrics go to while it is measured, and when batches of spans were on their
// way there, in moments of this process.
import { clockBase } from '../../../src/base/clock.ts';
import { startScript } from '../harness/contender.ts';

const NS_PER_SECOND = 1e9;

/** A stretch of time in which something went on. */
export interface Stretch {
  readonly fromNs: number;
  readonly toNs: number;
}

export interface Collector {
  readonly port: number;
  /** Each batch of spans: first byte here → last byte here. Grows. */
  readonly batches: readonly Stretch[];
  stop(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const batches: Stretch[] = [];
  const started = await startScript('collector', './otlp-sink.ts', ['200'], [], (line) => {
    const [fromNs, toNs] = line.split(' ').map((raw) => Number(BigInt(raw) - BigInt(clockBase() * NS_PER_SECOND)));
    if (fromNs !== undefined && toNs !== undefined) batches.push({ fromNs, toNs });
  });
  return { port: started.port, batches, stop: () => started.stop() };
}
