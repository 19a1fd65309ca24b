// Lays the two arrival curves of one text over each other, by characters: when it went into the hop, and when it
// came out. Pure.
import { HOP_CURVE_MAX_COUNT } from '../../base/pairing-limits.ts';
import type { HopCurve } from '../../record/hop-facts.ts';
import type { Channel } from '../../record/kinds.ts';
import { evenly } from './evenly.ts';
import { endsAlike, firstOutNs, type LanePair } from './lane-pair.ts';

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

/** Each growth of the inner lane that ends in a common stretch, with the outer read that completed it. */
function rowsOf({ outer, inner, stretches }: LanePair): Row[] {
  const { channel, choice } = inner;
  const rows: Row[] = [];
  let innerAt = 0;
  let outerAt = 0;
  for (const { outerFrom, innerFrom, chars } of stretches) {
    while (innerAt < inner.endChars.length && (inner.endChars[innerAt] as number) <= innerFrom) innerAt += 1;
    for (; innerAt < inner.endChars.length; innerAt += 1) {
      const endChars = inner.endChars[innerAt] as number;
      if (endChars > innerFrom + chars) break;
      const outerChars = endChars - innerFrom + outerFrom;
      while (outerAt < outer.endChars.length && (outer.endChars[outerAt] as number) < outerChars) outerAt += 1;
      const outerAtNs = outer.atNs[outerAt];
      if (outerAtNs === undefined) return rows;
      const [innerAtNs, innerBytes] = [inner.atNs[innerAt] as number, inner.bytes[innerAt] as number];
      rows.push({ channel, choice, endChars, innerAtNs, innerBytes, outerAtNs });
    }
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
export function isBeforeItsCause(pair: LanePair, slackNs: number): boolean {
  const { outer, inner } = pair;
  if (inner.endChars.length === 0) return false;
  const slack = READ_SLACK_NS + slackNs;
  const firstAtNs = firstOutNs(pair);
  if (firstAtNs !== undefined && firstAtNs + slack < inner.firstReceivedAtNs) return true;
  return endsAlike(pair) && outer.lastReceivedAtNs + slack < inner.lastReceivedAtNs;
}
