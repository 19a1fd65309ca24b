// The metric store: cumulative series by declaration and label values. A series is looked up once
// and then fed through its handle, because hashing the labels anew at each record costs a hundred
// times more than the record. Renderers read it through `collect()`; it knows none of them.
import assert from 'node:assert';
import { epochMs } from '../base/clock.ts';
import type { LabelName, MetricSpec } from '../base/metric-spec.ts';
import { SERIES_MAX_COUNT } from '../base/limits.ts';
import type { ExemplarRef } from '../judge/report.ts';
import { Histogram } from './histogram.ts';
import { startLabelSets, type KnownLabels } from './start-series.ts';

/** Values of a metric's labels; a label left out is absent on every route. */
export type Labels = Readonly<Partial<Record<LabelName, string>>>;

export interface CounterHandle {
  /** Adds an integer (ns where the unit is `s`). */
  add(n: number): void;
}

export interface HistogramHandle {
  /** Adds one integer value (ns where the unit is `s`). */
  record(value: number, exemplar?: ExemplarRef): void;
  /** Adds one that never came, as longer than any. */
  recordNever(): void;
}

/** A value read at the moment of collection; integers, ns where the unit is `s`. */
export interface Observation {
  readonly labels: Labels;
  readonly value: number;
}

export interface ScalarSeries {
  /** One value a label of the family, '' for an absent one. */
  readonly labelValues: readonly string[];
  readonly value: number;
}

export interface HistogramSeries {
  readonly labelValues: readonly string[];
  readonly histogram: Histogram;
}

/** All series of one metric, in the order of their label values. */
export interface MetricFamily {
  readonly spec: MetricSpec;
  readonly labelNames: readonly LabelName[];
  /** Recorded integers in one unit of the metric. */
  readonly perUnit: number;
  readonly scalars: readonly ScalarSeries[];
  readonly histograms: readonly HistogramSeries[];
}

export interface MetricStore {
  readonly startEpochMs: number;
  /** The handle of a counter's series; folded into `other` when the process has too many series. */
  counter(spec: MetricSpec, labels: Labels): CounterHandle;
  histogram(spec: MetricSpec, labels: Labels): HistogramHandle;
  /** Has a gauge, or a counter kept elsewhere, read at each collection. */
  observe(spec: MetricSpec, read: () => Iterable<Observation>): void;
  /** More label values are known beforehand now: their series start at 0. */
  know(known: KnownLabels): void;
  /** One metric as it is now, its series in no order. Live, as `collect()` is, and cheap enough for each second. */
  read(spec: MetricSpec): MetricFamily;
  /** Every metric that has series, in the order of the declarations. Live: read it in one go. */
  collect(): readonly MetricFamily[];
}

export interface MetricStoreOptions {
  readonly specs: readonly MetricSpec[];
  readonly seriesMax?: number;
  /** Values known beforehand: the configured classes, routes and so on. */
  readonly known: KnownLabels;
  readonly startEpochMs: number;
  /** Keep exponential buckets as well, for OTLP. */
  readonly exponential?: boolean;
}

/** The value that stands for all label values beyond a cap. */
export const OTHER = 'other';

export const LABELS_FOLDED: MetricSpec = {
  name: 'rubato.self.labels_folded',
  type: 'counter',
  unit: '{value}',
  help: 'Label values that became `other` because the process had too many series, counted at each look-up.',
  labels: ['label'],
  classed: false,
  startAtZero: { label: ['class', 'model', 'route'] },
};

const NS_PER_SECOND = 1e9;

/** Recorded integers in one unit of the metric: durations are recorded in ns. */
export function perUnitOf(spec: MetricSpec): number {
  if (spec.perUnit !== undefined) return spec.perUnit;
  return spec.unit === 's' ? NS_PER_SECOND : 1;
}

/** Bounds of a histogram's buckets as recorded integers. */
export function boundsOf(spec: MetricSpec): number[] {
  // The bounds are whole ns by design, but 0.0075 × 1e9 is not a whole number of doubles.
  return (spec.bounds ?? []).map((bound) => Math.round(bound * perUnitOf(spec)));
}

class Counter implements CounterHandle {
  value = 0;

  add(n: number): void {
    assert(n >= 0, 'a counter only grows');
    this.value += n;
  }
}

/** One metric's series by their joined label values. */
interface Family {
  readonly spec: MetricSpec;
  readonly labelNames: readonly LabelName[];
  /** One for all series, because a function made at each look-up is garbage. */
  readonly newHistogram: () => Histogram;
  readonly counters: Map<string, Counter>;
  readonly histograms: Map<string, Histogram>;
  readonly reads: (() => Iterable<Observation>)[];
}

const newCounter = (): Counter => new Counter();

const SEPARATOR = '\u0000';

export function createMetricStore(options: MetricStoreOptions): MetricStore {
  const families = newFamilies([...options.specs, LABELS_FOLDED], options.exponential ?? false);
  const seriesMax = options.seriesMax ?? SERIES_MAX_COUNT;
  let seriesCount = 0;

  /** The series with these labels; without room for it that of all models, or else the metric's overflow. */
  function resolve<Series>(family: Family, series: Map<string, Series>, labels: Labels, make: () => Series): Series {
    const key = keyOf(family.labelNames, labels);
    const known = series.get(key);
    if (known !== undefined) return known;
    const values = split(family, key);
    // The count of folded labels itself may not be folded, or it would call for itself.
    if (seriesCount < seriesMax || family.spec === LABELS_FOLDED) {
      seriesCount += 1;
      return insert(series, key, make());
    }
    // Series of all models together are there from the start, and keep the class and whatever else an alert asks for.
    const ofAllModels = series.get(foldedKey(family.labelNames, values, ['model']));
    noteFolded(ofAllModels === undefined ? family.labelNames : ['model'], labels);
    const overflowKey = foldedKey(family.labelNames, values, family.labelNames);
    return ofAllModels ?? series.get(overflowKey) ?? insert(series, overflowKey, make());
  }

  function noteFolded(names: readonly LabelName[], labels: Labels): void {
    for (const label of names) {
      if ((labels[label] ?? OTHER) !== OTHER && labels[label] !== '') store.counter(LABELS_FOLDED, { label }).add(1);
    }
  }

  function familyOf(spec: MetricSpec, type: MetricSpec['type']): Family {
    const family = families.get(spec.name);
    if (family?.spec !== spec) assert.fail(`metric ${spec.name} is declared to the store`);
    if (spec.type !== type) assert.fail(`metric ${spec.name} is a ${spec.type}`);
    return family;
  }

  const store: MetricStore = {
    startEpochMs: options.startEpochMs,
    counter(spec, labels) {
      const family = familyOf(spec, 'counter');
      return resolve(family, family.counters, labels, newCounter);
    },
    histogram(spec, labels) {
      const family = familyOf(spec, 'histogram');
      return resolve(family, family.histograms, labels, family.newHistogram);
    },
    observe(spec, read) {
      assert(spec.type !== 'histogram', 'only gauges and counters can be observed');
      const family = familyOf(spec, spec.type);
      // What is read elsewhere is not kept here too, or each series would be there twice.
      seriesCount -= family.counters.size;
      family.counters.clear();
      family.reads.push(read);
    },
    know(known) {
      for (const { spec, reads } of families.values()) {
        // What is read elsewhere has its series there.
        if (reads.length > 0) continue;
        for (const labels of startLabelSets(spec, known)) store.counter(spec, labels);
      }
    },
    read: (spec) => snapshot(familyOf(spec, spec.type)),
    collect: () => [...families.values()].map((family) => sorted(snapshot(family))).filter((one) => !isEmpty(one)),
  };
  store.know(options.known);
  return store;
}

/** Looked up for each figure of an exchange, so nothing is made but the key. */
function keyOf(names: readonly LabelName[], labels: Labels): string {
  let key = '';
  for (let index = 0; index < names.length; index += 1) {
    if (index > 0) key += SEPARATOR;
    key += labels[names[index] as LabelName] ?? '';
  }
  return key;
}

/** The key of the series that stands for all values of some labels. */
function foldedKey(names: readonly LabelName[], values: readonly string[], folded: readonly LabelName[]): string {
  return values.map((value, index) => (folded.includes(names[index] as LabelName) ? OTHER : value)).join(SEPARATOR);
}

function newFamilies(specs: readonly MetricSpec[], exponential: boolean): Map<string, Family> {
  const families = new Map<string, Family>();
  for (const spec of specs) {
    assert(!families.has(spec.name), `metric ${spec.name} is declared once`);
    families.set(spec.name, newFamily(spec, exponential));
  }
  return families;
}

function newFamily(spec: MetricSpec, exponential: boolean): Family {
  const labelNames: LabelName[] = spec.classed ? ['class', 'model', ...spec.labels] : [...spec.labels];
  const bounds = boundsOf(spec);
  assert(spec.type !== 'histogram' || bounds.length > 0, `histogram ${spec.name} has bounds`);
  const perUnit = perUnitOf(spec);
  const newHistogram = (): Histogram => new Histogram({ bounds, perUnit, exponential, nowEpochMs: epochMs });
  return { spec, labelNames, newHistogram, counters: new Map(), histograms: new Map(), reads: [] };
}

function snapshot(family: Family): MetricFamily {
  const scalars = [...family.counters].map(([key, counter]) => ({
    labelValues: split(family, key),
    value: counter.value,
  }));
  for (const observation of family.reads.flatMap((read) => [...read()])) {
    const labelValues = family.labelNames.map((name) => observation.labels[name] ?? '');
    scalars.push({ labelValues, value: observation.value });
  }
  const histograms = [...family.histograms].map(([key, histogram]) => ({ labelValues: split(family, key), histogram }));
  return {
    spec: family.spec,
    labelNames: family.labelNames,
    perUnit: perUnitOf(family.spec),
    scalars,
    histograms,
  };
}

function sorted(family: MetricFamily): MetricFamily {
  const { scalars, histograms } = family;
  return { ...family, scalars: scalars.toSorted(byLabelValues), histograms: histograms.toSorted(byLabelValues) };
}

function isEmpty(family: MetricFamily): boolean {
  return family.scalars.length === 0 && family.histograms.length === 0;
}

function split(family: Family, key: string): string[] {
  return family.labelNames.length === 0 ? [] : key.split(SEPARATOR);
}

function byLabelValues(a: { labelValues: readonly string[] }, b: { labelValues: readonly string[] }): number {
  const [left, right] = [a.labelValues.join(SEPARATOR), b.labelValues.join(SEPARATOR)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function insert<Series>(series: Map<string, Series>, key: string, made: Series): Series {
  series.set(key, made);
  return made;
}
