// Goal: verdicts become counters whose numerators and denominators are both there, failures stay in the series of
// demand as what never came, and the summary says what was kept since the start and lately. Method: reports with known
// verdicts, and a clock that is told.
import { describe, expect, it, test } from 'vitest';
import { GOODPUT_WINDOW_MS } from '../../../src/base/objective-limits.ts';
import type { Report } from '../../../src/judge/report.ts';
import { judgeSlo } from '../../../src/judge/slo/judge-slo.ts';
import { DEMAND_TTFT, SLO_METRICS } from '../../../src/judge/slo/metrics.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import type { Objective } from '../../../src/record/objective.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { merged } from '../../../src/telemetry/attribute-parts.ts';
import { recentRow } from '../../../src/telemetry/admin-rows.ts';
import { createMetricProducer } from '../../../src/telemetry/otlp-metrics.ts';
import { PromptMemory } from '../../../src/telemetry/prompt-memory.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { serverAttributes } from '../../../src/telemetry/span-attributes.ts';
import { isKept } from '../../../src/telemetry/span-details.ts';
import { createSloFeed } from '../../../src/telemetry/slo-feed.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { createSummary } from '../../../src/telemetry/summary.ts';
import { parsePrometheus, sumOf, type Sample } from '../../support/prometheus.ts';
import { ms, type RecordSpec } from '../../support/record-builder.ts';
import { demandRecord, objective, streamOf } from '../judge/slo/records.ts';
import { LABELS } from './reports.ts';

const PROMISED: readonly Objective[] = [
  objective('ttft', 200),
  objective('gap_pooled', 30, { name: 'gap_pooled_p95', percent: 95 }),
  objective('tpot', 30),
];
const GAPS = [20, 20, 20, 20];
const GOOD: RecordSpec = { reads: streamOf(100, GAPS), tokens: { output: 5, basis: 'usage' } };
const SLOW: RecordSpec = { ...GOOD, reads: streamOf(300, GAPS) };
const UNCOUNTED: RecordSpec = { reads: streamOf(100, GAPS) };
const SHED: RecordSpec = { wire: 'shed', status: null };

function reportOf(spec: RecordSpec, objectives = PROMISED, changes: Partial<StreamRecord> = {}): Report {
  const record = demandRecord(spec, objectives, changes);
  const figures = measureRecord(record);
  const slo = judgeSlo(record, figures);
  return { record, figures, labels: LABELS, outputBucket: '0-64', ...(slo && { slo }) };
}

function setUp(exponential = false) {
  const store = createMetricStore({
    specs: SLO_METRICS,
    known: { class: ['default'] },
    startEpochMs: 1_796_000_000_000,
    exponential,
  });
  const feed = createSloFeed(store, [{ name: 'default', stallMs: 100, rules: [], objectives: PROMISED }]);
  const samples = (): Sample[] => parsePrometheus(renderMetrics(store.collect(), {}, 'text'));
  return { store, feed, samples, count: (name: string, labels = {}) => sumOf(samples(), name, labels) };
}

describe('the feed', () => {
  it('has every configured objective at 0 from the start', () => {
    const { count } = setUp();
    for (const met of ['true', 'false', 'unknown']) {
      expect(count('rubato_slo_exchanges_total', { class: 'default', objective: 'ttft', met })).toBe(0);
      expect(count('rubato_slo_gaps_total', { class: 'default', objective: 'gap_pooled_p95', met })).toBe(0);
    }
    expect(count('rubato_slo_exchanges_total', { objective: 'gap_pooled_p95' })).toBeUndefined();
    expect(count('rubato_demand_exchanges_total', { class: 'default' })).toBe(0);
  });

  it('counts what was kept, with both sides of each share', () => {
    const { feed, count } = setUp();
    for (const spec of [GOOD, GOOD, SLOW, UNCOUNTED, SHED]) feed.onReport?.(reportOf(spec), undefined);
    const slo = (name: string, met: string) => count('rubato_slo_exchanges_total', { objective: name, met });
    expect([slo('ttft', 'true'), slo('ttft', 'false'), slo('ttft', 'unknown')]).toEqual([3, 2, 0]);
    expect([slo('tpot', 'true'), slo('tpot', 'false'), slo('tpot', 'unknown')]).toEqual([3, 1, 1]);
    expect(count('rubato_slo_gaps_total', { objective: 'gap_pooled_p95', met: 'true' })).toBe(16);
    expect(count('rubato_demand_exchanges_total')).toBe(5);
    expect(count('rubato_good_exchanges_total')).toBe(2);
    expect(count('rubato_good_unknown_total')).toBe(1);
    expect(count('rubato_demand_tokens_total')).toBe(15);
    expect(count('rubato_good_tokens_total')).toBe(10);
  });

  it('counts neither what is no demand nor what nobody promised anything, but keeps the latter in demand series', () => {
    const { feed, count } = setUp();
    feed.onReport?.(reportOf(GOOD, PROMISED, { retryOf: { sign: 'body', attempt: 2 } }), undefined);
    feed.onReport?.(reportOf(GOOD, []), undefined);
    expect(count('rubato_demand_exchanges_total')).toBe(0);
    expect(count('rubato_demand_ttft_seconds_count')).toBe(1);
  });

  it('keeps what failed above the last bound, out of the sum', () => {
    const { feed, count } = setUp();
    for (const spec of [GOOD, SHED, SHED]) feed.onReport?.(reportOf(spec), undefined);
    expect(count('rubato_demand_ttft_seconds_count')).toBe(3);
    expect(count('rubato_demand_ttft_seconds_bucket', { le: '600' })).toBe(1);
    expect(count('rubato_demand_ttft_seconds_bucket', { le: '+Inf' })).toBe(3);
    expect(count('rubato_demand_ttft_seconds_sum')).toBe(0.1);
    expect(count('rubato_demand_gap_max_seconds_bucket', { le: '120' })).toBe(1);
    expect(count('rubato_demand_gap_max_seconds_count')).toBe(3);
  });

  it.each([false, true])(
    'says the same by OTLP, exponential: %s, and no largest where one never came',
    async (exponential) => {
      const { feed, store } = setUp(exponential);
      for (const spec of [GOOD, SHED]) feed.onReport?.(reportOf(spec), undefined);
      feed.onReport?.({ ...reportOf(SHED), labels: { ...LABELS, model: 'n' } }, undefined);
      const { resourceMetrics } = await createMetricProducer(store, { exponential }).collect();
      const metrics = resourceMetrics.scopeMetrics.flatMap(({ metrics: each }) => each);
      const points = metrics.find(({ descriptor }) => descriptor.name === DEMAND_TTFT.name)?.dataPoints;
      expect(points?.map(({ value }) => value)).toEqual([
        expect.objectContaining({ count: 2, sum: 0.1, min: 0.1 }),
        expect.objectContaining({ count: 1, sum: 0 }),
      ]);
      for (const point of points ?? []) expect(point.value).not.toHaveProperty('max');
    },
  );
});

describe('the summary', () => {
  it('has attainment, target and budget of each objective, and goodput, since the start and lately', () => {
    let nowMs = 1_000_000;
    const summary = createSummary(() => nowMs);
    for (const spec of [GOOD, GOOD, SLOW]) summary.onReport?.(reportOf(spec), undefined);
    nowMs += GOODPUT_WINDOW_MS;
    for (const spec of [GOOD, UNCOUNTED]) summary.onReport?.(reportOf(spec), undefined);
    nowMs += 10_000;
    const [row] = summary.read().classes;
    expect(row?.objectives).toMatchObject([
      {
        objective: 'ttft',
        limitNs: ms(200),
        targetRatio: 0.95,
        of: 'exchanges',
        sinceStart: { metCount: 4, missedCount: 1, unknownCount: 0, metRatio: 0.8, budgetLeftRatio: -3 },
        window: { metCount: 2, missedCount: 0, unknownCount: 0, metRatio: 1, budgetLeftRatio: 1 },
      },
      { objective: 'gap_pooled_p95', of: 'gaps', sinceStart: { metCount: 20, missedCount: 0, metRatio: 1 } },
      { objective: 'tpot', sinceStart: { metCount: 4, unknownCount: 1 } },
    ]);
    expect(row?.goodput?.sinceStart).toEqual({
      demandExchangeCount: 5,
      goodExchangeCount: 3,
      unknownExchangeCount: 1,
      demandTokenCount: 20,
      goodTokenCount: 15,
    });
    expect(row?.goodput?.window).toMatchObject({
      demandExchangeCount: 2,
      goodExchangeCount: 1,
      goodTokenCount: 5,
      lengthMs: 290_000,
      goodExchangesPerSecond: 0.003448,
      goodTokensPerSecond: 0.017241,
    });
  });

  it('takes no longer for its window than there was a class', () => {
    let nowMs = 5_000;
    const summary = createSummary(() => nowMs);
    summary.onReport?.(reportOf(GOOD), undefined);
    nowMs += 2_000;
    expect(summary.read().classes[0]?.goodput?.window).toMatchObject({ lengthMs: 2_000, goodExchangesPerSecond: 0.5 });
  });

  it('counts an objective that was changed anew, beside what it was', () => {
    const summary = createSummary(() => 0);
    summary.onReport?.(reportOf(GOOD, [objective('ttft', 200)]), undefined);
    summary.onReport?.(reportOf(GOOD, [objective('ttft', 50)]), undefined);
    const told = summary.read().classes[0]?.objectives.map(({ limitNs, sinceStart }) => [limitNs, sinceStart.metCount]);
    expect(told).toEqual([
      [ms(200), 1],
      [ms(50), 0],
    ]);
  });

  it('says nothing of objectives where nothing was promised', () => {
    const summary = createSummary(() => 0);
    summary.onReport?.(reportOf(GOOD, []), undefined);
    const [row] = summary.read().classes;
    expect(row?.objectives).toEqual([]);
    expect(row).not.toHaveProperty('goodput');
  });

  it('has percentiles by prompt bucket, and of all demand, where what failed never came', () => {
    const summary = createSummary(() => 0);
    const tell = (spec: RecordSpec, promptBucket: string): void => {
      summary.onGap?.({ ...LABELS, promptBucket }, 'received', ms(20), false, undefined);
      summary.onReport?.({ ...reportOf(spec), labels: { ...LABELS, promptBucket } }, undefined);
    };
    for (let index = 0; index < 60; index += 1) tell(GOOD, '0-256');
    for (let index = 0; index < 40; index += 1) tell(index < 4 ? SHED : SLOW, '256-1k');
    const [row] = summary.read().classes;
    expect(row).toMatchObject({
      ttft: { count: 96, p50Ns: ms(100), p95Ns: ms(300) },
      ttftOfDemand: { count: 100, neverCount: 4, p50Ns: ms(100), p95Ns: ms(300), p99Ns: 'never' },
    });
    expect(row?.promptBuckets).toMatchObject({
      '0-256': { ttft: { count: 60, p95Ns: ms(100) }, ttftOfDemand: { count: 60, neverCount: 0 }, gap: { count: 60 } },
      '256-1k': { ttft: { count: 36, p50Ns: ms(300) }, gapP50: { count: 36, p50Ns: ms(20) }, gapMax: { count: 36 } },
    });
  });
});

test('memories of prompts are bounded', () => {
  const memory = new PromptMemory({ exchangeCount: 3, gapCount: 5 });
  for (let index = 0; index < 10; index += 1) {
    memory.addGap(index);
    memory.addReport(reportOf(GOOD));
  }
  expect(memory.read()).toMatchObject({ ttft: { count: 3 }, ttftOfDemand: { count: 3 }, gap: { count: 5, minNs: 5 } });
});

test('a row of the list of exchanges says whether it was good, and what was missed', () => {
  const rowOf = (spec: RecordSpec, objectives = PROMISED) => {
    const report = reportOf(spec, objectives);
    const { outcome, wire } = report.record.end;
    return recentRow({ id: report.record.id, outcome, wireEnd: wire, report });
  };
  expect(rowOf(SLOW)).toMatchObject({ good: 'false', missed: ['ttft'] });
  expect(rowOf(GOOD).good).toBe('true');
  expect(rowOf(GOOD)).not.toHaveProperty('missed');
  expect(rowOf(GOOD, [])).not.toHaveProperty('good');
});

test('spans name what was missed and what cannot be judged, and such exchanges keep their chunks', () => {
  const slow = reportOf({ ...SLOW, tokens: {}, request: { asked: { unreadable: ['gap'] } } });
  expect(merged(serverAttributes(slow))).toMatchObject({
    'rubato.slo.good': 'false',
    'rubato.slo.missed': ['ttft'],
    'rubato.slo.unknown': ['tpot'],
    'rubato.slo.asked_unreadable': ['gap'],
  });
  const good = merged(serverAttributes(reportOf(GOOD)));
  expect(good['rubato.slo.good']).toBe('true');
  expect(good).not.toHaveProperty('rubato.slo.missed');
  expect(merged(serverAttributes(reportOf(GOOD, [])))).not.toHaveProperty('rubato.slo.good');
  expect([isKept(reportOf(SLOW), ms(10_000)), isKept(reportOf(GOOD), ms(10_000))]).toEqual([true, false]);
});
