// The same totals from three places: counted again from records, read from /metrics, read from OTLP. A
// ledger is plain: one integer a series and figure, zeros left out, lengths in ns.
import type { RecordEntry } from './sidecar.ts';
import type { CaughtMetric, CaughtPoint } from './otlp-catcher.ts';
import { plainAttributes } from './otlp-catcher.ts';
import type { Sample } from './prometheus.ts';
import { METRICS } from '../../src/measure/table.ts';
import { outputBucket } from '../../src/measure/buckets.ts';
import { prometheusName } from '../../src/telemetry/names.ts';

export type Ledger = Record<string, number>;
type Labels = Readonly<Record<string, unknown>>;

const NS_PER_SECOND = 1e9;

/** What every metric that a measure feeds must say, after exactly these exchanges. */
export function recount(entries: readonly RecordEntry[]): Ledger {
  const ledger: Ledger = {};
  for (const entry of entries) {
    recountStream(ledger, entry);
    recountExchange(ledger, entry);
  }
  return withoutZeros(ledger);
}

function recountStream(ledger: Ledger, { record, figures, stalls = [] }: RecordEntry): void {
  const own = { class: record.class.name, model: record.labels.model };
  const { gapsReceived, gapsFlushed, stallCount, split } = figures;
  addLength(ledger, 'rubato.ttft', { ...own, prompt_bucket: record.labels.promptBucket }, figures.ttftNs);
  addLength(ledger, 'rubato.ttfo', own, figures.ttfoNs);
  addLength(ledger, 'rubato.tpot', own, figures.tpotNs);
  addLength(ledger, 'rubato.gap.max', own, gapsReceived.maxNs);
  if (record.answer.streamed) addLength(ledger, 'rubato.backpressure', own, figures.backpressureNs);
  for (const [point, gaps] of Object.entries({ received: gapsReceived, flushed: gapsFlushed })) {
    add(ledger, 'rubato.gap', { ...own, point }, 'count', gaps.count);
    add(ledger, 'rubato.gap', { ...own, point }, 'sum', gaps.sumNs);
  }
  add(ledger, 'rubato.gaps', { ...own, stalled: 'true' }, 'value', stallCount);
  add(ledger, 'rubato.gaps', { ...own, stalled: 'false' }, 'value', gapsReceived.count - stallCount);
  for (const { cause } of stalls) add(ledger, 'rubato.stalls', { ...own, cause }, 'value', 1);
  // Those whose surroundings were not kept.
  add(ledger, 'rubato.stalls', { ...own, cause: 'unknown' }, 'value', stallCount - stalls.length);
  for (const [cause, count] of Object.entries(figures.taintedCounts)) {
    add(ledger, 'rubato.gaps.tainted', { ...own, cause }, 'value', count);
  }
  add(ledger, 'rubato.events.coalesced', own, 'value', figures.coalescedCount);
  if (split === undefined) return;
  add(ledger, 'rubato.splits', { ...own, basis: split.basis }, 'value', 1);
  const part = (name: string, basis: string, partNs: number | undefined): void =>
    addLength(ledger, 'rubato.ttft.part', { ...own, part: name, basis }, partNs);
  part('network', 'measured', split.networkNs);
  part('rubato', 'measured', split.rubatoNs);
  part('engine', 'remainder', split.engineNs);
  for (const [name, partNs] of Object.entries(split.network)) {
    addLength(ledger, 'rubato.network.part', { ...own, part: name.slice(0, -2) }, partNs);
  }
}

function recountExchange(ledger: Ledger, { record, figures }: RecordEntry): void {
  const own = { class: record.class.name, model: record.labels.model };
  const placed = { ...own, outcome: record.end.outcome, route: record.route };
  add(ledger, 'rubato.exchanges', placed, 'value', 1);
  const { rounded, contradicted } = figures.split ?? {};
  const ofSplit = Object.entries({ rounded, contradicted }).flatMap(([doubt, holds]) =>
    holds === true ? [doubt] : [],
  );
  for (const doubt of new Set([...record.doubts, ...ofSplit])) add(ledger, 'rubato.doubts', { doubt }, 'value', 1);
  const output = outputBucket(record.tokens.output);
  addLength(ledger, 'rubato.exchange.duration', { ...placed, output_bucket: output }, figures.durationNs);
  if (figures.noFirstToken !== undefined) {
    add(ledger, 'rubato.no_first_token', { ...own, reason: figures.noFirstToken }, 'value', 1);
  }
  for (const kind of ['prompt', 'cached', 'output', 'reasoning'] as const) {
    add(ledger, 'rubato.tokens', { ...own, kind }, 'value', record.tokens[kind] ?? 0);
  }
}

/** Totals, and the count of each single bucket apart. */
export interface Told {
  readonly totals: Ledger;
  readonly buckets: Ledger;
}

export function toldByPrometheus(samples: readonly Sample[]): Told {
  const totals: Ledger = {};
  const buckets: Ledger = {};
  for (const spec of METRICS) {
    const name = prometheusName(spec);
    const before = new Map<string, number>();
    for (const sample of samples) {
      if (sample.name === name) add(totals, spec.name, sample.labels, 'value', sample.value);
      if (sample.name === `${name}_count`) add(totals, spec.name, sample.labels, 'count', sample.value);
      if (sample.name === `${name}_sum`) add(totals, spec.name, sample.labels, 'sum', nsOf(sample.value));
      if (sample.name !== `${name}_bucket`) continue;
      const { le = '', ...labels } = sample.labels;
      const series = keyOf(spec.name, labels, 'bucket');
      add(
        buckets,
        spec.name,
        labels,
        `≤${Number(le.replace('+Inf', 'Infinity'))}`,
        sample.value - (before.get(series) ?? 0),
      );
      before.set(series, sample.value);
    }
  }
  return { totals: withoutZeros(totals), buckets: withoutZeros(buckets) };
}

/** By the last value of each metric: they are cumulative. */
export function toldByOtlp(metrics: readonly CaughtMetric[]): Told {
  const totals: Ledger = {};
  const buckets: Ledger = {};
  for (const spec of METRICS) {
    const metric = metrics.findLast(({ name }) => name === spec.name);
    for (const point of metric?.sum?.dataPoints ?? []) {
      add(totals, spec.name, plainAttributes(point.attributes), 'value', Number(point.asInt ?? point.asDouble));
    }
    for (const point of metric?.histogram?.dataPoints ?? []) addHistogram({ totals, buckets }, spec.name, point);
  }
  return { totals: withoutZeros(totals), buckets: withoutZeros(buckets) };
}

function addHistogram({ totals, buckets }: Told, name: string, point: CaughtPoint): void {
  const labels = plainAttributes(point.attributes);
  add(totals, name, labels, 'count', Number(point.count));
  add(totals, name, labels, 'sum', nsOf(point.sum ?? 0));
  for (const [index, count] of (point.bucketCounts ?? []).entries()) {
    add(buckets, name, labels, `≤${point.explicitBounds?.[index] ?? Infinity}`, Number(count));
  }
}

/** Exact for sums below 10^15 ns: the division and its reversal round to the same integer. */
function nsOf(seconds: number): number {
  return Math.round(seconds * NS_PER_SECOND);
}

function addLength(ledger: Ledger, name: string, labels: Labels, lengthNs: number | undefined): void {
  if (lengthNs === undefined) return;
  add(ledger, name, labels, 'count', 1);
  add(ledger, name, labels, 'sum', lengthNs);
}

function add(ledger: Ledger, name: string, labels: Labels, figure: string, amount: number): void {
  const key = keyOf(name, labels, figure);
  ledger[key] = (ledger[key] ?? 0) + amount;
}

function keyOf(name: string, labels: Labels, figure: string): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${String(value)}`);
  return `${name}{${pairs.toSorted().join(',')}} ${figure}`;
}

function withoutZeros(ledger: Ledger): Ledger {
  return Object.fromEntries(Object.entries(ledger).filter(([, amount]) => amount !== 0));
}
