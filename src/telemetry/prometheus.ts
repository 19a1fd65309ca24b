// Renders the store as text for a scrape: Prometheus text 0.0.4, or OpenMetrics 1.0 with exemplars
// when the scraper prefers it. Pure: families and resource in, text out, in a fixed order.
import type { MetricFamily } from './store.ts';
import { prometheusLabel, prometheusName, unitWord } from './names.ts';
import type { Histogram } from './histogram.ts';

export type TextFormat = 'text' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<TextFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** Attributes of the process that every route tells (`service.instance.id`, …). */
export type ResourceLabels = Readonly<Record<string, string>>;

/** Label names and values in the order in which they are written. */
type LabelPairs = readonly (readonly [name: string, value: string])[];

/**
 * The format for an `Accept` header. OpenMetrics only when it is asked for by name and not less than
 * plain text: exemplars travel no other way, but an unknown client gets what everybody reads.
 */
export function negotiateFormat(accept: string | undefined): TextFormat {
  let openMetrics = 0;
  let text = 0;
  for (const range of (accept ?? '').split(',')) {
    const [media = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const stated = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = stated === undefined ? 1 : Number.parseFloat(stated.slice(2)) || 0;
    if (media === 'application/openmetrics-text') openMetrics = Math.max(openMetrics, quality);
    if (media === 'text/plain') text = Math.max(text, quality);
  }
  return openMetrics > 0 && openMetrics >= text ? 'openmetrics' : 'text';
}

/** In pieces, so that whoever has them made can do other things in between. No series is in two of them. */
export function* metricPieces(
  families: readonly MetricFamily[],
  resource: ResourceLabels,
  format: TextFormat,
): Generator<string> {
  yield textOf(targetInfoLines(resource, format));
  for (const family of families) yield* familyPieces(family, format);
  if (format === 'openmetrics') yield textOf(['# EOF']);
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** The resource as one series, to be joined in a query: it would be a label on each sample otherwise. */
function targetInfoLines(resource: ResourceLabels, format: TextFormat): string[] {
  const names = Object.keys(resource).sort();
  const pairs: LabelPairs = names.map((name) => [prometheusLabel(name), resource[name] ?? '']);
  const [family, type] = format === 'openmetrics' ? ['target', 'info'] : ['target_info', 'gauge'];
  return [
    `# HELP ${family} Attributes of this process.`,
    `# TYPE ${family} ${type}`,
    `target_info${labelText(pairs)} 1`,
  ];
}

function* familyPieces(family: MetricFamily, format: TextFormat): Generator<string> {
  const lines: string[] = [];
  const { spec } = family;
  const sample = prometheusName(spec);
  // In OpenMetrics `_total` belongs to the sample, not to the metric.
  const name = format === 'openmetrics' && spec.type === 'counter' ? sample.slice(0, -'_total'.length) : sample;
  lines.push(`# HELP ${name} ${escapeHelp(spec.help, format)}`, `# TYPE ${name} ${spec.type}`);
  const unit = unitWord(spec.unit);
  if (format === 'openmetrics' && unit !== undefined && name.endsWith(`_${unit}`)) lines.push(`# UNIT ${name} ${unit}`);
  const labelNames = family.labelNames.map(prometheusLabel);
  for (const { labelValues, value } of family.scalars) {
    lines.push(`${sample}${labelText(pairUp(labelNames, labelValues))} ${value / family.perUnit}`);
  }
  yield textOf(lines);
  // All histograms of a family have the same bounds.
  const bounds = family.histograms[0]?.histogram.bounds.map((bound) => boundText(bound / family.perUnit, format)) ?? [];
  const context = { name, perUnit: family.perUnit, format, bounds: [...bounds, '+Inf'] };
  for (const { labelValues, histogram } of family.histograms) {
    yield textOf(histogramLines(context, pairUp(labelNames, labelValues), histogram));
  }
}

interface HistogramContext {
  readonly name: string;
  readonly perUnit: number;
  readonly format: TextFormat;
  /** As they are written, the last one included. */
  readonly bounds: readonly string[];
}

/** Nine of ten lines of a scrape are buckets, so what their lines share is made once a series. */
function histogramLines(context: HistogramContext, pairs: LabelPairs, histogram: Histogram): string[] {
  const lines: string[] = [];
  const { name, perUnit, format, bounds } = context;
  const labels = labelText(pairs);
  const start = `${name}_bucket${labels === '' ? '{' : `${labels.slice(0, -1)},`}le="`;
  const { counts } = histogram;
  let cumulative = 0;
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    cumulative += counts[bucket] as number;
    const exemplar = format === 'openmetrics' ? exemplarText(histogram, bucket, perUnit) : '';
    lines.push(`${start}${bounds[bucket] as string}"} ${cumulative}${exemplar}`);
  }
  lines.push(`${name}_sum${labels} ${histogram.sumInUnits}`);
  lines.push(`${name}_count${labels} ${histogram.count}`);
  return lines;
}

/**
 * As Go writes a number with `%g`, which OpenMetrics makes the rule and the Collector follows: `1e-05` and `1.5e+06`,
 * where JavaScript goes on in digits. A bound is a label, and before Prometheus 3 one in another form is another
 * series. OpenMetrics writes the others with a point; the older format has always written whole ones without.
 */
function boundText(bound: number, format: TextFormat): string {
  const [digits = '', exponent = ''] = bound.toExponential().split('e');
  if (bound !== 0 && (Number(exponent) < -4 || Number(exponent) >= 6)) {
    return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
  }
  return format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function exemplarText(histogram: Histogram, bucket: number, perUnit: number): string {
  const exemplar = histogram.exemplarOf(bucket);
  if (exemplar === undefined) return '';
  const { ref, value, epochMs } = exemplar;
  const labels = labelText([
    ['trace_id', ref.traceId],
    ['span_id', ref.spanId],
  ]);
  return ` # ${labels} ${value / perUnit} ${(epochMs / 1000).toFixed(3)}`;
}

function pairUp(names: readonly string[], values: readonly string[]): LabelPairs {
  return names.map((name, index) => [name, values[index] ?? ''] as const).filter(([, value]) => value !== '');
}

function labelText(pairs: LabelPairs): string {
  if (pairs.length === 0) return '';
  return `{${pairs.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** A quote in a help text is escaped in OpenMetrics only; the older format would show the backslash. */
function escapeHelp(help: string, format: TextFormat): string {
  const text = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return format === 'openmetrics' ? text.replaceAll('"', '\\"') : text;
}
