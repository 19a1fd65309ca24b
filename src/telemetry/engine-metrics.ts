// What an engine and its GPUs publish about themselves, passed on under names of ours: gauges of now,
// and means over the window between two polls, which say so in their name. None of them is of an
// exchange. Kept by who polls, and read at each collection.
import type { MetricSpec } from '../base/metric-spec.ts';
import type { EngineState, GpuState, PollFault } from '../judge/engine-state.ts';
import type { MetricStore, Observation } from './store.ts';

export interface EngineSources {
  states(): readonly EngineState[];
  gpus(): { readonly gpus: readonly GpuState[]; readonly ageNs: number } | undefined;
  /** Polls that brought nothing. */
  faults(): readonly { readonly route: string; readonly fault: PollFault; readonly count: number }[];
}

const SHARES_PER_UNIT = 1e6;

/** A metric with the value that a state has of it, in the metric's recorded integers. */
interface Row<State> {
  readonly spec: MetricSpec;
  value(state: State): number | undefined;
}

type Shape = Pick<MetricSpec, 'name' | 'unit' | 'help'> & Partial<Pick<MetricSpec, 'type' | 'perUnit'>>;

function engineRow(shape: Shape, value: Row<EngineState>['value']): Row<EngineState> {
  return { spec: { type: 'gauge', ...shape, labels: ['route'], classed: false }, value };
}

function gpuRow(shape: Shape, value: Row<GpuState>['value']): Row<GpuState> {
  return { spec: { type: 'gauge', ...shape, labels: ['gpu'], classed: false }, value };
}

function share(ratio: number | undefined): number | undefined {
  return times(ratio, SHARES_PER_UNIT);
}

function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : Math.round(value * factor);
}

// Those that rules ask for stand alone.
export const ENGINE_UP = engineRow(
  {
    name: 'rubato.engine.up',
    unit: '{engine}',
    help: "1 when the last poll brought the engine's metrics, 0 when it did not.",
  },
  ({ up }) => Number(up),
);

export const ENGINE_KV_USAGE = engineRow(
  {
    name: 'rubato.engine.kv_usage',
    unit: '1',
    perUnit: SHARES_PER_UNIT,
    help: 'Share of the KV cache in use; of several, the fullest.',
  },
  ({ kvUsedRatio }) => share(kvUsedRatio),
);

export const ENGINE_PREEMPTIONS = engineRow(
  {
    name: 'rubato.engine.preemptions',
    type: 'counter',
    unit: '{request}',
    help: 'Requests that the engine threw out of its batch to make room, since rubato first looked.',
  },
  ({ preemptedCount }) => times(preemptedCount, 1),
);

const ENGINE_ROWS: readonly Row<EngineState>[] = [
  ENGINE_UP,
  engineRow(
    {
      name: 'rubato.engine.metrics_age',
      unit: 's',
      help: "Last good poll of the engine's metrics answered → now. Some engines renew a gauge only now and then, so its value can be older.",
    },
    ({ ageNs }) => ageNs,
  ),
  engineRow(
    {
      name: 'rubato.engine.running',
      unit: '{request}',
      help: "Requests of all clients in the engine's batch, all its models and ranks together.",
    },
    ({ runningCount }) => runningCount,
  ),
  engineRow(
    {
      name: 'rubato.engine.waiting',
      unit: '{request}',
      help: 'Requests of all clients that the engine has accepted and not begun.',
    },
    ({ waitingCount }) => waitingCount,
  ),
  ENGINE_KV_USAGE,
  ENGINE_PREEMPTIONS,
  engineRow(
    {
      name: 'rubato.engine.queue.window_mean',
      unit: 's',
      help: 'Engine accepted a request → it began its prefill: mean of the requests it counted between the last two polls, of all clients.',
    },
    ({ window }) => window?.queueMeanNs,
  ),
  engineRow(
    {
      name: 'rubato.engine.prefill.window_mean',
      unit: 's',
      help: 'Prefill began → first token computed: mean of the requests it counted between the last two polls, of all clients.',
    },
    ({ window }) => window?.prefillMeanNs,
  ),
  engineRow(
    {
      name: 'rubato.engine.step.window_mean',
      unit: 's',
      help: 'One output of a request → the next, or one decode step of the batch, whichever the engine publishes: mean between the last two polls.',
    },
    ({ window }) => window?.stepMeanNs,
  ),
  engineRow(
    {
      name: 'rubato.engine.prefix_cache.window_hit',
      unit: '1',
      perUnit: SHARES_PER_UNIT,
      help: "Share of prompt tokens found in the prefix cache between the last two polls, or the engine's own figure where it counts no tokens.",
    },
    ({ window }) => share(window?.prefixHitRatio),
  ),
  engineRow(
    {
      name: 'rubato.engine.speculation.window_accepted',
      unit: '1',
      perUnit: SHARES_PER_UNIT,
      help: "Share of drafted tokens that were accepted between the last two polls, or the engine's own figure where it counts no tokens.",
    },
    ({ window }) => share(window?.draftAcceptedRatio),
  ),
  engineRow(
    {
      name: 'rubato.engine.generation.window_rate',
      unit: '{token}',
      perUnit: 1e3,
      help: 'Tokens generated in one second, for all clients, between the last two polls.',
    },
    ({ window }) => times(window?.generatedPerSecond, 1e3),
  ),
];

const GPU_ROWS: readonly Row<GpuState>[] = [
  gpuRow(
    {
      name: 'rubato.gpu.activity',
      unit: '1',
      perUnit: SHARES_PER_UNIT,
      help: 'Share of time in which the GPU computed.',
    },
    ({ activeRatio }) => share(activeRatio),
  ),
  gpuRow(
    {
      name: 'rubato.gpu.tensor_activity',
      unit: '1',
      perUnit: SHARES_PER_UNIT,
      help: 'Share of cycles in which the tensor cores were busy: high in prefill, low in decode.',
    },
    ({ tensorActiveRatio }) => share(tensorActiveRatio),
  ),
  gpuRow(
    {
      name: 'rubato.gpu.dram_activity',
      unit: '1',
      perUnit: SHARES_PER_UNIT,
      help: 'Share of cycles in which the memory interface was busy: what bounds decode.',
    },
    ({ dramActiveRatio }) => share(dramActiveRatio),
  ),
  gpuRow(
    { name: 'rubato.gpu.memory_used', unit: 'By', help: "Bytes of the GPU's memory in use." },
    ({ memoryUsedBytes }) => times(memoryUsedBytes, 1),
  ),
  gpuRow({ name: 'rubato.gpu.power', unit: 'W', perUnit: 1e3, help: 'Power that the GPU draws.' }, ({ powerWatts }) =>
    times(powerWatts, 1e3),
  ),
];

const GPU_AGE: MetricSpec = {
  name: 'rubato.gpu.metrics_age',
  type: 'gauge',
  unit: 's',
  help: 'Last good poll of the GPU metrics answered → now.',
  labels: [],
  classed: false,
};

const POLL_FAULT_COUNT: MetricSpec = {
  name: 'rubato.engine.poll_faults',
  type: 'counter',
  unit: '{poll}',
  help: "Polls of the engine's metrics that brought nothing, by reason.",
  labels: ['route', 'reason'],
  classed: false,
};

export const ENGINE_METRICS: readonly MetricSpec[] = [
  ...ENGINE_ROWS.map(({ spec }) => spec),
  POLL_FAULT_COUNT,
  ...GPU_ROWS.map(({ spec }) => spec),
  GPU_AGE,
];

/** Has the store read the sources at each collection. What an engine does not publish has no series. */
export function observeEngines(store: MetricStore, sources: EngineSources): void {
  for (const { spec, value } of ENGINE_ROWS) {
    store.observe(spec, () => known(sources.states(), value, ({ route }) => ({ route })));
  }
  for (const { spec, value } of GPU_ROWS) {
    store.observe(spec, () => known(sources.gpus()?.gpus ?? [], value, ({ gpu }) => ({ gpu })));
  }
  store.observe(GPU_AGE, () => {
    const read = sources.gpus();
    return read === undefined ? [] : [{ labels: {}, value: read.ageNs }];
  });
  store.observe(POLL_FAULT_COUNT, () =>
    sources.faults().map(({ route, fault, count }) => ({ labels: { route, reason: fault }, value: count })),
  );
}

function known<State>(
  states: readonly State[],
  valueOf: Row<State>['value'],
  labelsOf: (state: State) => Observation['labels'],
): Observation[] {
  return states.flatMap((state) => {
    const value = valueOf(state);
    return value === undefined ? [] : [{ labels: labelsOf(state), value }];
  });
}
