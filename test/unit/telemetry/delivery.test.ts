// Goal: what one point says of delivery is told alike by metric, span and list. Method: one report in, compare.
import { expect, test } from 'vitest';
import { DELIVERY } from '../../../src/judge/delivery/metric.ts';
import { judgeDelivery } from '../../../src/judge/delivery/rules.ts';
import type { Report } from '../../../src/judge/report.ts';
import { merged } from '../../../src/telemetry/attribute-parts.ts';
import { recentRow } from '../../../src/telemetry/admin-rows.ts';
import { createDeliveryFeed } from '../../../src/telemetry/delivery-feed.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { serverAttributes } from '../../../src/telemetry/span-attributes.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { parsePrometheus } from '../../support/prometheus.ts';
import { reportOf, usualStream } from './reports.ts';

function judged(report: Report): Report {
  const delivery = judgeDelivery(report.record);
  return delivery === undefined ? report : { ...report, delivery };
}

test('a stream is counted once, by route, verdict and way; an answer without text is not', () => {
  const store = createMetricStore({ specs: [DELIVERY], known: { route: ['default'] }, startEpochMs: 0 });
  const feed = createDeliveryFeed(store);
  feed.onReport?.(judged(reportOf(usualStream(100))), undefined);
  feed.onReport?.(reportOf({}), undefined);
  const samples = parsePrometheus(renderMetrics(store.collect(), {}, 'text'));
  const counted = samples.filter(({ name, value }) => name === 'rubato_delivery_total' && value !== 0);
  expect(counted).toMatchObject([{ labels: { route: 'default', verdict: 'passes', way: 'none' }, value: 1 }]);
});

test('span and list say the word, the way and how sure it is', () => {
  const report = {
    ...reportOf(usualStream(100)),
    delivery: { word: 'holds', way: 'size', confidence: 0.98, signs: [], numbers: {} },
  } as const;
  expect(merged(serverAttributes(report))).toMatchObject({
    'rubato.delivery.verdict': 'holds',
    'rubato.delivery.way': 'size',
    'rubato.delivery.confidence': 0.98,
  });
  const { record } = report;
  expect(recentRow({ id: record.id, outcome: 'ok', wireEnd: 'complete', report }).delivery).toBe('holds size');
});

test('without a verdict nothing is said', () => {
  const report = reportOf({});
  expect(Object.keys(merged(serverAttributes(report))).filter((name) => name.startsWith('rubato.delivery'))).toEqual(
    [],
  );
  expect(recentRow({ id: 'x', outcome: 'ok', wireEnd: 'complete', report })).not.toHaveProperty('delivery');
});
