// Exchanges as a beat lists them: open ones with their strip and what is known of their stalls, ended ones with the
// account of their record. Lengths become ms for people here. Pure.
import { LIVE_STRIP_MS } from '../../base/live-limits.ts';
import { listedStalls } from '../../judge/causes/listed-stalls.ts';
import type { OpenExchange, RecentExchange } from '../../judge/report.ts';
import { defined } from '../../measure/defined.ts';
import type { StallCause } from '../../record/stall-context.ts';
import { recentRow } from '../admin-rows.ts';
import type { LiveEnded, LiveOpen, LiveStall, LiveStrip } from './frame.ts';
import type { StripSource } from './strip.ts';

/** An open exchange as it is known where it is followed. */
export interface OpenSight {
  readonly view: OpenExchange;
  readonly ttftNs: number | undefined;
  readonly gapMaxNs: number | undefined;
  readonly stallCount: number;
  /** The latest, oldest first. */
  readonly stalls: readonly SightedStall[];
  readonly chunks: StripSource;
}

export interface SightedStall {
  /** Since the exchange opened. */
  readonly endedAtNs: number;
  readonly gapNs: number;
  readonly cause?: StallCause;
  readonly confidence?: number;
}

const NS_PER_MS = 1e6;

type Writable<Row> = { -readonly [Name in keyof Row]: Row[Name] };

/** Made for each open exchange twice a second, so nothing is copied but once. */
export function openRow(sight: OpenSight, strip: LiveStrip | undefined): LiveOpen {
  const { view, ttftNs, gapMaxNs, stallCount } = sight;
  const row: Writable<LiveOpen> = { ...view, stallCount, stalls: stallsInStrip(sight) };
  // Whole numbers are written and read faster, and nobody sees the rest.
  row.openedAtEpochMs = Math.round(view.openedAtEpochMs);
  row.ageMs = Math.round(view.ageMs);
  if (view.silentMs !== undefined) row.silentMs = Math.round(view.silentMs);
  if (ttftNs !== undefined) row.ttftMs = tenths(ttftNs);
  if (gapMaxNs !== undefined) row.gapMaxMs = tenths(gapMaxNs);
  if (strip !== undefined) row.strip = strip;
  return row;
}

/** Stalls that its strip still shows, and the latest one in any case: what is told twice a second must not pile up. */
function stallsInStrip({ view, stalls }: OpenSight): readonly LiveStall[] {
  if (stalls.length === 0) return NO_STALLS;
  const fromAtNs = (view.ageMs - LIVE_STRIP_MS) * NS_PER_MS;
  const firstAt = stalls.findIndex(({ endedAtNs }) => endedAtNs >= fromAtNs);
  const listed = firstAt === -1 ? stalls.slice(-1) : stalls.slice(firstAt);
  return listed.map((stall) => liveStall(view.openedAtEpochMs, stall));
}

const NO_STALLS: readonly LiveStall[] = [];

/** What is told of the gaps of an open exchange. */
export function stallsOf({
  view,
  gapMaxNs,
  stallCount,
  stalls,
}: OpenSight): Pick<LiveOpen, 'gapMaxMs' | 'stallCount' | 'stalls'> {
  return {
    ...defined({ gapMaxMs: gapMaxNs === undefined ? undefined : tenths(gapMaxNs) }),
    stallCount,
    stalls: stalls.map((stall) => liveStall(view.openedAtEpochMs, stall)),
  };
}

export function endedRow(recent: RecentExchange, strip: LiveStrip | undefined): LiveEnded {
  const { report } = recent;
  const stalls = listedStalls(report).map(({ atNs, gapNs, verdict }) => {
    const known = defined({ cause: verdict?.cause, confidence: verdict?.confidence });
    return liveStall(report.record.openedAtEpochMs, { endedAtNs: atNs, gapNs, ...known });
  });
  return { ...recentRow(recent), stalls, ...defined({ strip }) };
}

function liveStall(openedAtEpochMs: number, { endedAtNs, gapNs, cause, confidence }: SightedStall): LiveStall {
  const told: Writable<LiveStall> = {
    endedAtEpochMs: Math.round(openedAtEpochMs + endedAtNs / NS_PER_MS),
    gapMs: tenths(gapNs),
  };
  if (cause !== undefined) told.cause = cause;
  if (confidence !== undefined) told.confidence = confidence;
  return told;
}

function tenths(lengthNs: number): number {
  return Math.round(lengthNs / (NS_PER_MS / 10)) / 10;
}
