// Part of the rule of two points: a hop that is always one behind. Each read comes out as the next one goes in, so it
// waits just as long as the engine is silent after it; a compressor that is flushed a few bits short does that. Pure.
import type { HopFinding, HopView } from './view.ts';
import { gapsOf } from './reads.ts';
import { rankOf } from '../rank.ts';

const NS_PER_MS = 1e6;
const FOLLOWS_RATIO = 0.6;
/** Where the engine is even, a hop that is far away by one beat looks the same; silences of another length tell. */
const TELLING_LEAST_COUNT = 3;
const TELLING_LEAST_NS = 5 * NS_PER_MS;
const TELLING_RATIO = 0.25;

export function behindFinding({ reads, hop, mattersNs }: HopView): HopFinding | undefined {
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
  if (telling.length < TELLING_LEAST_COUNT || rankOf(holds, 50) < mattersNs) return undefined;
  if (!mostFollow(rows) || !mostFollow(telling)) return undefined;
  const way = hop.changes.includes('coding_added') ? 'compression' : 'rechunk';
  return { word: 'holds', way, confidence: 0.9, signs: ['one_behind'] };
}

function mostFollow(rows: readonly { readonly follows: boolean }[]): boolean {
  return rows.filter(({ follows }) => follows).length >= FOLLOWS_RATIO * rows.length;
}
