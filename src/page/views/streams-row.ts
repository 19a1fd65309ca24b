// A stream as a row of the list: open and ended ones under the same names, so that both are sorted, filtered and drawn
// alike. Pure. Lengths in ms, since that is what the rows show; unknown is absent.
import type { LiveStall } from '../../telemetry/live/frame.ts';
import type { LiveModel, LiveStream } from '../../telemetry/live/model.ts';
import type { Strip } from '../../telemetry/live/shown-strip.ts';

export interface StreamRow {
  readonly id: string;
  readonly isOpen: boolean;
  readonly class: string;
  readonly model: string;
  readonly route: string;
  readonly edge: string | undefined;
  /** Phase of an open one, outcome of an ended one. */
  readonly word: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
  readonly openedAtEpochMs: number;
  /** Its end, or now. */
  readonly untilEpochMs: number;
  readonly ageMs: number;
  readonly chunkCount: number;
  readonly gapMaxMs: number | undefined;
  readonly silentMs: number | undefined;
  readonly ttftMs: number | undefined;
  readonly stallCount: number;
  readonly stalls: readonly LiveStall[];
  /** What its arrivals say of hops; only of ended ones. */
  readonly delivery: string | undefined;
  readonly strip: Strip | undefined;
}

const NS_PER_MS = 1e6;

export function streamRows({ open, ended, atEpochMs }: LiveModel): StreamRow[] {
  return [...open, ...ended].map((stream) => toRow(stream, atEpochMs));
}

function toRow(stream: LiveStream, atEpochMs: number): StreamRow {
  const { id, strip, row } = stream;
  const shared = {
    id,
    strip,
    class: row.class,
    model: row.model,
    route: row.route,
    edge: row.edge,
    openedAtEpochMs: row.openedAtEpochMs,
    chunkCount: row.chunkCount,
    stallCount: row.stallCount,
    stalls: row.stalls,
  };
  if (stream.isOpen) {
    const { phase, ageMs, gapMaxMs, silentMs, ttftMs } = stream.row;
    const known = { gapMaxMs, silentMs, ttftMs, delivery: undefined };
    return { ...shared, ...known, isOpen: true, word: phase, tone: toneOfPhase(phase), ageMs, untilEpochMs: atEpochMs };
  }
  const { outcome, durationNs, gapMaxNs, ttftNs, delivery } = stream.row;
  const ageMs = durationNs / NS_PER_MS;
  const known = { gapMaxMs: inMs(gapMaxNs), silentMs: undefined, ttftMs: inMs(ttftNs), delivery };
  const untilEpochMs = row.openedAtEpochMs + ageMs;
  return { ...shared, ...known, isOpen: false, word: outcome, tone: toneOfOutcome(outcome), ageMs, untilEpochMs };
}

function inMs(lengthNs: number | undefined): number | undefined {
  return lengthNs === undefined ? undefined : lengthNs / NS_PER_MS;
}

function toneOfPhase(phase: string): StreamRow['tone'] {
  return phase === 'silent' ? 'bad' : 'plain';
}

/** Who left by himself, or did not get all he might have, is no fault yet. */
function toneOfOutcome(outcome: string): StreamRow['tone'] {
  if (outcome === 'ok') return 'good';
  return outcome === 'client_abort' || outcome === 'incomplete' || outcome === 'shutdown' ? 'warn' : 'bad';
}
