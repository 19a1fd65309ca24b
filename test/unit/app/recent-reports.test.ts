// Goal: the latest reports are kept, bounded in number and in rows, and found by their id.
// Method: reports whose logs are arrays of known length.
import { describe, expect, test } from 'vitest';
import { RecentReports } from '../../../src/app/recent-reports.ts';
import { RECENT_MAX_COUNT, RECENT_ROWS_MAX_COUNT } from '../../../src/base/limits.ts';
import type { Report } from '../../../src/judge/report.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { buildRecord } from '../../support/record-builder.ts';

const PLAIN = buildRecord();
const FIGURES = measureRecord(PLAIN);
const LABELS = { class: 'default', model: 'm', route: 'default', promptBucket: 'unknown' };

/** A report of so many rows; nothing but their number is looked at. */
function reportOf(id: string, chunkCount = 0, eventCount = 0): Report {
  const record = {
    ...PLAIN,
    id,
    chunks: { ...PLAIN.chunks, bytes: Array.from({ length: chunkCount }, () => 1) },
    events: { ...PLAIN.events, chunk: Array.from({ length: eventCount }, () => 0) },
  };
  return { record, figures: FIGURES, labels: LABELS, outputBucket: '0-64' };
}

function idsAfter(...reports: Report[]): string[] {
  const recent = new RecentReports();
  for (const report of reports) recent.onReport(report);
  return recent.list().map(({ record }) => record.id);
}

test('reports are listed oldest first', () => {
  expect(idsAfter()).toEqual([]);
  expect(idsAfter(reportOf('a'), reportOf('b'))).toEqual(['a', 'b']);
});

test('the oldest goes when there are too many', () => {
  const full = Array.from({ length: RECENT_MAX_COUNT }, (_, index) => reportOf(`${index}`));
  expect(idsAfter(...full)).toHaveLength(RECENT_MAX_COUNT);
  const ids = idsAfter(...full, reportOf('new'));
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([RECENT_MAX_COUNT, '1', 'new']);
});

describe('rows', () => {
  const half = RECENT_ROWS_MAX_COUNT / 2;

  test('of chunks and of events count together, up to the cap exactly', () => {
    expect(idsAfter(reportOf('a', half - 1, 1), reportOf('b', 0, half))).toEqual(['a', 'b']);
    expect(idsAfter(reportOf('a', half - 1, 1), reportOf('b', 1, half))).toEqual(['b']);
  });

  test('that are too many let go of as many old reports as it takes', () => {
    expect(idsAfter(reportOf('a', 10), reportOf('b', half), reportOf('c', 10), reportOf('d', half))).toEqual([
      'c',
      'd',
    ]);
  });

  test('of one report alone may be more than the cap: the latest is always there', () => {
    const recent = new RecentReports();
    recent.onReport(reportOf('small'));
    recent.onReport(reportOf('huge', RECENT_ROWS_MAX_COUNT + 1));
    expect(recent.list().map(({ record }) => record.id)).toEqual(['huge']);
    // Its rows are given back when it goes.
    recent.onReport(reportOf('next', 5));
    recent.onReport(reportOf('last', RECENT_ROWS_MAX_COUNT - 5));
    expect(recent.list().map(({ record }) => record.id)).toEqual(['next', 'last']);
  });
});

test('a report is found by its id, the latest of two with the same, and not once it is gone', () => {
  const recent = new RecentReports();
  const [first, second] = [reportOf('a', 1), reportOf('a', 2)];
  recent.onReport(first);
  recent.onReport(second);
  expect([recent.find('a'), recent.find('b'), recent.find('')]).toEqual([second, undefined, undefined]);
  for (let index = 0; index < RECENT_MAX_COUNT; index += 1) recent.onReport(reportOf(`${index}`));
  expect(recent.find('a')).toBeUndefined();
});
