// What an engine and its GPUs publish about themselves, as polling has seen it: the contract between who
// polls and who shows it. Figures of a window are means over all requests of all clients of the engine;
// none of them belongs to an exchange.
import type { EngineName } from '../record/engines.ts';

/** Means over the time between two polls; what did not happen in it is absent. Lengths in ns. */
export interface EngineWindow {
  /** The one poll answered → the other answered. */
  readonly windowNs: number;
  /** Engine accepted a request → it began its prefill. */
  readonly queueMeanNs?: number;
  /** Prefill began → first token computed. */
  readonly prefillMeanNs?: number;
  /** One decode step, as the engine publishes it. */
  readonly stepMeanNs?: number;
  /** Prompt tokens found in the prefix cache, of all prompt tokens. */
  readonly prefixHitRatio?: number;
  /** Drafted tokens that were accepted, of all drafted. */
  readonly draftAcceptedRatio?: number;
  readonly generatedPerSecond?: number;
}

/** The engine behind one route. Numbers are absent when it does not publish them or was not heard of lately. */
export interface EngineState {
  readonly route: string;
  /** Which engine speaks there; absent until its metrics were read once. */
  readonly engine?: EngineName;
  /** The last poll brought metrics. */
  readonly up: boolean;
  /** The last good poll was answered → now. */
  readonly ageNs?: number;
  /** Requests of all clients now in the engine's batch, and those that wait for it. */
  readonly runningCount?: number;
  readonly waitingCount?: number;
  /** Of the KV cache, the fullest one where there are several. */
  readonly kvUsedRatio?: number;
  /** Requests thrown out of the batch since rubato first looked. */
  readonly preemptedCount?: number;
  readonly window?: EngineWindow;
}

export interface GpuState {
  /** Index of the GPU on its host. */
  readonly gpu: string;
  /** Shares of time: the GPU computed, its tensor cores did, its memory interface was busy. */
  readonly activeRatio?: number;
  readonly tensorActiveRatio?: number;
  readonly dramActiveRatio?: number;
  readonly memoryUsedBytes?: number;
  readonly powerWatts?: number;
}

/** Why a poll brought nothing. */
export const POLL_FAULTS = [
  'refused',
  'timeout',
  'redirect',
  'absent',
  'status',
  'too_large',
  'broken',
  'no_metrics',
  'unknown_names',
] as const;
export type PollFault = (typeof POLL_FAULTS)[number];
