// A finished exchange as a row of a list: what a reader needs to choose the one to look into.
import type { RecentExchange } from '../judge/report.ts';

/** Lengths in ns; absent means unknown. */
export interface RecentRow {
  readonly id: string;
  readonly openedAtEpochMs: number;
  readonly route: string;
  /** The hop before which it was seen; absent before an engine. */
  readonly edge?: string;
  readonly class: string;
  readonly model: string;
  readonly outcome: string;
  readonly wireEnd: string;
  readonly status?: number;
  readonly ttftNs?: number;
  readonly tpotNs?: number;
  readonly durationNs: number;
  readonly gapMaxNs?: number;
  readonly stallCount: number;
  readonly chunkCount: number;
  readonly outputTokenCount?: number;
  readonly doubts: readonly string[];
  /** What the arrivals say of hops on the engine's side: a word, and with `holds` the way behind it. */
  readonly delivery?: string;
  /** Whether it kept every objective: true, false or unknown; absent where nothing was promised. */
  readonly good?: string;
  /** Objectives it did not keep; absent when there is none. */
  readonly missed?: readonly string[];
  readonly traceId?: string;
}

export function recentRow({ id, outcome, wireEnd, report }: RecentExchange): RecentRow {
  const { record, figures, labels } = report;
  const known = {
    edge: record.edge,
    status: record.response.status,
    ttftNs: figures.ttftNs,
    tpotNs: figures.tpotNs,
    gapMaxNs: figures.gapsReceived.maxNs,
    outputTokenCount: record.tokens.output,
    delivery: deliveryWords(report),
    good: report.slo?.good,
    missed: missedNames(report),
    traceId: record.trace?.traceId,
  };
  return {
    id,
    openedAtEpochMs: record.openedAtEpochMs,
    route: labels.route,
    class: labels.class,
    model: labels.model,
    outcome,
    wireEnd,
    durationNs: figures.durationNs,
    stallCount: figures.stallCount,
    chunkCount: record.response.chunkCount,
    doubts: record.doubts,
    ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as Partial<RecentRow>),
  };
}

function missedNames({ slo }: RecentExchange['report']): readonly string[] | undefined {
  const names = (slo?.objectives ?? []).filter(({ met }) => met === 'false').map(({ name }) => name);
  return names.length > 0 ? names : undefined;
}

function deliveryWords({ delivery }: RecentExchange['report']): string | undefined {
  return delivery?.way === undefined ? delivery?.word : `${delivery.word} ${delivery.way}`;
}
