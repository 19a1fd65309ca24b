// Hands the store to the OpenTelemetry reader as a MetricProducer: the same integers as `/metrics`
// shows, divided at the same place. Always cumulative since the start of the process.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type ExponentialHistogram,
  type Histogram as ExplicitHistogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { epochMs } from '../base/clock.ts';
import { inSlices } from '../base/in-slices.ts';
import { EXPONENTIAL_FIRST_INDEX, EXPONENTIAL_SCALE, type Histogram } from './histogram.ts';
import { hrTimeOf } from './span-time.ts';
import type { MetricFamily, MetricStore } from './store.ts';

export const SCOPE_NAME = 'rubato';

export interface ProducerOptions {
  /** Send the exponential buckets instead of the explicit ones; the store must keep them. */
  readonly exponential: boolean;
}

export function createMetricProducer(store: MetricStore, options: ProducerOptions): MetricProducer {
  return {
    async collect() {
      const times = { startTime: hrTimeOf(store.startEpochMs, 0), endTime: hrTimeOf(epochMs(), 0) };
      const metrics: MetricData[] = [];
      await inSlices(store.collect(), (family) => metrics.push(metricData(family, times, options)));
      // What follows at once puts them into bytes, and that is a turn's work by itself.
      await nextTurn();
      // The reader keeps the resource of its own provider and takes the scopes only.
      const scopeMetrics = [{ scope: { name: SCOPE_NAME }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function metricData(family: MetricFamily, times: Times, options: ProducerOptions): MetricData {
  const { spec, perUnit } = family;
  const valueType = perUnit === 1 && spec.type !== 'histogram' ? ValueType.INT : ValueType.DOUBLE;
  const common = {
    descriptor: { name: spec.name, description: spec.help, unit: spec.unit, valueType },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const scalarPoints = () =>
    family.scalars.map(({ labelValues, value }) => ({
      ...times,
      attributes: attributesOf(family, labelValues),
      value: value / perUnit,
    }));
  if (spec.type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: scalarPoints() };
  if (spec.type === 'counter') {
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: scalarPoints() };
  }
  const points = <Value>(read: (histogram: Histogram) => Value) =>
    family.histograms.map(({ labelValues, histogram }) => ({
      ...times,
      attributes: attributesOf(family, labelValues),
      value: read(histogram),
    }));
  if (options.exponential) {
    const dataPoints = points((histogram) => exponentialOf(histogram, perUnit));
    return { ...common, dataPointType: DataPointType.EXPONENTIAL_HISTOGRAM, dataPoints };
  }
  return {
    ...common,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: points((histogram) => explicitOf(histogram, perUnit)),
  };
}

function attributesOf(family: MetricFamily, labelValues: readonly string[]): Attributes {
  const attributes: Attributes = {};
  for (const [index, name] of family.labelNames.entries()) {
    const value = labelValues[index];
    if (value !== undefined && value !== '') attributes[name] = value;
  }
  return attributes;
}

function explicitOf(histogram: Histogram, perUnit: number): ExplicitHistogram {
  const boundaries = histogram.bounds.map((bound) => bound / perUnit);
  return { ...statisticsOf(histogram, perUnit), buckets: { boundaries, counts: [...histogram.counts] } };
}

/** Sparse on the wire: only the buckets from the first to the last that hold something. */
function exponentialOf(histogram: Histogram, perUnit: number): ExponentialHistogram {
  const counts = [...(histogram.exponentialCounts ?? [])];
  const first = Math.max(
    counts.findIndex((count) => count > 0),
    0,
  );
  const last = counts.findLastIndex((count) => count > 0);
  return {
    ...statisticsOf(histogram, perUnit),
    scale: EXPONENTIAL_SCALE,
    zeroCount: histogram.zeroCount,
    positive: { offset: EXPONENTIAL_FIRST_INDEX + first, bucketCounts: counts.slice(first, last + 1) },
    negative: { offset: 0, bucketCounts: [] },
  };
}

function statisticsOf(
  histogram: Histogram,
  perUnit: number,
): { sum: number; count: number; min?: number; max?: number } {
  const { count, sumInUnits: sum } = histogram;
  if (count === histogram.neverCount) return { sum, count };
  const min = histogram.min / perUnit;
  // What never came is longer than the longest that did.
  return histogram.neverCount > 0 ? { sum, count, min } : { sum, count, min, max: histogram.max / perUnit };
}
