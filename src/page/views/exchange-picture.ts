// One exchange as it is drawn, whether it has ended or not: what is known of it under one set of names. Pure: plain
// data in and out.
import { listedStalls, type ListedStall } from '../../judge/causes/listed-stalls.ts';
import type { Report } from '../../judge/report.ts';
import type { Split } from '../../measure/figures.ts';
import type { ChunkColumns } from '../../record/chunk-log.ts';
import type { EventColumns } from '../../record/event-log.ts';
import type { StallCause } from '../../record/stall-context.ts';
import type { Marks } from '../../record/stream-record.ts';
import type { OpenDetail } from '../../telemetry/live/open-detail.ts';

/** Moments in ns since the request head was received. */
export interface ExchangePicture {
  readonly id: string;
  readonly openedAtEpochMs: number;
  readonly class: string;
  readonly model: string;
  readonly route: string;
  readonly edge?: string;
  readonly traceId?: string;
  /** Outcome of what has ended, phase of what has not. */
  readonly state: string;
  readonly isOpen: boolean;
  readonly marks: Marks;
  readonly chunks: ChunkColumns;
  readonly events: EventColumns;
  readonly firstChunkAtNs?: number;
  /** Reads with the first and the last generated fragment. */
  readonly firstTokenAtNs?: number;
  readonly lastTokenAtNs?: number;
  /** Of what has ended. */
  readonly ttftNs?: number;
  readonly split?: Split;
  /** The end, or for what is open its age. */
  readonly endAtNs: number;
  readonly stalls: readonly PicturedStall[];
  /** A generated fragment came. */
  readonly hasText: boolean;
}

export interface PicturedStall {
  /** When it ended. */
  readonly atNs: number;
  readonly gapNs: number;
  /** Absent as long as nobody has judged it. */
  readonly cause?: StallCause;
}

const NS_PER_MS = 1e6;

export function pictureOfReport(report: Report): ExchangePicture {
  const { record, figures, labels } = report;
  const { marks, chunks, events } = record;
  return {
    id: record.id,
    openedAtEpochMs: record.openedAtEpochMs,
    class: labels.class,
    model: labels.model,
    route: labels.route,
    ...(record.edge !== undefined && { edge: record.edge }),
    ...(record.trace !== undefined && { traceId: record.trace.traceId }),
    state: record.end.outcome,
    isOpen: false,
    marks,
    chunks,
    events,
    ...momentsOf(chunks, events),
    ...(figures.ttftNs !== undefined && { ttftNs: figures.ttftNs }),
    ...(figures.split !== undefined && { split: figures.split }),
    endAtNs: figures.durationNs,
    stalls: listedStalls(report).map(pictured),
  };
}

function pictured({ atNs, gapNs, verdict }: ListedStall): PicturedStall {
  return verdict === undefined ? { atNs, gapNs } : { atNs, gapNs, cause: verdict.cause };
}

export function pictureOfOpen({ open, marks, chunks, events, stalls }: OpenDetail): ExchangePicture {
  return {
    id: open.id,
    openedAtEpochMs: open.openedAtEpochMs,
    class: open.class,
    model: open.model,
    route: open.route,
    ...(open.edge !== undefined && { edge: open.edge }),
    ...(open.traceId !== undefined && { traceId: open.traceId }),
    state: open.phase,
    isOpen: true,
    marks,
    chunks,
    events,
    ...momentsOf(chunks, events),
    endAtNs: Math.round(open.ageMs * NS_PER_MS),
    stalls: stalls.map(({ endedAtEpochMs, gapMs, cause }) => ({
      atNs: Math.round((endedAtEpochMs - open.openedAtEpochMs) * NS_PER_MS),
      gapNs: Math.round(gapMs * NS_PER_MS),
      ...(cause !== undefined && { cause }),
    })),
  };
}

type Moments = Pick<ExchangePicture, 'firstChunkAtNs' | 'firstTokenAtNs' | 'lastTokenAtNs' | 'hasText'>;

function momentsOf(chunks: ChunkColumns, events: EventColumns): Moments {
  const firstRow = events.chunk[events.generated.findIndex((channels) => channels !== 0)];
  const lastRow = events.chunk[events.generated.findLastIndex((channels) => channels !== 0)];
  const [firstChunkAtNs] = chunks.receivedAtNs;
  const firstTokenAtNs = firstRow === undefined ? undefined : chunks.receivedAtNs[firstRow];
  const lastTokenAtNs = lastRow === undefined ? undefined : chunks.receivedAtNs[lastRow];
  return {
    ...(firstChunkAtNs !== undefined && { firstChunkAtNs }),
    ...(firstTokenAtNs !== undefined && { firstTokenAtNs }),
    ...(lastTokenAtNs !== undefined && { lastTokenAtNs }),
    hasText: firstTokenAtNs !== undefined,
  };
}
