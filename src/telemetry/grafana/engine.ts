// Dashboard: what the engine and its GPUs say of themselves, beside what its streams show.
import type { MetricSpec } from '../../base/metric-spec.ts';
import { GAP } from '../../measure/gap.ts';
import { STALLS } from '../../measure/stall.ts';
import { TOKENS } from '../../measure/tokens.ts';
import { TTFT_PART } from '../../measure/ttft-split.ts';
import { ENGINE_KV_USAGE, ENGINE_METRICS, ENGINE_PREEMPTIONS, ENGINE_UP } from '../engine-metrics.ts';
import { FLOOR_METRICS } from '../floor-metrics.ts';
import { ACTIVE } from '../self-metrics.ts';
import { gauges, named, quantiles, rates } from './ask.ts';
import type { Need } from './needs.ts';
import { type Dashboard, percentiles, type Row, stat, type Target, timeseries } from './panel.ts';

function engineMetric(word: string): MetricSpec {
  return named(ENGINE_METRICS, `rubato.engine.${word}`);
}

function ofRoute(spec: MetricSpec, what: string, need: Need = 'engine', how: 'max' | 'sum' = 'max'): Target {
  return { ask: gauges(how, spec, ['route']), legend: `{{route}} ${what}`, needs: [need] };
}

function ofGpu(word: string, legend: string, how: 'max' | 'sum' = 'max'): Target {
  const ask = gauges(how, named(ENGINE_METRICS, `rubato.gpu.${word}`), ['gpu']);
  return { ask, legend: `{{gpu}} ${legend}`.trim(), needs: ['gpus'] };
}

function partP95(part: 'queue' | 'prefill'): Target {
  return { ask: quantiles(0.95, TTFT_PART, [], { part }), legend: 'p95 of streams', needs: ['parts'] };
}

const STATE: Row = {
  title: 'State',
  panels: [
    stat({
      title: 'Metrics of the engine come',
      reads: '0 when the last look brought nothing.',
      unit: 'bool_yes_no',
      limits: { bad: 1, isBelow: true },
      width: 6,
      targets: [{ ask: gauges('min', ENGINE_UP.spec, ['route']), legend: '{{route}}', needs: ['engine'] }],
    }),
    stat({
      title: 'Age of these metrics',
      reads: 'The look before last and older means that the engine answers slowly or not at all.',
      unit: 's',
      width: 6,
      limits: { warn: 15, bad: 60 },
      targets: [ofRoute(engineMetric('metrics_age'), '')],
    }),
    stat({
      title: 'KV cache in use',
      reads: 'From 90 % on, preemptions come next.',
      unit: 'percentunit',
      width: 6,
      limits: { warn: 0.8, bad: 0.9 },
      targets: [ofRoute(ENGINE_KV_USAGE.spec, '')],
    }),
    stat({
      title: 'Prompt tokens out of the prefix cache',
      reads: 'Between the last two looks.',
      unit: 'percentunit',
      width: 6,
      targets: [ofRoute(engineMetric('prefix_cache.window_hit'), '')],
    }),
  ],
};

const LOAD: Row = {
  title: 'Load: its own word beside the streams that pass here',
  panels: [
    timeseries({
      title: 'In the batch, waiting, and under way here',
      reads:
        'Where the engine has more than passes here, others use it too: they are in its figures and in no exchange.',
      unit: 'short',
      targets: [
        ofRoute(engineMetric('running'), 'in the batch'),
        ofRoute(engineMetric('waiting'), 'waiting'),
        { ask: gauges('sum', ACTIVE, ['phase']), legend: 'here: {{phase}}' },
      ],
    }),
    timeseries({
      title: 'Tokens generated, and passed on here',
      reads: 'For all clients by its own word, for ours by the counts that it states.',
      unit: 'short',
      axis: 'tokens a second',
      targets: [
        ofRoute(engineMetric('generation.window_rate'), 'engine'),
        { ask: rates(TOKENS, [], { kind: 'output' }), legend: 'here', needs: ['tokens'] },
      ],
    }),
    timeseries({
      title: 'KV cache, and requests thrown out of the batch',
      reads: 'A preempted request loses its cache and is computed anew, which is a long stall for its reader.',
      unit: 'none',
      targets: [
        ofRoute(ENGINE_KV_USAGE.spec, 'share in use'),
        {
          ask: rates(ENGINE_PREEMPTIONS.spec, ['route']),
          legend: '{{route}} preemptions a second',
          needs: ['engine'],
        },
        { ask: rates(STALLS, [], { cause: 'preemption' }), legend: 'stalls by preemption a second' },
      ],
    }),
    timeseries({
      title: 'Tokens drafted and accepted',
      reads: 'Speculation that is seldom right costs more than it brings.',
      unit: 'percentunit',
      targets: [ofRoute(engineMetric('speculation.window_accepted'), '')],
    }),
  ],
};

const TIMES: Row = {
  title: 'Times: means of the engine beside percentiles of streams',
  panels: [
    timeseries({
      title: 'Queue',
      reads: 'The mean is of all its clients between two looks, the percentile of the exchanges here.',
      unit: 's',
      width: 8,
      targets: [ofRoute(engineMetric('queue.window_mean'), 'mean of the engine'), partP95('queue')],
    }),
    timeseries({
      title: 'Prefill',
      reads: 'The mean is of all its clients between two looks, the percentile of the exchanges here.',
      unit: 's',
      width: 8,
      targets: [ofRoute(engineMetric('prefill.window_mean'), 'mean of the engine'), partP95('prefill')],
    }),
    timeseries({
      title: 'Decode step and gaps',
      reads: 'Gaps well above the step: something between the engine and here holds text.',
      unit: 's',
      width: 8,
      targets: [
        ofRoute(engineMetric('step.window_mean'), 'mean of the engine'),
        ...percentiles(GAP, [], { of: [0.5, 0.95], matchers: { point: 'received' }, word: 'gap' }),
      ],
    }),
  ],
};

const HARDWARE: Row = {
  title: 'Hardware',
  panels: [
    timeseries({
      title: 'GPU at work',
      reads:
        'Memory busy and tensor cores idle is decode, the other way round is prefill; neither is an engine that waits.',
      unit: 'percentunit',
      targets: [
        ofGpu('activity', 'at work'),
        ofGpu('tensor_activity', 'tensor cores'),
        ofGpu('dram_activity', 'memory'),
      ],
    }),
    timeseries({
      title: 'GPU memory in use',
      reads: 'Weights and KV cache; most engines take it all at start.',
      unit: 'bytes',
      width: 6,
      targets: [ofGpu('memory_used', '')],
    }),
    timeseries({
      title: 'GPU power',
      reads: 'At its limit the GPU slows its clock down, and every step with it.',
      unit: 'watt',
      width: 6,
      targets: [ofGpu('power', '')],
    }),
    timeseries({
      title: 'Decode step over its floor',
      reads: '1.25 is about what good kernels reach; much more is not the memory.',
      unit: 'none',
      axis: 'times the floor',
      limits: { warn: 2, bad: 4 },
      targets: [ofRoute(named(FLOOR_METRICS, 'rubato.floor.times'), '', 'floor')],
    }),
    timeseries({
      title: 'Memory bandwidth in use of the decode step',
      reads: 'Of the peak rate.',
      unit: 'percentunit',
      width: 6,
      targets: [ofRoute(named(FLOOR_METRICS, 'rubato.floor.bandwidth'), '', 'floor')],
    }),
    timeseries({
      title: 'Batch and context that the floor goes by',
      reads: 'Means of the last minute.',
      unit: 'short',
      width: 6,
      targets: [
        ofRoute(named(FLOOR_METRICS, 'rubato.floor.batch'), 'sequences', 'floor'),
        ofRoute(named(FLOOR_METRICS, 'rubato.floor.context'), 'tokens', 'floor'),
      ],
    }),
    timeseries({
      title: 'Looks that brought nothing',
      reads: 'By reason; `rubato doctor` says what the engine answers.',
      unit: 'cps',
      targets: [
        {
          ask: rates(engineMetric('poll_faults'), ['route', 'reason']),
          legend: '{{route}} {{reason}}',
          needs: ['faults'],
        },
      ],
    }),
    timeseries({
      title: 'Age of the GPU metrics',
      reads: 'Last good look at them → now.',
      unit: 's',
      targets: [
        {
          ask: gauges('max', named(ENGINE_METRICS, 'rubato.gpu.metrics_age'), []),
          legend: 'age',
          needs: ['gpus'],
        },
      ],
    }),
  ],
};

export const engine: Dashboard = {
  uid: 'rubato-engine',
  title: 'rubato / Engine beside streams',
  description: 'What does the engine say of itself, and do its streams agree?',
  rows: [STATE, LOAD, TIMES, HARDWARE],
};
