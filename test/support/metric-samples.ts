// Every name under which a scrape of rubato can have samples, with the declaration behind it and the labels of its
// series: what a query may ask for.
import type { MetricSpec } from '../../src/base/metric-spec.ts';
import { OWN_METRICS } from '../../src/telemetry/metric-table.ts';
import { prometheusLabel, prometheusName } from '../../src/telemetry/names.ts';
import { LABELS_FOLDED } from '../../src/telemetry/store.ts';

export interface SampleKind {
  readonly spec: MetricSpec;
  /** Only ever grows, so that only its rate says something. */
  readonly isCounter: boolean;
  readonly labels: ReadonlySet<string>;
}

export const ALL_METRICS: readonly MetricSpec[] = [...OWN_METRICS, LABELS_FOLDED];

export function sampleKinds(): ReadonlyMap<string, SampleKind> {
  return new Map(ALL_METRICS.flatMap(kindsOf));
}

function kindsOf(spec: MetricSpec): [string, SampleKind][] {
  const labels = [...(spec.classed ? ['class', 'model'] : []), ...spec.labels].map(prometheusLabel);
  const known = ['job', 'instance', ...labels];
  const name = prometheusName(spec);
  if (spec.type !== 'histogram') {
    return [[name, { spec, isCounter: spec.type === 'counter', labels: new Set(known) }]];
  }
  return ['bucket', 'sum', 'count'].map((part) => {
    const all = part === 'bucket' ? [...known, 'le'] : known;
    return [`${name}_${part}`, { spec, isCounter: true, labels: new Set(all) }];
  });
}
