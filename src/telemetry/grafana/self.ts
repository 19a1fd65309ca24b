// Dashboard: rubato itself. What it costs, what it refuses, and what it had to leave out.
import type { MetricSpec } from '../../base/metric-spec.ts';
import { DOUBTS_COUNT } from '../../measure/doubts.ts';
import { GAPS_TAINTED } from '../../measure/taint.ts';
import { TTFT_PART } from '../../measure/ttft-split.ts';
import { DEMAND_FORGOTTEN } from '../demand-feed.ts';
import { EXPORT_DROPPED, EXPORT_METRICS } from '../export-metrics.ts';
import { CPU_THROTTLED, LOOP_LAG, READER_DETACHED, SELF_METRICS, SHED, TAPE_DROPPED } from '../self-metrics.ts';
import { LABELS_FOLDED } from '../store.ts';
import { type ByLabel, gauges, increases, named, rates } from './ask.ts';
import type { Need } from './needs.ts';
import { type Dashboard, percentiles, type Row, stat, type Target, timeseries } from './panel.ts';

function selfMetric(word: string): MetricSpec {
  return named(SELF_METRICS, `rubato.self.${word}`);
}

function lost(spec: MetricSpec, label: ByLabel | undefined, what: string, needs: readonly Need[] = []): Target {
  const by = label === undefined ? [] : [label];
  return { ask: rates(spec, by), legend: label === undefined ? what : `${what}: {{${label}}}`, needs };
}

/** Relays that turn slower add to gaps what people could see. */
const LAG_LIMITS = { warn: 0.02, bad: 0.05 } as const;

const COST: Row = {
  title: 'What it costs',
  panels: [
    timeseries({
      title: 'rubato’s own part of the TTFT',
      reads: 'Below a millisecond, unless requests wait in its admission queue.',
      unit: 's',
      targets: percentiles(TTFT_PART, [], { of: [0.5, 0.99], matchers: { part: 'rubato' } }),
    }),
    timeseries({
      title: 'Longest turn of a loop',
      reads: 'Streams wait for a relay that is busy. The main thread may be late: no stream goes through it.',
      unit: 's',
      limits: LAG_LIMITS,
      targets: [{ ask: gauges('max', LOOP_LAG, ['instance', 'thread']), legend: '{{instance}} {{thread}}' }],
    }),
    timeseries({
      title: 'CPU',
      reads: 'CPUs in use, by instance; 1 is one core.',
      unit: 'none',
      axis: 'CPUs',
      targets: [
        { ask: rates(selfMetric('cpu'), ['instance']), legend: '{{instance}}' },
        { ask: rates(CPU_THROTTLED, ['instance']), legend: '{{instance}} held back by its quota', needs: ['quota'] },
      ],
    }),
    timeseries({
      title: 'Gaps whose ends cannot be trusted',
      reads: 'gc, loop and cpu: rubato was kept from looking. They are in no percentile.',
      unit: 'cps',
      stacked: true,
      targets: [{ ask: rates(GAPS_TAINTED, ['cause']), legend: '{{cause}}' }],
    }),
  ],
};

const REFUSED: Row = {
  title: 'What it refuses and leaves out',
  panels: [
    stat({
      title: 'Faults of its own',
      reads: 'Over the whole time that is looked at. Streams go on; its log has the reason. Please report it.',
      unit: 'short',
      width: 4,
      height: 8,
      limits: { bad: 1 },
      targets: [{ ask: increases(READER_DETACHED, []), legend: 'detached' }],
    }),
    timeseries({
      title: 'Requests refused',
      reads: 'shed: a limit of its own is reached, and clients get 503. refused: what never became an exchange.',
      unit: 'reqps',
      width: 10,
      stacked: true,
      targets: [lost(SHED, 'reason', 'shed'), lost(selfMetric('refused'), undefined, 'refused')],
    }),
    timeseries({
      title: 'Left out of the tape',
      reads: 'No byte of a stream is lost, but figures are: the main thread did not keep up.',
      unit: 'cps',
      width: 10,
      stacked: true,
      targets: [lost(TAPE_DROPPED, 'kind', 'left out')],
    }),
    timeseries({
      title: 'Folded, forgotten, settled early',
      reads: 'Caps that were hit. folded: too many series or models. forgotten: too many tries or jobs to follow.',
      unit: 'cps',
      targets: [
        lost(LABELS_FOLDED, 'label', 'label folded'),
        lost(selfMetric('models_folded'), undefined, 'models folded'),
        lost(DEMAND_FORGOTTEN, 'kind', 'forgotten'),
        lost(selfMetric('settled_early'), undefined, 'settled early'),
      ],
    }),
    timeseries({
      title: 'Doubts about exchanges',
      reads: 'What a reader of the figures should know; each record names its own.',
      unit: 'reqps',
      stacked: true,
      targets: [{ ask: rates(DOUBTS_COUNT, ['doubt']), legend: '{{doubt}}' }],
    }),
    timeseries({
      title: 'Strange upstreams and clocks',
      reads:
        'surplus: bytes that belong to no request. clock: somebody stepped the wall clock; no duration depends on it.',
      unit: 'cps',
      targets: [
        lost(selfMetric('upstream_surplus'), undefined, 'surplus'),
        lost(selfMetric('clock_steps'), undefined, 'clock steps'),
      ],
    }),
    timeseries({
      title: 'What calibrated models answered',
      reads: 'estimated is an answer; anything else says why there was none.',
      unit: 'reqps',
      stacked: true,
      targets: [{ ask: rates(selfMetric('calibrations'), ['reason']), legend: '{{reason}}' }],
    }),
  ],
};

const EXPORTS: Row = {
  title: 'What leaves it, and what it takes in',
  panels: [
    timeseries({
      title: 'Spans, records and metrics',
      reads: 'taken = exported + dropped + queued, at every moment.',
      unit: 'cps',
      targets: [
        {
          ask: rates(named(EXPORT_METRICS, 'rubato.self.export_taken'), ['signal']),
          legend: '{{signal}} taken',
          needs: ['sinks'],
        },
        {
          ask: rates(named(EXPORT_METRICS, 'rubato.self.exported'), ['signal']),
          legend: '{{signal}} exported',
          needs: ['sinks'],
        },
        { ask: rates(EXPORT_DROPPED, ['signal']), legend: '{{signal}} dropped' },
      ],
    }),
    timeseries({
      title: 'Waiting to leave',
      reads: 'What grows without end will be dropped: the destination is slower than the traffic.',
      unit: 'short',
      targets: [
        {
          ask: gauges('sum', named(EXPORT_METRICS, 'rubato.self.export_queued'), ['signal']),
          legend: '{{signal}}',
          needs: ['sinks'],
        },
      ],
    }),
    timeseries({
      title: 'OTLP from engines',
      reads: 'Requests taken, and passed on to the Collector as they came.',
      unit: 'reqps',
      targets: [
        lost(selfMetric('otlp_received'), 'signal', 'taken', ['otlp']),
        lost(selfMetric('otlp_forwarded'), 'signal', 'passed on', ['otlp']),
        lost(selfMetric('otlp_dropped'), 'reason', 'dropped', ['otlp']),
      ],
    }),
    timeseries({
      title: 'Exchanges that engine spans came for',
      reads:
        'told: their queue or prefill is known by it. late: their report did not wait so long (`--evidence-wait`).',
      unit: 'reqps',
      stacked: true,
      targets: [lost(selfMetric('otlp_joined'), 'kind', 'joined', ['otlp'])],
    }),
  ],
};

export const self: Dashboard = {
  uid: 'rubato-self',
  title: 'rubato / rubato itself',
  description: 'What does rubato cost, and can its figures be trusted?',
  rows: [COST, REFUSED, EXPORTS],
};
