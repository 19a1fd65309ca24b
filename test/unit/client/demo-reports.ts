// Reports of an imagined demo, small enough to check by hand: what the tests of its summary read.
import type { Report } from '../../../src/judge/report.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { buildRecord, read, texts, type RecordSpec } from '../../support/record-builder.ts';

export function report(id: string, className: string, spec: RecordSpec): Report {
  const record = { ...buildRecord(spec), id, class: { name: className, stallNs: 100_000_000 } };
  const labels = { class: className, model: 'm', route: 'default', promptBucket: '0-256' };
  return { record, figures: measureRecord(record), labels, outputBucket: '0-64' };
}

/** 24 interactive exchanges (one left early), 2 batch exchanges (one with a stall), 1 that failed. */
export function demoReports(): Report[] {
  const reports: Report[] = [];
  for (let index = 1; index <= 23; index += 1) {
    // First token after 31, 32, … 53 ms; then a token every 12 ms.
    reports.push(report(`0-${index}`, 'interactive', { reads: answer(30 + index, 12, 25) }));
  }
  reports.push(report('0-24', 'interactive', { reads: texts(60, 14, 3), wire: 'client_abort' }));
  reports.push(report('0-25', 'batch', { reads: answer(1_200, 20, 121) }));
  reports.push(report('0-26', 'batch', { reads: [...texts(400, 20, 30), ...answer(1_180, 20, 5)] }));
  reports.push(report('0-27', 'batch', { status: null, wire: 'connect_error' }));
  return reports;
}

function answer(fromMs: number, everyMs: number, tokenCount: number) {
  const lastMs = fromMs + (tokenCount - 1) * everyMs;
  return [...texts(fromMs, everyMs, tokenCount), read(lastMs + 1, 'finish usage done')];
}
