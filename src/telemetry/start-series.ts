// Which series a metric has before anything happened. A counter that appears with its first event
// hides that event from `rate()`, and an alert on a missing series never fires; so every counter
// whose label values are known beforehand is there at 0.
import type { LabelName, MetricSpec } from '../base/metric-spec.ts';

/** Label values known at start: `class` and, as far as configured, others such as `route`. */
export type KnownLabels = Readonly<Partial<Record<LabelName, readonly string[]>>>;

type LabelSet = Partial<Record<LabelName, string>>;

/**
 * Label sets of a counter that exist from the start: each configured class, model `other`, and the
 * closed values of its own labels. A label with values nobody knows yet starts as `other` where the
 * declaration spreads its other labels out, and keeps the counter from starting where it does not.
 */
export function startLabelSets(spec: MetricSpec, known: KnownLabels): readonly LabelSet[] {
  if (spec.type !== 'counter') return [];
  const values = (label: LabelName): readonly string[] | undefined => spec.startAtZero?.[label] ?? known[label];
  if (spec.startAtZero === undefined && spec.labels.some((label) => values(label) === undefined)) return [];
  let sets: readonly LabelSet[] = [{}];
  if (spec.classed) {
    sets = spread(sets, 'class', known.class ?? ['default']);
    sets = spread(sets, 'model', ['other']);
  }
  for (const label of spec.labels) sets = spread(sets, label, values(label) ?? ['other']);
  return sets;
}

function spread(sets: readonly LabelSet[], label: LabelName, values: readonly string[]): readonly LabelSet[] {
  return sets.flatMap((set) => values.map((value) => ({ ...set, [label]: value })));
}
