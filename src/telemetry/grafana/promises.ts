// Rows of the dashboard of objectives for the classes of a configuration: each promise about a length as the
// percentile that it is about, with its limit drawn in, of all that was asked for and not of survivors only.
import type { MetricSpec } from '../../base/metric-spec.ts';
import { DEMAND_GAP_MAX, DEMAND_TTFT } from '../../judge/slo/metrics.ts';
import { EXCHANGE_DURATION } from '../../measure/duration.ts';
import { GAP } from '../../measure/gap.ts';
import { TPOT } from '../../measure/tpot.ts';
import { TTFO } from '../../measure/ttfo.ts';
import type { Objective, ObjectiveKind } from '../../record/objective.ts';
import type { ClassSpec } from '../../record/traffic-class.ts';
import type { Matchers } from '../rules/promql.ts';
import { quantiles } from './ask.ts';
import type { Need } from './needs.ts';
import { type Panel, percentileWord, percentOf, type Row, timeseries } from './panel.ts';

const NS_PER_SECOND = 1e9;
const NS_PER_MS = 1e6;

interface Length {
  readonly spec: MetricSpec;
  readonly matchers?: Matchers;
  readonly needs?: readonly Need[];
  /** Where the series are not quite of those that the objective is for. */
  readonly note?: string;
}

/** The series of each kind; what an exchange's own percentiles are is in no histogram, and `valid` is no length. */
const LENGTHS: Partial<Record<ObjectiveKind, Length>> = {
  ttft: { spec: DEMAND_TTFT },
  ttfo: { spec: TTFO, note: 'Failures have no such time and are in the share of misses only.' },
  gap_max: { spec: DEMAND_GAP_MAX },
  gap_pooled: { spec: GAP, matchers: { point: 'received' } },
  tpot: { spec: TPOT, needs: ['tokens'], note: 'Failures have no such time and are in the share of misses only.' },
  e2e: {
    spec: EXCHANGE_DURATION,
    note: 'It bounds answers up to a length only; the percentile is of all lengths and may be above it.',
  },
};

export function promiseRows(classes: readonly ClassSpec[]): readonly Row[] {
  return classes
    .map(({ name, objectives = [] }) => ({
      title: `What is promised to ${name}`,
      panels: objectives.flatMap((objective) => panelOf(name, objective)),
    }))
    .filter(({ panels }) => panels.length > 0);
}

function panelOf(className: string, objective: Objective): Panel[] {
  const { name, kind, limitNs, target, scope } = objective;
  const length = LENGTHS[kind];
  if (length === undefined || limitNs === undefined) return [];
  const { spec, matchers = {}, needs = [], note = '' } = length;
  const buckets = scope?.promptBuckets;
  const isByBucket = buckets !== undefined && spec.labels.includes('prompt_bucket');
  const ofPrompts = isByBucket ? { prompt_bucket: `=~${buckets.map(escapeRegExp).join('|')}` } : {};
  const ask = quantiles(target, spec, [], { ...matchers, ...ofPrompts, class: className });
  const reads = [
    `Promised: ${percentOf(target)} % within ${limitNs / NS_PER_MS} ms, the dashed line. Below it the promise is kept.`,
    scope !== undefined && !isByBucket
      ? 'The promise is for some exchanges only, the percentile is of all of the class.'
      : '',
    note,
  ];
  return [
    timeseries({
      title: `${className}: ${name}`,
      reads: reads.filter((text) => text !== '').join(' '),
      unit: 's',
      width: 8,
      limits: { bad: limitNs / NS_PER_SECOND },
      targets: [{ ask, legend: percentileWord(target), needs }],
    }),
  ];
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
