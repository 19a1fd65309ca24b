// One line of a record file → the report that it was, with every figure and verdict computed anew. What else stands in
// the line, such as captured text, is not taken over. Pure.
import { outputBucket } from '../../measure/buckets.ts';
import { defined } from '../../measure/defined.ts';
import { rejudge } from '../../judge/rejudge.ts';
import type { Report } from '../../judge/report.ts';
import { RECORD_SCHEMA, type StreamRecord } from '../../record/stream-record.ts';
import { isObject, parseJson } from '../../stream/json-value.ts';

export type ReportOfLine =
  | { readonly kind: 'report'; readonly report: Report }
  /** What a batch job came to. */
  | { readonly kind: 'job' }
  | { readonly kind: 'fault'; readonly says: string };

export function reportOfLine(text: string): ReportOfLine {
  const line = parseJson(text);
  if (!isObject(line)) return { kind: 'fault', says: line === undefined ? 'this is not JSON' : 'this is no record' };
  if (isObject(line['job']) && line['record'] === undefined) return { kind: 'job' };
  const raw = line['record'];
  if (!isObject(raw)) return { kind: 'fault', says: 'this holds no record' };
  if (raw['schema'] !== RECORD_SCHEMA) {
    const says = `its record has schema ${String(raw['schema'])}; this rubato reads schema ${RECORD_SCHEMA}`;
    return { kind: 'fault', says };
  }
  if (!isPlaced(raw)) return { kind: 'fault', says: 'its record is damaged (its id, time, route or class)' };
  const record = knownFields(raw);
  const again = rejudge(record);
  if ('fault' in again) return { kind: 'fault', says: again.fault };
  const { stalls, ...verdicts } = again;
  const labels = {
    class: record.class.name,
    ...record.labels,
    route: record.route,
    ...defined({ edge: record.edge }),
  };
  const report: Report = {
    record,
    labels,
    outputBucket: outputBucket(record.tokens.output),
    figures: verdicts.figures,
    ...defined({ delivery: verdicts.delivery, hop: verdicts.hop, slo: verdicts.slo }),
    ...(stalls.length > 0 && { stalls }),
  };
  return { kind: 'report', report };
}

/** What is not measured anew but taken over: one wrong moment would move the time that the whole report covers. */
function isPlaced({ id, openedAtEpochMs, route, class: own }: Readonly<Record<string, unknown>>): boolean {
  const names = [id, route, isObject(own) ? own['name'] : undefined];
  return names.every((name) => typeof name === 'string') && Number.isFinite(openedAtEpochMs);
}

/** All that the type of a record names; the compiler holds the two to each other. */
const KNOWN: Readonly<Record<keyof StreamRecord, true>> = {
  schema: true,
  id: true,
  openedAtEpochMs: true,
  openedErrorBoundNs: true,
  route: true,
  edge: true,
  class: true,
  labels: true,
  marks: true,
  connection: true,
  request: true,
  response: true,
  answer: true,
  tokens: true,
  engine: true,
  statements: true,
  evidence: true,
  chunks: true,
  events: true,
  blockedNs: true,
  pauses: true,
  stalls: true,
  end: true,
  doubts: true,
  trace: true,
  hop: true,
  retryOf: true,
  job: true,
};

/** Of a record only what is known of: files are edited by hand, and a page is handed on. */
function knownFields(raw: Readonly<Record<string, unknown>>): StreamRecord {
  return Object.fromEntries(
    Object.entries(raw).filter(([name]) => Object.hasOwn(KNOWN, name)),
  ) as unknown as StreamRecord;
}
