// Are these two texts one? By the stretches that their lanes have in common; a gateway may drop a lane, move it to
// another channel or into another lane, put text before it, or alter it anywhere. Pure; knows nothing of times.
import type { HopChange } from '../../record/hop-facts.ts';
import { HASH_STEP_CHARS } from '../../record/text-curve.ts';
import { commonHeadChars, commonStretches } from './align.ts';
import { endsAlike, type LanePair, replacedChars } from './lane-pair.ts';
import type { Sight, SightLane } from './sight.ts';
import { noteMissing, textChanges } from './text-changes.ts';

/**
 * `equal`: at least one whole lane is the same. `whole`: all of a lane is in the other one, to the character. `near`:
 * little was replaced. `part`: some of it is the same. `differs`: there is text that came out and nothing of it went
 * in. `unknown`: too little text on one side to tell.
 */
type Agreement = 'equal' | 'whole' | 'near' | 'part' | 'differs' | 'unknown';

export interface TextMatch {
  readonly agreement: Agreement;
  readonly pairs: readonly LanePair[];
  /** Code points in the longest lane that is equal, or is wholly in the other. */
  readonly sureChars: number;
  /** Whatever was replaced, the text that is common is beyond chance. */
  readonly isTelling: boolean;
  readonly changes: readonly HopChange[];
}

/** So many times as much may be replaced as is common, where an id says that it is the same exchange. */
const PART_RATIO = 4;
/** So many times as much is common as was replaced. */
const NEAR_RATIO = 4;

export function matchTexts(outer: Sight, inner: Sight): TextMatch {
  const taken = new Set<SightLane>();
  const gathered: Gathered = { taken, pairs: [], changes: new Set() };
  const rest = pairSameLanes(outer, inner, gathered);
  pairMovedLanes(rest, inner, gathered);
  pairLanesWithin(outer, inner, gathered);
  const { pairs, changes } = gathered;
  for (const change of textChanges(pairs, { outer, inner })) changes.add(change);
  noteMissing(
    outer,
    inner.lanes.filter((lane) => !taken.has(lane)),
    changes,
  );
  const sure = pairs.filter((pair) => pair.equal || isContained(pair));
  const agreement = agreementOf(outer, inner, pairs);
  const { commonChars, replaced } = sums(pairs);
  const sureChars = Math.max(0, ...sure.map((pair) => pair.commonChars));
  const isLong = agreement === 'equal' || agreement === 'whole' ? sureChars >= HASH_STEP_CHARS : false;
  const isTelling = isLong || (replaced < HASH_STEP_CHARS && commonChars >= NEAR_RATIO * HASH_STEP_CHARS);
  return { agreement, pairs, sureChars, isTelling, changes: [...changes] };
}

interface Gathered {
  /** Inner lanes that have their place. */
  readonly taken: Set<SightLane>;
  readonly pairs: LanePair[];
  readonly changes: Set<HopChange>;
}

/** Lanes of the same channel and choice; returns the outer ones that are left. */
function pairSameLanes(outer: Sight, inner: Sight, { taken, pairs }: Gathered): SightLane[] {
  return outer.lanes.filter((lane) => {
    const same = inner.lanes.find((one) => isNamed(one, lane));
    if (same === undefined) return true;
    const pair = pairLanes(lane, same);
    // A lane of the same name with nothing in common may be another lane's text.
    if (pair.commonChars === 0 && !mayBegin(pair)) return true;
    taken.add(same);
    pairs.push(pair);
    return false;
  });
}

/** Outer lanes whose text came in on another channel of the same choice. */
function pairMovedLanes(outerLanes: readonly SightLane[], inner: Sight, { taken, pairs, changes }: Gathered): void {
  for (const lane of outerLanes) {
    const candidates = inner.lanes
      .filter((one) => !taken.has(one) && one.choice === lane.choice && one.channel !== lane.channel)
      .map((one) => pairLanes(lane, one))
      .filter(({ commonChars }) => commonChars > 0);
    const [best] = candidates.sort((a, b) => b.commonChars - a.commonChars);
    if (best === undefined) {
      const named = inner.lanes.find((one) => isNamed(one, lane));
      if (named !== undefined) taken.add(named);
      // What went in and could not be read, or goes on, may have had it.
      if (named !== undefined) changes.add('text_changed');
      else if (isEnded(inner) && inner.facts.dialect !== undefined) changes.add('text_added');
      continue;
    }
    taken.add(best.inner);
    pairs.push(best);
    changes.add('channel_moved');
  }
}

/** Inner lanes that came out within a lane that has another's text too, as reasoning does between marks. */
function pairLanesWithin(outer: Sight, inner: Sight, { taken, pairs, changes }: Gathered): void {
  for (const lane of inner.lanes) {
    if (taken.has(lane)) continue;
    const within = outer.lanes
      .filter((one) => one.choice === lane.choice && pairs.some((pair) => pair.outer === one))
      .map((one) => pairLanes(one, lane))
      .find((pair) => pair.commonChars >= HASH_STEP_CHARS || pair.commonChars === lane.lengthChars);
    if (within === undefined) continue;
    taken.add(lane);
    pairs.push(within);
    changes.add('channel_moved');
  }
}

function pairLanes(outer: SightLane, inner: SightLane): LanePair {
  const stretches = commonStretches(outer, inner);
  const commonChars = stretches.reduce((sum, { chars }) => sum + chars, 0);
  const equal = commonChars === outer.lengthChars && commonChars === inner.lengthChars;
  return { outer, inner, stretches, commonChars, equal };
}

/** Too short to have anything in common, one may still be the beginning of the other. */
function mayBegin({ outer, inner }: LanePair): boolean {
  const steps = Math.min(outer.prefixHashes.length, inner.prefixHashes.length);
  return steps * HASH_STEP_CHARS === commonHeadChars(outer, inner) && outer.lengthChars !== inner.lengthChars;
}

/** All of one is in the other; a few characters may begin many a text, and end few. */
function isContained(pair: LanePair): boolean {
  return replacedChars(pair) === 0 && (pair.commonChars >= HASH_STEP_CHARS || endsAlike(pair));
}

function isNamed(one: SightLane, { channel, choice }: SightLane): boolean {
  return one.channel === channel && one.choice === choice;
}

/** Text that came out must have gone in; it may have, where a good answer was there and nobody could read it. */
function hasUnreadText({ facts }: Sight): boolean {
  return facts.dialect === undefined && facts.receivedBytes > 0 && (facts.status ?? 500) < 400;
}

/** It ended by itself, so that all of its text was there. */
function isEnded({ outcome }: Sight): boolean {
  return outcome === 'ok';
}

function sums(pairs: readonly LanePair[]): { readonly commonChars: number; readonly replaced: number } {
  return {
    commonChars: pairs.reduce((sum, pair) => sum + pair.commonChars, 0),
    replaced: pairs.reduce((sum, pair) => sum + replacedChars(pair), 0),
  };
}

function agreementOf(outer: Sight, inner: Sight, pairs: readonly LanePair[]): Agreement {
  if (outer.lanes.length === 0) return 'unknown';
  if (inner.lanes.length === 0) return hasUnreadText(inner) ? 'unknown' : 'differs';
  if (pairs.some(({ equal }) => equal)) return 'equal';
  if (pairs.some(isContained)) return 'whole';
  const { commonChars, replaced } = sums(pairs);
  if (commonChars >= HASH_STEP_CHARS && commonChars >= NEAR_RATIO * replaced) return 'near';
  if (commonChars >= HASH_STEP_CHARS && PART_RATIO * commonChars >= replaced) return 'part';
  // Cut within its first hash step, it may be the beginning of what went in.
  const isBeginning = pairs.every((pair) => pair.outer.lengthChars < pair.inner.lengthChars && mayBegin(pair));
  return pairs.length > 0 && isBeginning && !isEnded(outer) ? 'unknown' : 'differs';
}
