// Lays the two arrival curves of one text over each other, by characters: when it went into the hop, and when it
// came out. Pure.
import { HOP_CURVE_MAX_COUNT } from '../../base/pairing-limits.ts';
import type { HopCurve } from '../../record/hop-facts.ts';
import type { Channel } from '../../record/kinds.ts';
import { evenly } from './evenly.ts';
import type { SightLane } from './sight.ts';
import type { LanePair } from './text-match.ts';

interface Row {
  readonly channel: Channel;
  readonly choice: number;
  readonly endChars: number;
  readonly innerAtNs: number;
  readonly innerBytes: number;
  readonly outerAtNs: number;
}

/** Moments of the curve are since `openedAtNs`, on the outer side. */
export function overlay(pairs: readonly LanePair[], openedAtNs: number): HopCurve {
  const rows = pairs.flatMap((pair) => rowsOf(pair));
  rows.sort((a, b) => a.innerAtNs - b.innerAtNs || a.innerBytes - b.innerBytes);
  const kept = thinned(rows);
  return {
    channel: kept.map(({ channel }) => channel),
    choice: kept.map(({ choice }) => choice),
    endChars: kept.map(({ endChars }) => endChars),
    innerAtNs: kept.map(({ innerAtNs }) => innerAtNs - openedAtNs),
    innerBytes: kept.map(({ innerBytes }) => innerBytes),
    outerAtNs: kept.map(({ outerAtNs }) => outerAtNs - openedAtNs),
  };
}

/** Each growth of the inner lane that lies in the common part, with the outer read that completed it. */
function rowsOf({ outer, inner, commonChars, equal }: LanePair): Row[] {
  const { channel, choice } = inner;
  const rows: Row[] = [];
  let at = 0;
  for (const [index, endChars] of inner.endChars.entries()) {
    if (endChars > commonChars && !equal) break;
    while (at < outer.endChars.length && (outer.endChars[at] as number) < endChars) at += 1;
    const outerAtNs = outer.atNs[at];
    if (outerAtNs === undefined) break;
    const [innerAtNs, innerBytes] = [inner.atNs[index] as number, inner.bytes[index] as number];
    rows.push({ channel, choice, endChars, innerAtNs, innerBytes, outerAtNs });
  }
  return rows;
}

/** A long curve keeps its ends and the largest hold: figures that rest on these stay what they are. */
function thinned(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= HOP_CURVE_MAX_COUNT) return rows;
  const holdNs = (row: Row): number => row.outerAtNs - row.innerAtNs;
  const largest = rows.reduce((most, row) => (holdNs(row) > holdNs(most) ? row : most));
  const kept = evenly(rows, HOP_CURVE_MAX_COUNT - 1);
  if (kept.includes(largest)) return kept;
  const before = kept.filter((row) => row.innerAtNs <= largest.innerAtNs);
  return [...before, largest, ...kept.slice(before.length)];
}

/** A read shares its first stamp with what arrives while it goes on, so a stamp can be early by that much. */
const READ_SLACK_NS = 2e6;

/**
 * Text came out of the hop before it was even received on its way in: these are not two sights of one exchange,
 * though their texts are the same. `slackNs` is what the two clocks may be apart.
 */
export function isBeforeItsCause({ outer, inner, commonChars, equal }: LanePair, slackNs: number): boolean {
  const firstChars = inner.endChars[0];
  if (commonChars === 0 || firstChars === undefined) return false;
  const slack = READ_SLACK_NS + slackNs;
  const firstAtNs = whenOut(outer, Math.min(firstChars, commonChars));
  if (firstAtNs !== undefined && firstAtNs + slack < inner.firstReceivedAtNs) return true;
  return equal && outer.lastReceivedAtNs + slack < inner.lastReceivedAtNs;
}

function whenOut({ endChars, atNs }: SightLane, chars: number): number | undefined {
  return atNs[endChars.findIndex((end) => end >= chars)];
}
