// What hangs on the two spans of an exchange: events at notable moments, phases of the engine where
// it told us of them, and the chunks. Knows how to write them, not when an exchange has spans.
import { SpanKind, type Attributes, type HrTime, type SpanContext } from '@opentelemetry/api';
import { SPAN_EVENTS_MAX_COUNT } from '../base/limits.ts';
import { type ListedStall, listedStalls } from '../judge/causes/listed-stalls.ts';
import type { Report } from '../judge/report.ts';
import { chunkRowsOf, type ChunkRows } from './chunk-rows.ts';
import { errorTypeOf } from './exchange-facts.ts';
import { EVENT_CHUNK, EVENT_CUT, EVENT_FIRST_TOKEN, EVENT_STALL, SPAN_CHUNKS, SPAN_PHASES } from './span-names.ts';
import type { OpenSpan, SpanMaker } from './span-maker.ts';
import { roundedUs } from './span-time.ts';

/** Where child spans go, and how moments of the exchange become times. */
export interface SpanScope {
  readonly maker: Pick<SpanMaker, 'startChild'>;
  readonly parent: SpanContext;
  readonly timeOf: (atNs: number) => HrTime;
}

/** First token and cut have a place of their own; the worst stalls share the rest. */
const STALL_EVENTS_MAX_COUNT = SPAN_EVENTS_MAX_COUNT - 2;

/** Events at notable moments, each with its true time. Few: back ends bill and render them one by one. */
export function addMoments(span: Pick<OpenSpan, 'addEvent'>, report: Report, timeOf: SpanScope['timeOf']): void {
  const { figures, record } = report;
  if (figures.ttftNs !== undefined) span.addEvent(EVENT_FIRST_TOKEN, {}, timeOf(figures.ttftNs));
  for (const stall of worst(listedStalls(report))) {
    span.addEvent(EVENT_STALL, stallAttributes(stall), timeOf(stall.atNs));
  }
  const cutAtNs = cutMoment(report);
  if (cutAtNs !== undefined) span.addEvent(EVENT_CUT, { 'rubato.outcome': record.end.outcome }, timeOf(cutAtNs));
}

/** A stall whose surroundings were not kept has an unknown cause, and is said to. */
function stallAttributes({ gapNs, verdict }: ListedStall): Attributes {
  const { cause = 'unknown', confidence = 0, signs = [], numbers = {} } = verdict ?? {};
  return {
    'rubato.stall.gap_us': roundedUs(gapNs),
    'rubato.stall.cause': cause,
    'rubato.stall.confidence': confidence,
    'rubato.stall.signs': [...signs],
    'rubato.stall.numbers': Object.entries(numbers).map(([name, value]) => `${name}=${value}`),
  };
}

function worst(stalls: readonly ListedStall[]): readonly ListedStall[] {
  const kept = stalls.toSorted((a, b) => b.gapNs - a.gapNs).slice(0, STALL_EVENTS_MAX_COUNT);
  return kept.sort((a, b) => a.atNs - b.atNs);
}

/** The moment at which an answer that had begun was cut; absent when it ended by itself or never began. */
function cutMoment({ record, figures }: Report): number | undefined {
  const { outcome, wire } = record.end;
  if (record.marks.headReceivedAtNs === undefined || wire === 'complete') return undefined;
  return outcome.startsWith('upstream_') ? (record.marks.upstreamEndAtNs ?? figures.durationNs) : figures.durationNs;
}

/**
 * Queue, prefill and decode as spans, where the engine told us of the first two for this request. It
 * says how long they were, not when: they are laid from the moment the request was sent; and a prefill
 * after a queue of unknown length is laid so that it ends as the first token is received.
 */
export function addPhases(scope: SpanScope, report: Report): void {
  const { split, ttftNs, lastTokenNs } = report.figures;
  const sentAtNs = report.record.marks.requestSentAtNs;
  if (split === undefined || split.basis !== 'exact' || sentAtNs === undefined || ttftNs === undefined) return;
  const { queueNs, prefillNs } = split;
  const firstReceivedAtNs = ttftNs - split.network.clientNs - split.rubato.holdNs;
  if (queueNs !== undefined) addSpan(scope, SPAN_PHASES.queue, { from: sentAtNs, to: sentAtNs + queueNs });
  if (prefillNs !== undefined) {
    const from = queueNs === undefined ? firstReceivedAtNs - prefillNs : sentAtNs + queueNs;
    addSpan(scope, SPAN_PHASES.prefill, { from, to: from + prefillNs });
  }
  if (lastTokenNs !== undefined) addSpan(scope, SPAN_PHASES.decode, { from: firstReceivedAtNs, to: lastTokenNs });
}

export type ChunkForm = 'arrays' | 'events';

/** The child with every chunk, first → last received; a span of its own, so that a collector can drop it by name. */
export function addChunks(scope: SpanScope, report: Report, options: { form: ChunkForm; startAtNs: number }): void {
  const { record } = report;
  const rows = chunkRowsOf(record, options.startAtNs);
  if (rows === undefined) return;
  const { receivedAtNs } = record.chunks;
  // It ends before its parent does, and so not with the last flush: back ends take a child that outlives its parent
  // for one of another clock, and Jaeger moves it by half of the difference of their lengths.
  const from = receivedAtNs[0] ?? options.startAtNs;
  const to = receivedAtNs.at(-1) ?? from;
  const attributes = options.form === 'arrays' ? [totals(report, rows), arrays(rows)] : [totals(report, rows)];
  const { maker, parent, timeOf } = scope;
  const startTime = timeOf(from);
  const span = maker.startChild({ name: SPAN_CHUNKS, kind: SpanKind.INTERNAL, startTime, attributes, parent });
  if (options.form === 'events') addChunkEvents(span, receivedAtNs, rows, timeOf);
  span.end(timeOf(Math.max(from, to)));
}

function totals({ record }: Report, rows: ChunkRows): Attributes {
  return {
    'rubato.chunk.count': record.response.chunkCount,
    'rubato.chunk.total_bytes': record.response.receivedBytes,
    'rubato.chunk.listed_count': rows.atUs.length,
    'rubato.chunk.first_us': rows.firstUs,
  };
}

function arrays(rows: ChunkRows): Attributes {
  return {
    'rubato.chunk.at_us': rows.atUs,
    'rubato.chunk.gap_us': rows.gapUs,
    'rubato.chunk.hold_us': rows.holdUs,
    'rubato.chunk.flush_us': rows.flushUs,
    'rubato.chunk.bytes': rows.bytes,
    'rubato.chunk.kind': rows.kind,
  };
}

function addChunkEvents(
  span: OpenSpan,
  receivedAtNs: readonly number[],
  rows: ChunkRows,
  timeOf: SpanScope['timeOf'],
): void {
  for (const [row, atUs] of rows.atUs.entries()) {
    const attributes = {
      'rubato.chunk.at_us': atUs,
      'rubato.chunk.gap_us': rows.gapUs[row] ?? 0,
      'rubato.chunk.hold_us': rows.holdUs[row] ?? 0,
      'rubato.chunk.flush_us': rows.flushUs[row] ?? 0,
      'rubato.chunk.bytes': rows.bytes[row] ?? 0,
      'rubato.chunk.kind': rows.kind[row] ?? 0,
    };
    span.addEvent(EVENT_CHUNK, attributes, timeOf(receivedAtNs[row] ?? 0));
  }
}

function addSpan(scope: SpanScope, name: string, { from, to }: { from: number; to: number }): void {
  const { maker, parent, timeOf } = scope;
  const startTime = timeOf(from);
  const span = maker.startChild({ name, kind: SpanKind.INTERNAL, startTime, attributes: [], parent });
  span.end(timeOf(Math.max(from, to)));
}

/** One in so many exchanges is kept whatever it was like. */
const BASELINE_ONE_IN = 100;

/**
 * Whether an exchange is worth its chunks under `kept`: its client asked for it, it failed, stalled, missed an
 * objective or was slow to its first token, or it is in the baseline. The baseline goes by trace id, so that two rubatos on one path keep the same exchanges.
 */
export function isKept({ record, figures, slo }: Report, slowTtftNs: number): boolean {
  if (record.request.keep === true || errorTypeOf(record) !== undefined || figures.stallCount > 0) return true;
  if ((figures.ttftNs ?? 0) >= slowTtftNs || slo?.objectives.some(({ met }) => met === 'false')) return true;
  const tail = Number.parseInt(record.trace?.traceId.slice(-4) ?? '', 16);
  return tail % BASELINE_ONE_IN === 0;
}
