// In which words the difference of two texts is told. Pure. A word says what is certain: a side that has more had
// something added, or the other lost it; as much on both sides was changed. A stream that was cut has lost nothing.
import type { HopChange } from '../../record/hop-facts.ts';
import { HASH_STEP_CHARS } from '../../record/text-curve.ts';
import { type Gap, gapsOf, type LanePair } from './lane-pair.ts';
import type { Sight, SightLane } from './sight.ts';

interface Sides {
  readonly outer: Sight;
  readonly inner: Sight;
}

/** Places stand about a hash step apart: beyond so much, what is told of a gap is not their distance. */
const GAP_LEAST_CHARS = 4 * HASH_STEP_CHARS;

export function textChanges(pairs: readonly LanePair[], sides: Sides): readonly HopChange[] {
  if (sides.outer.incomplete === true || sides.inner.incomplete === true) return [];
  const outerLanes = new Set(pairs.map(({ outer }) => outer));
  return [...outerLanes].flatMap((lane) => {
    const [pair, ...more] = pairs.filter(({ outer }) => outer === lane) as [LanePair, ...LanePair[]];
    if (more.length > 0) return joinedChanges(lane, [pair, ...more], sides);
    return gapsOf(pair).flatMap((gap) => changesOfGap(gap, pair, sides));
  });
}

function changesOfGap(gap: Gap, pair: LanePair, { outer, inner }: Sides): HopChange[] {
  const { place, outerChars, innerChars } = gap;
  const mayLose = place !== 'after' || hasEnded(outer);
  const mayAdd = place !== 'after' || hasEnded(inner);
  const changes: HopChange[] = [];
  const least = Math.min(outerChars, innerChars);
  // One that goes on, or was cut, has yet to come to what the other has there.
  const isOver = place !== 'after' || (hasEnded(outer) && hasEnded(inner)) || isParted(pair);
  if (least > 0 && isOver && isReplacement(gap, pair)) changes.push('text_changed');
  const differChars = outerChars - innerChars;
  const isCertain = least === 0 || Math.abs(differChars) >= HASH_STEP_CHARS || changes.length === 0;
  if (differChars > 0 && mayAdd && isCertain) changes.push('text_added');
  if (differChars < 0 && mayLose && isCertain) changes.push('text_lost');
  return changes;
}

/** There is text on both sides: whether it parts there, or is only not known to be the same. */
function isReplacement({ place, outerChars, innerChars }: Gap, pair: LanePair): boolean {
  if (place === 'between' || outerChars === innerChars) return true;
  // By the fixed hashes the end is told to the step, as long as nothing was changed before it.
  if (place === 'after' && isUnmoved(pair)) return isParted(pair);
  return Math.abs(outerChars - innerChars) < HASH_STEP_CHARS || Math.min(outerChars, innerChars) >= GAP_LEAST_CHARS;
}

function isUnmoved({ stretches: [first, ...more] }: LanePair): boolean {
  return more.length === 0 && (first === undefined || (first.outerFrom === 0 && first.innerFrom === 0));
}

/** Nothing was changed before its end, and there a hash of both, of as many characters, is not the same. */
function isParted(pair: LanePair): boolean {
  const { outer, inner } = pair;
  if (!isUnmoved(pair)) return false;
  if (outer.lengthChars === inner.lengthChars) return !pair.equal;
  const shared = Math.min(outer.prefixHashes.length, inner.prefixHashes.length);
  return shared > 0 && outer.prefixHashes[shared - 1] !== inner.prefixHashes[shared - 1];
}

/** Several inner lanes came out in one: told of all of it together. */
function joinedChanges(lane: SightLane, pairs: readonly LanePair[], { outer, inner }: Sides): HopChange[] {
  const commonChars = pairs.reduce((sum, pair) => sum + pair.commonChars, 0);
  const innerChars = pairs.reduce((sum, pair) => sum + pair.inner.lengthChars, 0) - commonChars;
  const outerChars = lane.lengthChars - commonChars;
  if (!hasEnded(outer) || !hasEnded(inner)) return [];
  if (innerChars <= 0) return outerChars > 0 ? ['text_added'] : [];
  return outerChars <= 0 ? ['text_lost'] : ['text_changed'];
}

/** What of the inner side came out nowhere. */
export function noteMissing(outer: Sight, untold: readonly SightLane[], changes: Set<HopChange>): void {
  if (untold.length === 0 || !hasEnded(outer) || outer.incomplete === true || outer.facts.dialect === undefined) return;
  for (const { channel } of untold) {
    const isGone = !outer.lanes.some((lane) => lane.channel === channel);
    changes.add(isGone ? 'channel_lost' : 'text_lost');
  }
}

/** By itself, so that all of its text was there. */
function hasEnded({ outcome }: Sight): boolean {
  return outcome === 'ok';
}
