// What the engine has done so far, in numbers. How an engine names them on its page is elsewhere.

export interface EngineStats {
  /** Generation requests whose head came. */
  arrivedCount: number;
  completedCount: number;
  /** The client left before the answer was over. */
  abortedCount: number;
  /** Answered with an error. */
  refusedCount: number;
  /** Cut off on purpose, by a script. */
  cutCount: number;
  /** Prompt tokens of requests that got a first token. */
  promptTokens: number;
  /** Of these, found in the prefix cache. */
  cachedTokens: number;
  /** Of requests that got a first token: their waiting, then their prefills, in all. */
  queueNs: number;
  prefillNs: number;
  /** Tokens computed. */
  generationTokens: number;
}

export function emptyStats(): EngineStats {
  return {
    arrivedCount: 0,
    completedCount: 0,
    abortedCount: 0,
    refusedCount: 0,
    cutCount: 0,
    promptTokens: 0,
    cachedTokens: 0,
    queueNs: 0,
    prefillNs: 0,
    generationTokens: 0,
  };
}

/** How things stand in the scheduler right now. */
export interface EngineLoad {
  readonly runningCount: number;
  readonly waitingCount: number;
  /** Share of the cache that is spoken for; absent without a capacity. */
  readonly kvUsedRatio: number | undefined;
  /** Steps computed, and the length of the latest one; absent before the first. */
  readonly stepCount: number;
  readonly lastStepNs: number | undefined;
  /** Times a request was thrown out of its slot. */
  readonly preemptedCount: number;
  /** Tokens guessed by speculation, and those of them that were good; absent without speculation. */
  readonly draftedCount: number | undefined;
  readonly acceptedCount: number | undefined;
}
