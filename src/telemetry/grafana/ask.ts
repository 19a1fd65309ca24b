// What a panel asks of Prometheus, made from the declarations of metrics: a metric that is renamed or dropped breaks
// the build, and a label that it has not got is refused here, so that no panel can die unseen. Knows no panels.
import type { LabelName, MetricSpec } from '../../base/metric-spec.ts';
import { prometheusLabel } from '../names.ts';
import {
  type Matchers,
  type Part,
  ratio,
  rateBy,
  sampleName,
  select,
  TARGET_LABELS,
  type TargetLabel,
} from '../rules/promql.ts';

export interface Ask {
  readonly expr: string;
  /** What it is made of: their help texts say between which events a figure lies. */
  readonly specs: readonly MetricSpec[];
  /** Of the whole time that is looked at, so it has one value and no course. */
  readonly isOfRange: boolean;
  /** Made of buckets, each of which can name a trace. */
  readonly hasExemplars: boolean;
}

export type ByLabel = LabelName | TargetLabel;

/** Labels that a dashboard filters by, each with a variable of its own name. */
export const FILTERS = [...TARGET_LABELS, 'class', 'model', 'route'] as const;

/** Grafana makes it four scrapes at the least, so that no step of a panel falls between two samples. */
const RATE_INTERVAL = '$__rate_interval';
const WHOLE_RANGE = '$__range';

const FIGURE = { isOfRange: false, hasExemplars: false } as const;

/** Events a second, of a counter, or of everything that went into a histogram. */
export function rates(spec: MetricSpec, by: readonly ByLabel[], matchers?: Matchers): Ask {
  refuse(spec, spec.type === 'gauge', 'a gauge has no rate');
  const part = spec.type === 'histogram' ? 'count' : undefined;
  return { ...FIGURE, expr: rateBy(labelsOf(spec, by), selected(spec, matchers, part), RATE_INTERVAL), specs: [spec] };
}

/** What a histogram's values sum to, a second. */
export function sums(spec: MetricSpec, by: readonly ByLabel[], matchers?: Matchers): Ask {
  refuse(spec, spec.type !== 'histogram', 'only a histogram has a sum');
  const expr = rateBy(labelsOf(spec, by), selected(spec, matchers, 'sum'), RATE_INTERVAL);
  return { ...FIGURE, expr, specs: [spec] };
}

/** How many there were in the whole time that is looked at. */
export function increases(spec: MetricSpec, by: readonly ByLabel[], matchers?: Matchers): Ask {
  refuse(spec, spec.type === 'gauge', 'a gauge has no increase');
  const part = spec.type === 'histogram' ? 'count' : undefined;
  const expr = increaseBy(labelsOf(spec, by), selected(spec, matchers, part));
  return { ...FIGURE, expr, specs: [spec], isOfRange: true };
}

/** A percentile of everything that was counted, never of percentiles. */
export function quantiles(q: number, spec: MetricSpec, by: readonly ByLabel[], matchers?: Matchers): Ask {
  return { ...quantileOver(RATE_INTERVAL, q, bucketsOf(spec, by, matchers)), specs: [spec] };
}

/** The same of the whole time that is looked at. */
export function rangeQuantiles(q: number, spec: MetricSpec, by: readonly ByLabel[], matchers?: Matchers): Ask {
  return { ...quantileOver(WHOLE_RANGE, q, bucketsOf(spec, by, matchers)), specs: [spec] };
}

/** Counts by bucket, for a heatmap. */
export function buckets(spec: MetricSpec, matchers?: Matchers): Ask {
  const { selection } = bucketsOf(spec, [], matchers);
  return {
    ...FIGURE,
    expr: `sum by (le) (increase(${selection}[${RATE_INTERVAL}]))`,
    specs: [spec],
    hasExemplars: true,
  };
}

/** A gauge over all that is looked at: summed where its parts are of one whole, else the largest or the smallest. */
export function gauges(how: 'sum' | 'max' | 'min', spec: MetricSpec, by: readonly ByLabel[], matchers?: Matchers): Ask {
  refuse(spec, spec.type !== 'gauge', 'only a gauge has a value of now');
  return {
    ...FIGURE,
    expr: `${how} by (${labelsOf(spec, by).join(', ')}) (${selected(spec, matchers)})`,
    specs: [spec],
  };
}

/**
 * A share, absent where there is nothing to be a share of. `on`: labels of the whole, where the part has more.
 */
export function shares(part: Ask, whole: Ask, on?: readonly ByLabel[]): Ask {
  const some = `(${whole.expr} > 0)`;
  const expr =
    on === undefined ? ratio(part.expr, some) : `${part.expr}\n/ on (${on.join(', ')}) group_left ()\n${some}`;
  return { ...FIGURE, expr, specs: uniqueSpecs([part, whole]), isOfRange: part.isOfRange };
}

/** What other rules record, which has neither job nor instance any more. */
export function recordedSeries(expr: string, specs: readonly MetricSpec[]): Ask {
  return { ...FIGURE, expr, specs };
}

export function uniqueSpecs(asks: readonly Pick<Ask, 'specs'>[]): readonly MetricSpec[] {
  return [...new Set(asks.flatMap(({ specs }) => specs))];
}

/** A metric that stands in a table of its like, by its name. */
export function named(table: readonly MetricSpec[], name: string): MetricSpec {
  const found = table.find((spec) => spec.name === name);
  if (found === undefined) throw new Error(`A panel asks for ${name}, which is no metric any more.`);
  return found;
}

/** Every label that a metric's series can have, as Prometheus writes them. */
export function seriesLabels(spec: MetricSpec): readonly ByLabel[] {
  return [...TARGET_LABELS, ...(spec.classed ? (['class', 'model'] as const) : []), ...spec.labels];
}

function bucketsOf(spec: MetricSpec, by: readonly ByLabel[], matchers?: Matchers) {
  refuse(spec, spec.type !== 'histogram', 'only a histogram has buckets');
  return { labels: [...labelsOf(spec, by), 'le'], selection: selected(spec, matchers, 'bucket') };
}

function quantileOver(window: string, q: number, { labels, selection }: ReturnType<typeof bucketsOf>) {
  const isOfRange = window === WHOLE_RANGE;
  const counted = isOfRange ? increaseBy(labels, selection) : rateBy(labels, selection, window);
  return { expr: `histogram_quantile(${q}, ${counted})`, isOfRange, hasExemplars: true };
}

/** Over the whole time that is looked at: a rate of it would say the same, and look like one of a scrape interval. */
function increaseBy(labels: readonly string[], selection: string): string {
  return `sum by (${labels.join(', ')}) (increase(${selection}[${WHOLE_RANGE}]))`;
}

/** A selector with the filters of the dashboard, as far as the metric has such labels. */
function selected(spec: MetricSpec, matchers: Matchers = {}, part?: Part): string {
  labelsOf(spec, Object.keys(matchers) as ByLabel[]);
  const has = new Set<string>(seriesLabels(spec));
  const filters = FILTERS.filter((label) => has.has(label) && !(label in matchers));
  const own = Object.fromEntries(filters.map((label) => [label, `=~$${label}`]));
  return select(spec, { ...own, ...matchers }, part);
}

function labelsOf(spec: MetricSpec, labels: readonly ByLabel[]): readonly string[] {
  const has = new Set<string>(seriesLabels(spec));
  for (const label of labels) refuse(spec, !has.has(label), `it has no label ${label}`);
  return labels.map(prometheusLabel);
}

function refuse(spec: MetricSpec, isWrong: boolean, why: string): void {
  if (isWrong) throw new Error(`A panel cannot ask that of ${sampleName(spec)}: ${why}.`);
}
