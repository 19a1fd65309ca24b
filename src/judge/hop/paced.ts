// Part of the rule of two points: a hop that gives text out in a rhythm of its own. Little comes out together; it is
// the beat of what comes out, where what goes in has none, that tells. Pure.
import type { HopFinding, HopView } from './view.ts';
import { gapsOf, outerTextReadsNs } from './reads.ts';
import { rankOf } from '../rank.ts';

const NS_PER_MS = 1e6;
const BEATS_LEAST_COUNT = 12;
/** A busy machine spoils many a beat; then text must wait the longer to show that there is one. */
const ON_BEAT_RATIO = 0.5;
const CLEAR_RATIO = 0.8;
/** The hop's beat is not the engine's: where both are even, one is the other's echo. */
const BEAT_MARGIN_RATIO = 0.3;
const SPLIT_RATIO = 1.5;
/** Of the reads, so many came out with a later one. */
const GATHERED_RATIO = 0.15;
const BEAT_SLACK_NS = 2 * NS_PER_MS;
/** Text waits for several beats: a rhythm that is the engine's own makes nothing wait. */
const WAITS_BEATS = 2;
const WAITS_LONG_BEATS = 4;

export function pacedFinding(view: HopView): HopFinding | undefined {
  const { record, reads, baseNs, mattersNs, heldReads } = view;
  const outGaps = gapsOf(outerTextReadsNs(record));
  if (outGaps.length < BEATS_LEAST_COUNT) return undefined;
  const beatNs = rankOf(outGaps, 50);
  const slackNs = Math.max(BEAT_SLACK_NS, 0.1 * beatNs);
  if (beatNs < 2 * BEAT_SLACK_NS) return undefined;
  const isOnBeat = (gapNs: number): boolean => Math.abs(gapNs - beatNs) <= slackNs;
  const outRatio = outGaps.filter(isOnBeat).length / outGaps.length;
  const inGaps = gapsOf(reads.map(({ innerAtNs }) => innerAtNs));
  const inRatio = inGaps.filter(isOnBeat).length / Math.max(1, inGaps.length);
  if (outRatio < ON_BEAT_RATIO || inRatio > outRatio - BEAT_MARGIN_RATIO) return undefined;
  // Pieces that were split have waited for the beats between them, however even that wait is.
  const isSplit = outGaps.length >= SPLIT_RATIO * reads.length;
  const waitNs = rankOf(
    reads.map(({ holdNs }) => holdNs - (isSplit ? 0 : baseNs)),
    50,
  );
  const numbers = { intervalMs: beatNs / NS_PER_MS };
  // A beat that sometimes finds two pieces gathers them; one that never does takes them from a queue.
  if (outRatio >= CLEAR_RATIO && heldReads.size >= GATHERED_RATIO * reads.length && waitNs >= mattersNs) {
    return { word: 'holds', way: 'timer', confidence: 0.9, signs: ['constant_interval'], numbers };
  }
  const leastBeats = outRatio >= CLEAR_RATIO ? WAITS_BEATS : WAITS_LONG_BEATS;
  if (waitNs < Math.max(mattersNs, leastBeats * beatNs)) return undefined;
  return { word: 'holds', way: 'rechunk', confidence: 0.9, signs: ['paced'], numbers };
}
