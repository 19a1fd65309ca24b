// Goal: what a report gathers is what is in the records, in bounded memory: each gap in its column however long the
// time, the worst exchanges and no others, stalls by who made them, and nothing twice. Method: built records with known
// gaps, exact counts.
import { describe, expect, test } from 'vitest';
import { CauseRows } from '../../../../src/app/record-report/cause-rows.ts';
import { ReportCollector } from '../../../../src/app/record-report/collector.ts';
import { RecordedColumns } from '../../../../src/app/record-report/gap-columns.ts';
import { ProcessRuns } from '../../../../src/app/record-report/process-runs.ts';
import { reportOfLine } from '../../../../src/app/record-report/report-of-line.ts';
import { thinRecord } from '../../../../src/app/record-report/thin-record.ts';
import { WorstExchanges } from '../../../../src/app/record-report/worst-exchanges.ts';
import type { Report } from '../../../../src/judge/report.ts';
import { measureRecord } from '../../../../src/measure/measure-record.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { buildRecord, ms, read, type RecordSpec, texts } from '../../../support/record-builder.ts';

const AT = 1_796_000_000_000;

function lineOf(record: StreamRecord): string {
  return JSON.stringify({ record, figures: measureRecord(record) });
}

function reportOf(spec: RecordSpec, changes: Partial<StreamRecord> = {}): Report {
  const found = reportOfLine(lineOf({ ...buildRecord(spec), ...changes }));
  if (found.kind !== 'report') throw new Error(JSON.stringify(found));
  return found.report;
}

/** A stream whose longest gap is as given. */
function gapping(gapMs: number, id: string, ttftMs = 100): Report {
  const reads = [read(ttftMs, 'text'), read(ttftMs + 20, 'text'), read(ttftMs + 20 + gapMs, 'text finish')];
  return reportOf({ reads }, { id });
}

describe('columns over the recorded time', () => {
  const edgesNs = [ms(10), ms(100)];

  test('hold each gap at the time of its end, bounds included', () => {
    const columns = new RecordedColumns(edgesNs, 600);
    columns.add('a', AT + 999, ms(10));
    columns.add('a', AT + 1_000, ms(10) + 1);
    columns.add('b', AT + 1_000, ms(101));
    expect(columns.read()).toEqual([
      { atEpochMs: AT, counts: { a: [1, 0, 0] } },
      { atEpochMs: AT + 1_000, counts: { a: [0, 1, 0], b: [0, 0, 1] } },
    ]);
  });

  test('grow wider as the time grows longer, in either direction, and lose nothing', () => {
    const columns = new RecordedColumns(edgesNs, 4);
    for (const atMs of [0, 1_000, 2_000, 3_000, 40_000, -25_000]) columns.add('a', AT + atMs, ms(5));
    const read4 = columns.read();
    expect(columns.columnMs).toBe(32_000);
    expect(read4.length).toBeLessThanOrEqual(4);
    expect(read4.reduce((sum, { counts }) => sum + (counts['a']?.[0] ?? 0), 0)).toBe(6);
    for (const { atEpochMs } of read4) expect(atEpochMs % 32_000).toBe(0);
  });

  test('stay few where a file spans years', () => {
    const columns = new RecordedColumns(edgesNs);
    columns.add('a', 0, ms(5));
    columns.add('a', AT, ms(5));
    expect(columns.read()).toHaveLength(2);
    expect(AT / columns.columnMs).toBeLessThanOrEqual(600);
  });
});

describe('the worst exchanges', () => {
  test('are half by gap and half by time to first token, each once', () => {
    const worst = new WorstExchanges(3);
    const all = [gapping(500, 'gap', 10), gapping(30, 'ttft', 900), gapping(400, 'both', 800), gapping(40, 'well', 20)];
    for (const report of all) worst.add(report);
    expect(worst.read().map(({ report }) => report.record.id)).toEqual(['gap', 'ttft', 'both']);
  });

  test('are none where none are asked for, and none without figures', () => {
    const none = new WorstExchanges(0);
    none.add(gapping(500, 'gap'));
    expect(none.read()).toEqual([]);
    const few = new WorstExchanges(2);
    few.add(reportOf({ status: null, wire: 'connect_error' }));
    expect(few.read()).toEqual([]);
  });
});

describe('an exchange with very many chunks', () => {
  const spec: RecordSpec = {
    reads: [read(50, 'role'), ...texts(100, 1, 5_000), read(6_000, 'text'), read(6_001, 'finish'), read(6_002, 'done')],
  };

  test('keeps its bytes, its ends, its stalls and the bounds of its tokens', () => {
    const record = buildRecord(spec);
    const { stalls } = measureRecord(record);
    expect(stalls).toHaveLength(1);
    const thin = thinRecord(record, stalls, 100);
    const sum = (column: readonly number[]): number => column.reduce((total, each) => total + each, 0);
    expect(thin.chunks.bytes.length).toBeLessThanOrEqual(104);
    expect(sum(thin.chunks.bytes)).toBe(sum(record.chunks.bytes));
    expect([thin.chunks.receivedAtNs[0], thin.chunks.receivedAtNs.at(-1)]).toEqual([ms(50), ms(6_002)]);
    expect(thin.chunks.receivedAtNs).toContain(ms(5_099));
    expect(thin.events.chunk.map((row) => thin.chunks.receivedAtNs[row])).toEqual([ms(100), ms(6_000)]);
  });

  test('is left as it is where it fits', () => {
    const record = buildRecord(spec);
    expect(thinRecord(record, [], record.chunks.bytes.length)).toBe(record);
  });
});

describe('stalls by who made them', () => {
  const host = { gapNs: ms(300), chunk: 3, cause: 'host', confidence: 0.9, signs: [], numbers: {} } as const;

  test('are counted by class and cause, with the longest and whose it is', () => {
    const rows = new CauseRows();
    rows.add({ ...gapping(300, 'x'), stalls: [host] });
    rows.add({ ...gapping(500, 'y'), stalls: [{ ...host, gapNs: ms(500) }] });
    rows.add({ ...gapping(400, 'z'), stalls: [{ ...host, gapNs: ms(400) }] });
    expect(rows.read()).toEqual([
      { class: 'default', cause: 'host', count: 3, sumNs: ms(1_200), maxNs: ms(500), worstId: 'y' },
    ]);
  });

  test('that no record tells of are unknown, and no length is made up for them', () => {
    const rows = new CauseRows();
    rows.add(gapping(300, 'x'));
    expect(rows.read()).toEqual([{ class: 'default', cause: 'unknown', count: 1, sumNs: 0 }]);
  });
});

describe('ids of exchanges', () => {
  const record = (id: string, openedAtMs: number) => ({ ...buildRecord(), id, openedAtEpochMs: AT + openedAtMs });
  const idsOf = (records: readonly StreamRecord[]): string[] => {
    const runs = new ProcessRuns();
    return records.map((each) => runs.take(each).id);
  };

  test('stay as they are within one process, in whatever order its exchanges ended', () => {
    const ids = ['0.0-2', '0.0-1', '1.0-1', '0.0-a'];
    expect(idsOf([record('0.0-2', 20), record('0.0-1', 10), record('1.0-1', 5), record('0.0-a', 90)])).toEqual(ids);
  });

  test('stay as they are where wall time was set back a little', () => {
    expect(idsOf([record('0.0-1', 500), record('0.0-2', 300)])).toEqual(['0.0-1', '0.0-2']);
  });

  test('of a process that was started again are told apart', () => {
    const again = [record('0.0-5', 50), record('0.0-0', 900), record('0.0-1', 901), record('0.0-5', 950)];
    expect(idsOf(again)).toEqual(['0.0-5', '0.0-0~2', '0.0-1~2', '0.0-5~2']);
    expect(idsOf([record('0.0-5', 50), record('0.0-5', 60)])).toEqual(['0.0-5', '0.0-5~2']);
    expect(idsOf([record('0.0-5', 500), record('0.0-6', 299)])).toEqual(['0.0-5', '0.0-6~2']);
  });
});

describe('the whole', () => {
  test('counts each gap and exchange once: what was seen before a hop is in no class', () => {
    const collector = new ReportCollector(5);
    collector.add(reportOf({ reads: texts(100, 20, 11) }, { id: '0-1', openedAtEpochMs: AT }));
    collector.add(reportOf({ reads: texts(100, 20, 11) }, { id: '0-2', edge: 'gateway', openedAtEpochMs: AT + 1 }));
    const data = collector.read([]);
    expect([data.exchangeCount, data.edgeCount]).toEqual([2, 1]);
    expect(data.classes.map(({ exchangeCount, gapCount }) => [exchangeCount, gapCount])).toEqual([[1, 10]]);
    const inColumns = data.columns
      .flatMap(({ counts }) => counts['default'] ?? [])
      .reduce((sum, each) => sum + each, 0);
    expect(inColumns).toBe(10);
    expect(data.histograms.map(({ count }) => count)).toEqual([10]);
    expect(data.about.stallMs).toEqual({ default: 100 });
    expect(data.worst).toHaveLength(2);
    expect([data.fromEpochMs, data.toEpochMs > AT]).toEqual([AT, true]);
  });
});

describe('a line', () => {
  test('gives the report that it was, and nothing else that stands in it', () => {
    const record = buildRecord({ reads: texts(100, 20, 5) });
    const text = JSON.stringify({
      record: { ...record, prompt: 'secret' },
      figures: { ttftNs: 1 },
      text: { prompt: 'secret', answer: 'secret' },
    });
    const found = reportOfLine(text);
    if (found.kind !== 'report') throw new Error(found.kind);
    expect(JSON.stringify(found.report)).not.toContain('secret');
    expect(found.report.figures).toEqual(measureRecord(record));
    expect(found.report.record).toEqual(record);
  });

  test('that is no record says why', () => {
    const faults = ['{', '[]', '7', '{}', '{"record":{"schema":99}}', '{"record":{"schema":1}}'].map((text) => {
      const found = reportOfLine(text);
      return found.kind === 'fault' ? found.says.replace(/ \(.*/, '') : found.kind;
    });
    expect(faults).toEqual([
      'this is not JSON',
      'this is no record',
      'this is no record',
      'this holds no record',
      'its record has schema 99; this rubato reads schema 1',
      'its record is damaged',
    ]);
    expect(reportOfLine('{"job":{"id":"j"}}').kind).toBe('job');
  });
});
