// Are these two texts one? By hashes of their prefixes, lane by lane; a gateway may drop a lane, move it to
// another channel, or alter text from some place on. Pure; knows nothing of times.
import { HASH_STEP_CHARS } from '../../record/text-curve.ts';
import type { HopChange } from '../../record/hop-facts.ts';
import type { Sight, SightLane } from './sight.ts';

/** Two lanes that begin alike. */
export interface LanePair {
  readonly outer: SightLane;
  readonly inner: SightLane;
  /** Code points that are the same on both sides for sure; a multiple of the hash step unless it is all of both. */
  readonly commonChars: number;
  readonly equal: boolean;
}

/**
 * `equal`: at least one whole lane is the same. `part`: some begin alike for a hash step or more. `differs`: there
 * is text that came out and nothing of it went in. `unknown`: too little text on one side to tell.
 */
export type Agreement = 'equal' | 'part' | 'differs' | 'unknown';

export interface TextMatch {
  readonly agreement: Agreement;
  readonly pairs: readonly LanePair[];
  /** Code points in the longest lane that is equal. */
  readonly equalChars: number;
  readonly changes: readonly HopChange[];
}

/** How two lanes go together. */
type Likeness = { readonly commonChars: number; readonly end: 'equal' | 'shorter' | 'longer' | 'parts' };

export function matchTexts(outer: Sight, inner: Sight): TextMatch {
  const taken = new Set<SightLane>();
  const pairs: LanePair[] = [];
  const changes = new Set<HopChange>();
  const rest = pairSameLanes(outer, inner, { taken, pairs, changes });
  pairMovedLanes(rest, inner, { taken, pairs, changes });
  const untold = inner.lanes.filter((lane) => !taken.has(lane));
  noteMissing(outer, untold, changes);
  const equal = pairs.filter((pair) => pair.equal);
  const equalChars = Math.max(0, ...equal.map(({ commonChars }) => commonChars));
  return { agreement: agreementOf(outer, inner, pairs), pairs, equalChars, changes: [...changes] };
}

interface Gathered {
  /** Inner lanes that have their place. */
  readonly taken: Set<SightLane>;
  readonly pairs: LanePair[];
  readonly changes: Set<HopChange>;
}

/** Lanes of the same channel and choice; returns the outer ones that are left. */
function pairSameLanes(outer: Sight, inner: Sight, { taken, pairs, changes }: Gathered): SightLane[] {
  return outer.lanes.filter((lane) => {
    const same = inner.lanes.find(({ channel, choice }) => channel === lane.channel && choice === lane.choice);
    if (same === undefined) return true;
    const likeness = compareLanes(lane, same);
    // A lane of the same name with nothing in common may be another lane's text.
    if (likeness.commonChars === 0 && likeness.end === 'parts') return true;
    taken.add(same);
    pairs.push({ outer: lane, inner: same, commonChars: likeness.commonChars, equal: likeness.end === 'equal' });
    noteEnd(likeness, { outer, inner }, changes);
    return false;
  });
}

/** Outer lanes whose text came in on another channel of the same choice. */
function pairMovedLanes(outerLanes: readonly SightLane[], inner: Sight, gathered: Gathered): void {
  const { taken, pairs, changes } = gathered;
  for (const lane of outerLanes) {
    const candidates = inner.lanes
      .filter((one) => !taken.has(one) && one.choice === lane.choice && one.channel !== lane.channel)
      .map((one) => ({ one, likeness: compareLanes(lane, one) }))
      .filter(({ likeness }) => likeness.commonChars > 0);
    const [best] = candidates.sort((a, b) => b.likeness.commonChars - a.likeness.commonChars);
    if (best === undefined) {
      const named = inner.lanes.find(({ channel, choice }) => channel === lane.channel && choice === lane.choice);
      if (named !== undefined) taken.add(named);
      // What went in and could not be read, or goes on, may have had it.
      if (named !== undefined) changes.add('text_changed');
      else if (isWhole(inner) && inner.facts.dialect !== undefined) changes.add('text_added');
      continue;
    }
    taken.add(best.one);
    pairs.push({
      outer: lane,
      inner: best.one,
      commonChars: best.likeness.commonChars,
      equal: best.likeness.end === 'equal',
    });
    changes.add('channel_moved');
    if (best.likeness.end === 'parts') changes.add('text_changed');
  }
}

/** What became of the rest of a text that begins alike. A stream that was cut lost nothing to the hop. */
function noteEnd({ end }: Likeness, { outer, inner }: { outer: Sight; inner: Sight }, changes: Set<HopChange>): void {
  if (outer.incomplete === true || inner.incomplete === true) return;
  if (end === 'parts') changes.add('text_changed');
  if (end === 'longer' && isWhole(inner)) changes.add('text_added');
  if (end === 'shorter' && isWhole(outer)) changes.add('text_lost');
}

function noteMissing(outer: Sight, untold: readonly SightLane[], changes: Set<HopChange>): void {
  if (untold.length === 0 || !isWhole(outer) || outer.incomplete === true || outer.facts.dialect === undefined) return;
  for (const { channel } of untold) {
    const isGone = !outer.lanes.some((lane) => lane.channel === channel);
    changes.add(isGone ? 'channel_lost' : 'text_lost');
  }
}

/** Text that came out must have gone in; it may have, where a good answer was there and nobody could read it. */
function hasUnreadText({ facts }: Sight): boolean {
  return facts.dialect === undefined && facts.receivedBytes > 0 && (facts.status ?? 500) < 400;
}

/** It ended by itself, so that all of its text was there. */
function isWhole({ outcome }: Sight): boolean {
  return outcome === 'ok';
}

export function compareLanes(outer: SightLane, inner: SightLane): Likeness {
  const shared = Math.min(outer.prefixHashes.length, inner.prefixHashes.length);
  let steps = 0;
  while (steps < shared && outer.prefixHashes[steps] === inner.prefixHashes[steps]) steps += 1;
  const commonChars = steps * HASH_STEP_CHARS;
  if (steps < shared) return { commonChars, end: 'parts' };
  if (outer.lengthChars === inner.lengthChars) {
    if (outer.endHash === inner.endHash) return { commonChars: outer.lengthChars, end: 'equal' };
    return { commonChars, end: 'parts' };
  }
  return { commonChars, end: outer.lengthChars < inner.lengthChars ? 'shorter' : 'longer' };
}

function agreementOf(outer: Sight, inner: Sight, pairs: readonly LanePair[]): Agreement {
  if (outer.lanes.length === 0) return 'unknown';
  if (inner.lanes.length === 0) return hasUnreadText(inner) ? 'unknown' : 'differs';
  if (pairs.some(({ equal }) => equal)) return 'equal';
  if (pairs.some(({ commonChars }) => commonChars > 0)) return 'part';
  // Cut within its first hash step, it may be the beginning of what went in.
  const isBeginning = pairs.every((pair) => pair.outer.lengthChars < pair.inner.lengthChars);
  return pairs.length > 0 && isBeginning && !isWhole(outer) ? 'unknown' : 'differs';
}
