// Goal: series of objectives stay within their cap, and what is beyond it is counted for all models together, never under
// another class or objective. Method: one good exchange for each of 32 classes and 20 models, with 16 objectives each.
import { expect, test } from 'vitest';
import { OBJECTIVES_BY_MODEL_MAX_COUNT } from '../../../src/base/objective-limits.ts';
import { judgeSlo } from '../../../src/judge/slo/judge-slo.ts';
import { SLO_METRICS } from '../../../src/judge/slo/metrics.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { createSloFeed } from '../../../src/telemetry/slo-feed.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { parsePrometheus, sumOf } from '../../support/prometheus.ts';
import { demandRecord, objective, streamOf } from '../judge/slo/records.ts';
import { LABELS } from './reports.ts';

const MODEL_COUNT = 20;
const OBJECTIVES = Array.from({ length: 16 }, (_, each) => objective('ttft', 200 + each, { name: `ttft_${each}` }));
const CLASSES = Array.from({ length: 32 }, (_, each) => `c${each}`).map((name) => ({
  name,
  stallMs: 100,
  rules: [],
  objectives: OBJECTIVES,
}));

test('32 classes, 16 objectives and 20 models keep class and objective, and give up models beyond a cap', () => {
  const store = createMetricStore({
    specs: SLO_METRICS,
    known: { class: CLASSES.map(({ name }) => name) },
    startEpochMs: 0,
  });
  const feed = createSloFeed(store, CLASSES);
  const record = demandRecord({ reads: streamOf(100, [20, 20]) }, OBJECTIVES);
  const figures = measureRecord(record);
  const slo = judgeSlo(record, figures);
  for (const { name } of CLASSES) {
    for (let model = 0; model < MODEL_COUNT; model += 1) {
      const labels = { ...LABELS, class: name, model: `m${model}` };
      feed.onReport?.({ record, figures, labels, outputBucket: '0-64', ...(slo && { slo }) }, undefined);
    }
  }
  const samples = parsePrometheus(renderMetrics(store.collect(), {}, 'text'));
  const series = samples.filter(({ name }) => name === 'rubato_slo_exchanges_total');
  const pairCount = CLASSES.length * OBJECTIVES.length;
  const kept = CLASSES.flatMap(({ name }) =>
    OBJECTIVES.map(({ name: each }) =>
      sumOf(series, 'rubato_slo_exchanges_total', { class: name, objective: each, met: 'true' }),
    ),
  );
  expect(new Set(kept)).toEqual(new Set([MODEL_COUNT]));
  expect(series.length).toBeLessThanOrEqual((pairCount + OBJECTIVES_BY_MODEL_MAX_COUNT) * 3);
  expect(sumOf(samples, 'rubato_self_labels_folded_total', { label: 'model' })).toBe(
    pairCount * MODEL_COUNT - OBJECTIVES_BY_MODEL_MAX_COUNT,
  );
});
