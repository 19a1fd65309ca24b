// Goal: the exchange at a percentile is the very one whose TTFT the percentile is, its parts sum to it, and what is not
// known of queue and prefill is counted as unknown. Method: reports with known splits, told to the summary.
import { expect, test } from 'vitest';
import { SUMMARY_EXCHANGES_MAX_COUNT } from '../../../src/base/limits.ts';
import type { Report } from '../../../src/judge/report.ts';
import type { Split } from '../../../src/measure/figures.ts';
import { createSummary } from '../../../src/telemetry/summary.ts';
import { ms } from '../../support/record-builder.ts';
import { reportOf, usualStream } from './reports.ts';

const USUAL = reportOf(usualStream(3));

function split(engineNs: number, known: Partial<Split> = {}): Split {
  return {
    basis: 'none',
    networkNs: 1_000,
    network: { uploadNs: 0, connectNs: 0, clientNs: 1_000 },
    rubatoNs: 500,
    rubato: { forwardNs: 300, holdNs: 200 },
    engineNs,
    rounded: false,
    contradicted: false,
    ...known,
  };
}

/** An exchange whose first token came after so many ms. */
function report(id: string, ttftMs: number, known: Partial<Split> = {}): Report {
  const engineNs = ms(ttftMs) - 1_500 - (known.queueNs ?? 0) - (known.prefillNs ?? 0);
  const figures = { ...USUAL.figures, ttftNs: ms(ttftMs), split: split(engineNs, known) };
  return { ...USUAL, record: { ...USUAL.record, id }, figures };
}

function summaryOf(reports: readonly Report[]) {
  const summary = createSummary();
  for (const each of reports) summary.onReport?.(each, undefined);
  return summary.read().classes[0];
}

const sum = (parts: readonly { readonly partNs: number }[] = []): number =>
  parts.reduce((all, { partNs }) => all + partNs, 0);

test('each percentile is one exchange, and as far in as there are enough of them', () => {
  const few = summaryOf(Array.from({ length: 19 }, (_, index) => report(`e${index}`, 100 + index)));
  expect(Object.keys(few?.ttftAt ?? {})).toEqual(['p50']);
  const row = summaryOf(Array.from({ length: 100 }, (_, index) => report(`e${index}`, 1_000 - index)));
  const { p50, p95, p99 } = row?.ttftAt ?? {};
  expect([p50?.id, p95?.id, p99?.id]).toEqual(['e50', 'e5', 'e1']);
  expect([p50?.ttftNs, p95?.ttftNs, p99?.ttftNs]).toEqual([row?.ttft?.p50Ns, row?.ttft?.p95Ns, row?.ttft?.p99Ns]);
  for (const one of [p50, p95, p99]) expect(sum(one?.parts)).toBe(one?.ttftNs);
});

test('a part and its basis are there when it is known, and never 0 in its place', () => {
  const exact = summaryOf([report('a', 100, { basis: 'exact', queueNs: ms(20), prefillNs: ms(50) })])?.ttftAt?.p50;
  expect(exact).toMatchObject({ queueBasis: 'exact', prefillBasis: 'exact' });
  expect(exact?.parts.map(({ part }) => part)).toEqual(['queue', 'prefill', 'network', 'rubato', 'engine']);
  const half = summaryOf([report('b', 100, { basis: 'model', prefillNs: ms(50) })])?.ttftAt?.p50;
  expect(half).toMatchObject({ prefillBasis: 'model' });
  expect(half).not.toHaveProperty('queueBasis');
  const none = summaryOf([report('c', 100)])?.ttftAt?.p50;
  expect(none?.parts.map(({ part }) => part)).toEqual(['network', 'rubato', 'engine']);
  expect(none).not.toHaveProperty('prefillBasis');
});

test('bases are counted for queue and for prefill by themselves', () => {
  const row = summaryOf([
    report('a', 100, { basis: 'exact', queueNs: ms(1), prefillNs: ms(50) }),
    report('b', 100, { basis: 'exact', prefillNs: ms(50) }),
    report('c', 100, { basis: 'model', queueNs: ms(1), prefillNs: ms(50) }),
    report('d', 100),
    // Without a first token there is nothing to know.
    reportOf({ wire: 'client_abort', reads: [] }),
  ]);
  expect(row?.basisCounts).toEqual({
    queue: { exact: 1, model: 1, unknown: 2 },
    prefill: { exact: 2, model: 1, unknown: 1 },
  });
  expect(summaryOf([reportOf({ wire: 'client_abort', reads: [] })])).not.toHaveProperty('basisCounts');
});

test('the oldest make room, as they do for the percentiles themselves', () => {
  const early = Array.from({ length: 10 }, (_, index) => report(`old${index}`, 9_000));
  const late = Array.from({ length: SUMMARY_EXCHANGES_MAX_COUNT }, (_, index) => report(`e${index}`, 100));
  const row = summaryOf([...early, ...late]);
  expect(row?.ttftAt?.p99?.ttftNs).toBe(row?.ttft?.p99Ns);
  expect(row?.basisCounts?.queue.unknown).toBe(SUMMARY_EXCHANGES_MAX_COUNT);
});
