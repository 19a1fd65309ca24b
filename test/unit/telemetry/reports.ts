// Reports and logs for the tests of telemetry: a record in few words becomes the report that the
// observer would make of it.
import type { Log, LogFields } from '../../../src/base/log.ts';
import type { HopState } from '../../../src/judge/hop/state.ts';
import type { ExchangeLabels, Report, Sink } from '../../../src/judge/report.ts';
import { UNJUDGED } from '../../../src/judge/causes/verdict.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { replayStream } from '../../../src/measure/replay.ts';
import type { StreamRecord, TraceFacts } from '../../../src/record/stream-record.ts';
import { buildRecord, read, texts, type RecordSpec } from '../../support/record-builder.ts';

export const LABELS: ExchangeLabels = { class: 'default', model: 'm', route: 'default', promptBucket: 'unknown' };

export const TRACE: TraceFacts = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  parentSpanId: 'b7ad6b7169203331',
  serverSpanId: '00f067aa0ba902b7',
  clientSpanId: '53995c3f42cd8ad8',
  sampled: true,
};

export function reportOf(
  spec: RecordSpec,
  changes: Partial<StreamRecord> = {},
  labels: Partial<ExchangeLabels> = {},
): Report {
  const record: StreamRecord = { ...buildRecord(spec), ...changes };
  return { record, figures: measureRecord(record), labels: { ...LABELS, ...labels }, outputBucket: '0-64' };
}

/** What is known of a hop whose name has to be escaped. */
export const HOP: HopState = {
  hop: '<b>gateway</b>',
  word: 'holds',
  way: 'size',
  confidence: 0.9,
  signs: [],
  signature: { blockBytes: 4_096 },
  products: ['nginx'],
  cures: ['nginx: `proxy_buffering off;` <for this location>'],
  pairedCount: 12,
  pairedBy: { trace: 12 },
  unpaired: {},
  words: { holds: 12 },
  changes: { comments_dropped: 3 },
  recentCount: 12,
  holdMax: { count: 12, p50Ns: 480_000_000, p95Ns: 510_000_000, maxNs: 520_000_000 },
};

/** A stream of `count` tokens, 20 ms apart from 100 ms on, with its end mark. */
export function usualStream(count: number): RecordSpec {
  return { reads: [...texts(100, 20, count), read(100 + count * 20, 'finish'), read(100 + count * 20, 'done')] };
}

/** Tells a sink of an exchange as the observer does: first token, gaps, report. */
export function tell(sink: Sink, report: Report): void {
  const { record, figures, labels } = report;
  const exemplar =
    record.trace?.sampled === true ? { traceId: record.trace.traceId, spanId: record.trace.serverSpanId } : undefined;
  const stream = replayStream(record);
  const stalled = new Set(stream.stalls.map(({ gapNs }) => gapNs));
  if (figures.ttftNs !== undefined) sink.onFirstToken?.(labels, figures.ttftNs, exemplar);
  if (figures.ttfoNs !== undefined) sink.onFirstVisibleToken?.(labels, figures.ttfoNs, exemplar);
  for (const gapNs of stream.gapsNs.received) sink.onGap?.(labels, 'received', gapNs, stalled.has(gapNs), exemplar);
  for (const gapNs of stream.gapsNs.flushed) sink.onGap?.(labels, 'flushed', gapNs, false, exemplar);
  // Hand-made reports have nothing around their stalls.
  for (const { chunk, gapNs } of stream.stalls) sink.onStall?.(labels, { ...UNJUDGED, chunk, gapNs }, exemplar);
  if (stream.coalescedCount > 0) sink.onCoalesced?.(labels, stream.coalescedCount);
  sink.onReport?.(report, exemplar);
}

export interface CaughtLog extends Log {
  readonly lines: { readonly level: string; readonly message: string; readonly fields: LogFields }[];
}

export function catchLog(): CaughtLog {
  const lines: CaughtLog['lines'] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields });
    };
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flushSync: () => undefined,
    droppedCount: () => 0,
  };
}
