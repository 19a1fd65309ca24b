// Goal: the summary is of the recent exchanges, by nearest rank, and absent where nothing is known.
// Method: reports with known lengths.
import { expect, it } from 'vitest';
import { SUMMARY_GAPS_MAX_COUNT } from '../../../src/base/limits.ts';
import { RecentValues } from '../../../src/telemetry/recent-values.ts';
import { createSummary } from '../../../src/telemetry/summary.ts';
import { ms, read, texts } from '../../support/record-builder.ts';
import { LABELS, reportOf, tell, TRACE, usualStream } from './reports.ts';

it('has a row a class with outcomes, spreads and parts', () => {
  const summary = createSummary();
  for (const count of [10, 20, 30]) tell(summary, reportOf(usualStream(count), {}, { class: 'interactive' }));
  tell(summary, reportOf({ wire: 'client_abort', reads: [read(5, 'role')] }, {}, { class: 'batch' }));
  const [batch, interactive] = summary.read().classes;
  expect(batch).toEqual({
    class: 'batch',
    exchangeCount: 1,
    outcomeCounts: { client_abort: 1 },
    gapCount: 0,
    stallCount: 0,
    ttftParts: {},
    duration: expect.objectContaining({ count: 1 }),
    promptBuckets: { unknown: {} },
    objectives: [],
    warnings: [],
  });
  expect(interactive).toMatchObject({
    class: 'interactive',
    exchangeCount: 3,
    outcomeCounts: { ok: 3 },
    gapCount: 9 + 19 + 29,
    ttft: { count: 3, minNs: ms(100) + 25_000, p50Ns: ms(100) + 25_000 },
    gap: { count: 57, p50Ns: ms(20), p95Ns: ms(20), maxNs: ms(20) },
    ttftParts: { engine: { count: 3, p50Ns: ms(100) } },
  });
  expect(interactive?.gap).not.toHaveProperty('p99Ns');
  expect(interactive?.ttft).not.toHaveProperty('p95Ns');
});

it('points to the stream with the worst gap', () => {
  const summary = createSummary();
  tell(summary, reportOf({ reads: [...texts(1, 1, 3), read(500, 'text')] }, { id: '0-7', trace: TRACE }));
  tell(summary, reportOf(usualStream(5), { id: '0-8' }));
  expect(summary.read().classes[0]).toMatchObject({
    stallCount: 1,
    worst: { id: '0-7', gapMaxNs: ms(497), traceId: TRACE.traceId },
  });
});

it('forgets gaps beyond its bound, oldest first', () => {
  const summary = createSummary();
  summary.onGap?.(LABELS, 'received', 1_000_000_000, false, undefined);
  for (let index = 0; index < SUMMARY_GAPS_MAX_COUNT; index += 1)
    summary.onGap?.(LABELS, 'received', 5, false, undefined);
  expect(summary.read().classes[0]).toMatchObject({ gapCount: SUMMARY_GAPS_MAX_COUNT + 1, gap: { maxNs: 5 } });
});

it('percentiles are values that occurred', () => {
  const values = new RecentValues(1_000);
  expect(values.spread()).toBeUndefined();
  values.add(undefined);
  for (let value = 100; value >= 1; value -= 1) values.add(value);
  expect(values.spread()).toEqual({ count: 100, minNs: 1, p50Ns: 50, p95Ns: 95, p99Ns: 99, maxNs: 100 });
});
