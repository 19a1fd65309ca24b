// The strip of one open exchange: how many chunks each bin of 50 ms brought and let go, from its chunk log. Pure.
import { LIVE_BIN_MS } from '../../base/live-limits.ts';
import type { ChunkLog } from '../../record/chunk-log.ts';
import type { LiveStrip } from './frame.ts';

/** The part of a chunk log that a strip reads. */
export type StripSource = Pick<
  ChunkLog,
  'eachSince' | 'flushedBytes' | 'receivedAtNs' | 'rowCount' | 'settledCount' | 'totalCount'
>;

export interface StripWindow {
  /** First and last bin, by number; the last one may still be filling. */
  readonly fromBin: number;
  readonly toBin: number;
  /** Rows of the log that may be read. */
  readonly rowsMaxCount: number;
}

const NS_PER_MS = 1e6;
const BIN_NS = LIVE_BIN_MS * NS_PER_MS;
/** What one character can say. */
const CHARACTERS = '0123456789abcdefghijklmnopqrstuvwxyz';
const COUNT_MAX = CHARACTERS.length - 1;

export function binOf(atEpochMs: number): number {
  return Math.floor(atEpochMs / LIVE_BIN_MS);
}

/**
 * Undefined where nothing came or went in the window. Bins that could not be read whole, for want of rows that may be
 * read, are left out.
 */
export function stripOf(
  chunks: Pick<StripSource, 'eachSince'>,
  openedAtEpochMs: number,
  window: StripWindow,
): LiveStrip | undefined {
  const { fromBin, toBin, rowsMaxCount } = window;
  const length = toBin - fromBin + 1;
  const received = new Uint8Array(length);
  const flushed = new Uint8Array(length);
  // From the window's beginning to the opening: small numbers, which stay exact, and one division a stamp.
  const openedAfterNs = (openedAtEpochMs - fromBin * LIVE_BIN_MS) * NS_PER_MS;
  const place = (atNs: number): number => Math.floor((atNs + openedAfterNs) / BIN_NS);
  const sinceAtNs = -openedAfterNs;
  const completeFromAtNs = chunks.eachSince(sinceAtNs, rowsMaxCount, (receivedAtNs, flushedAtNs) => {
    count(received, place(receivedAtNs));
    if (flushedAtNs >= 0) count(flushed, place(flushedAtNs));
  });
  // The bin in which reading stopped has lost a part.
  const skip = completeFromAtNs > sinceAtNs ? Math.min(Math.max(place(completeFromAtNs) + 1, 0), length) : 0;
  if (!hasAny(received, skip) && !hasAny(flushed, skip)) return undefined;
  return { fromBin: fromBin + skip, received: textOf(received, skip), flushed: textOf(flushed, skip) };
}

function count(bins: Uint8Array, at: number): void {
  const before = bins[at];
  if (before !== undefined && before < COUNT_MAX) bins[at] = before + 1;
}

function hasAny(bins: Uint8Array, from: number): boolean {
  for (let at = from; at < bins.length; at += 1) if (bins[at] !== 0) return true;
  return false;
}

function textOf(bins: Uint8Array, from: number): string {
  let text = '';
  for (let at = from; at < bins.length; at += 1) text += CHARACTERS[bins[at] as number];
  return text;
}
