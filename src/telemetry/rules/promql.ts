// Expressions of PromQL from the declarations of metrics, so that no rule has a name of its own for one.
import type { LabelName, MetricSpec } from '../../base/metric-spec.ts';
import { prometheusName } from '../names.ts';

/** What Prometheus adds to every series: who was scraped. */
export const TARGET_LABELS = ['job', 'instance'] as const;
export type TargetLabel = (typeof TARGET_LABELS)[number];

export type Matchers = Readonly<Partial<Record<LabelName | TargetLabel, string>>>;

/** A histogram's samples have names of their own. */
export type Part = 'bucket' | 'sum' | 'count';

export function sampleName(spec: MetricSpec, part?: Part): string {
  return part === undefined ? prometheusName(spec) : `${prometheusName(spec)}_${part}`;
}

/** `rubato_exchanges_total{outcome="shed"}`; a value that begins with `=~`, `!=` or `!~` is a matcher of that kind. */
export function select(spec: MetricSpec, matchers: Matchers = {}, part?: Part): string {
  const texts = Object.entries(matchers).map(([label, value]) => {
    const operator = /^(?:=~|!=|!~)/.exec(value)?.[0] ?? '=';
    return `${label}${operator}${quoted(operator === '=' ? value : value.slice(operator.length))}`;
  });
  return `${sampleName(spec, part)}${texts.length === 0 ? '' : `{${texts.join(',')}}`}`;
}

export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Events a second, summed by labels. */
export function rateBy(labels: readonly string[], selected: string, window: string): string {
  return `sum by (${labels.join(', ')}) (rate(${selected}[${window}]))`;
}

export function ratio(part: string, whole: string): string {
  return `${part}\n/\n${whole}`;
}

/** A percentile of everything that was counted, never of percentiles. */
export function quantile(q: number, labels: readonly string[], spec: MetricSpec, window: string): string {
  return `histogram_quantile(${q}, ${rateBy([...labels, 'le'], select(spec, {}, 'bucket'), window)})`;
}

/** The name of a recorded series, as Prometheus's own guide has it: labels that are left, metric, what was done. */
export function recorded(labels: readonly string[], spec: MetricSpec, operation: string): string {
  return `${labels.join('_')}:${sampleName(spec).replace(/_total$/, '')}:${operation}`;
}
