// What the speed bench measures: one table of figures, what a turn gives, and what a scenario is. Pure.
import type { Load } from '../harness/load.ts';
import type { Collector } from './collector.ts';
import type { Running } from './contenders.ts';

export interface Figure {
  readonly title: string;
  readonly unit: string;
  /** A time that the way without proxy has as well: what is said of a proxy is what it adds to that figure. */
  readonly beyond?: FigureKey;
}

export type FigureKey =
  | 'chunkP50Ms'
  | 'chunkP99Ms'
  | 'chunkP999Ms'
  | 'firstP50Ms'
  | 'firstP99Ms'
  | 'wholeP50Ms'
  | 'wholeP99Ms'
  | 'busyP50Ms'
  | 'busyWorstMoreMs'
  | 'cpuUsPerChunk'
  | 'relayUsPerChunk'
  | 'mainUsPerChunk'
  | 'cpuUsPerRequest'
  | 'relayUsPerRequest'
  | 'chunksPerSecond'
  | 'kibPerStream'
  | 'readsPerEvent'
  | 'toolShare'
  | 'othersShare'
  | 'lateP99Ms';

/** In the order of columns. */
export const FIGURES: Readonly<Record<FigureKey, Figure>> = {
  chunkP50Ms: { title: 'chunk p50', unit: 'ms', beyond: 'chunkP50Ms' },
  chunkP99Ms: { title: 'chunk p99', unit: 'ms', beyond: 'chunkP99Ms' },
  chunkP999Ms: { title: 'chunk p99.9', unit: 'ms', beyond: 'chunkP999Ms' },
  firstP50Ms: { title: 'first chunk p50', unit: 'ms', beyond: 'firstP50Ms' },
  firstP99Ms: { title: 'first chunk p99', unit: 'ms', beyond: 'firstP99Ms' },
  wholeP50Ms: { title: 'answer p50', unit: 'ms', beyond: 'wholeP50Ms' },
  wholeP99Ms: { title: 'answer p99', unit: 'ms', beyond: 'wholeP99Ms' },
  busyP50Ms: { title: 'chunk p50 while exporting', unit: 'ms', beyond: 'chunkP50Ms' },
  busyWorstMoreMs: { title: 'worst more while exporting', unit: 'ms' },
  cpuUsPerChunk: { title: 'CPU a chunk', unit: 'µs' },
  relayUsPerChunk: { title: 'of it relay', unit: 'µs' },
  mainUsPerChunk: { title: 'of it main', unit: 'µs' },
  cpuUsPerRequest: { title: 'CPU a request', unit: 'µs' },
  relayUsPerRequest: { title: 'of it relay', unit: 'µs' },
  chunksPerSecond: { title: 'chunks/s', unit: '' },
  kibPerStream: { title: 'memory a stream', unit: 'KiB' },
  readsPerEvent: { title: 'reads an event', unit: '' },
  toolShare: { title: 'load tool', unit: 'cores' },
  othersShare: { title: 'all else', unit: 'cores' },
  lateP99Ms: { title: 'writes late p99', unit: 'ms' },
};

/** What one turn gave. */
export type Values = Partial<Readonly<Record<FigureKey, number>>>;

/** All turns of a run: scenario's letter → contender's key → turns. */
export type Results = Readonly<Record<string, Readonly<Record<string, readonly Values[]>>>>;

export interface Stage {
  readonly load: Load;
  readonly collector: Collector;
  /** 1 for a turn that counts, less for a short one: lengths and counts go with it. */
  readonly scale: number;
}

export interface Scenario {
  readonly letter: string;
  readonly title: string;
  /** Each turn has a process that has just started. */
  readonly isFresh?: boolean;
  /** Only these take part; all when absent. */
  readonly only?: readonly string[];
  play(stage: Stage, running: Running): Promise<Values>;
}

/** With more of a core than this, the load tool may have been what was slow. */
export const TOOL_SHARE_MAX = 0.85;
