// Part of the rule of two points: a hop that is always one behind. Each read comes out as the next one goes in, so it
// waits just as long as the engine is silent after it; a compressor that is flushed a few bits short does that. Pure.
import { endsComeLate } from '../delivery/compression.ts';
import { shapeOf } from '../delivery/shape.ts';
import { rankOf } from '../rank.ts';
import { gapsOf } from './reads.ts';
import type { HopFinding, HopView } from './view.ts';

const NS_PER_MS = 1e6;
const FOLLOWS_RATIO = 0.6;
/**
 * Where the engine is even, a hop that is far away by one beat looks the same; silences of another length tell, or
 * events that are cut.
 */
const TELLING_LEAST_COUNT = 3;
const TELLING_LEAST_NS = 5 * NS_PER_MS;
const TELLING_RATIO = 0.25;

/** What is set off by the next read keeps so much closer to it than to its own way in, and comes at once. */
const CLOSER = 2;
const EVEN_LEAST_COUNT = 20;
const BEFORE_MOST_NS = 0.5 * NS_PER_MS;
const AFTER_MOST_NS = 2 * NS_PER_MS;
/** Below this the stamps themselves are no better. */
const UNEVEN_LEAST_NS = 0.15 * NS_PER_MS;

export function behindFinding({ record, reads, hop, mattersNs }: HopView): HopFinding | undefined {
  const gaps = gapsOf(reads.map(({ innerAtNs }) => innerAtNs));
  const middleNs = rankOf(gaps, 50);
  const isTelling = (gapNs: number): boolean =>
    Math.abs(gapNs - middleNs) >= Math.max(TELLING_LEAST_NS, TELLING_RATIO * middleNs);
  const rows = gaps.map((gapNs, index) => {
    const holdNs = reads[index]?.holdNs ?? 0;
    const follows = Math.abs(holdNs - gapNs) <= Math.max(2 * NS_PER_MS, 0.1 * gapNs);
    return { holdNs, follows, telling: isTelling(gapNs) };
  });
  const telling = rows.filter((row) => row.telling);
  const holds = rows.map(({ holdNs }) => holdNs);
  if (rankOf(holds, 50) < mattersNs || !mostFollow(rows)) return undefined;
  const isTold = telling.length >= TELLING_LEAST_COUNT && mostFollow(telling);
  const isCoded = hop.changes.includes('coding_added');
  // No way is so long that it cuts events: what keeps their ends is the coding, and that is this hop's.
  const signs = isCoded && endsComeLate(shapeOf(record)) ? ['one_behind', 'ends_come_late'] : ['one_behind'];
  if (!isTold && signs.length === 1 && !isSetOff(holds, gaps)) return undefined;
  return { word: 'holds', way: isCoded ? 'compression' : 'rechunk', confidence: 0.9, signs };
}

/**
 * Where the engine is as good as even, its small unevenness tells: a way that is long adds as much to each read, and
 * what waits for the next one is as uneven as the engine, but not against that next one.
 */
function isSetOff(holds: readonly number[], gaps: readonly number[]): boolean {
  if (holds.length < EVEN_LEAST_COUNT) return false;
  const afterNext = holds.map((holdNs, index) => holdNs - (gaps[index] ?? 0));
  const unevenNs = spreadNs(holds);
  if (unevenNs < UNEVEN_LEAST_NS || CLOSER * spreadNs(afterNext) > unevenNs) return false;
  return rankOf(afterNext, 25) >= -BEFORE_MOST_NS && rankOf(afterNext, 50) <= AFTER_MOST_NS;
}

/** Of the middle half. */
function spreadNs(values: readonly number[]): number {
  return rankOf(values, 75) - rankOf(values, 25);
}

function mostFollow(rows: readonly { readonly follows: boolean }[]): boolean {
  return rows.filter(({ follows }) => follows).length >= FOLLOWS_RATIO * rows.length;
}
