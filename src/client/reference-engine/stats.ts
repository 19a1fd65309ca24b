// What the engine has done so far, in numbers, and the same as a page for Prometheus under vLLM's names.

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
    generationTokens: 0,
  };
}

/** How things stand in the scheduler right now. */
export interface EngineLoad {
  readonly runningCount: number;
  readonly waitingCount: number;
  /** Share of the cache that is spoken for; absent without a capacity. */
  readonly kvUsedRatio: number | undefined;
}

/** Text of `/metrics`, in the classic Prometheus format. */
export function renderMetrics(stats: EngineStats, load: EngineLoad, model: string): string {
  const labels = `{engine="0",model_name="${model.replaceAll(/["\\\n]/g, '_')}"}`;
  const family = (name: string, type: 'gauge' | 'counter', help: string, value: number): string => {
    // A counter's family has no suffix in vLLM's source, but its sample has.
    const sample = type === 'counter' ? `${name}_total` : name;
    return `# HELP ${sample} ${help}\n# TYPE ${sample} ${type}\n${sample}${labels} ${value}\n`;
  };
  return [
    family('vllm:num_requests_running', 'gauge', 'Requests in a slot.', load.runningCount),
    family('vllm:num_requests_waiting', 'gauge', 'Requests waiting for a slot.', load.waitingCount),
    load.kvUsedRatio === undefined
      ? ''
      : family('vllm:kv_cache_usage_perc', 'gauge', 'Share of the cache in use, 1 is all.', load.kvUsedRatio),
    family('vllm:prompt_tokens', 'counter', 'Prompt tokens computed.', stats.promptTokens),
    family('vllm:generation_tokens', 'counter', 'Tokens generated.', stats.generationTokens),
    family('vllm:request_success', 'counter', 'Requests answered to the end.', stats.completedCount),
  ].join('');
}
