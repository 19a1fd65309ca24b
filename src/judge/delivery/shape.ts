// What the rules of one point look at: the bursts that can say something, and the few figures that all of
// them share. A rule is one function over it in a file of its own; the table is rules.ts.
import type { StreamRecord } from '../../record/stream-record.ts';
import { arrivalsOf, type Arrivals, type Burst } from './arrivals.ts';
import { medianOf, rankOf } from '../rank.ts';
import type { DeliveryWord, HoldWay } from './verdict.ts';
import { sumOf } from '../sum.ts';

/**
 * A step of speculative decoding brings 2 to 8 tokens, drafts of up to 16 are usual with llama.cpp; more than
 * eight events of one choice at once are held text, if it is the rule in a stream and not the exception.
 */
const HELD_LEAST_COUNT = 9;
const MOSTLY_CUT_RATIO = 0.5;
/** A silence below this is no hold worth a name, and loaded engines merge their writes over such times. */
const SILENCE_LEAST_NS = 20_000_000;

export interface Shape {
  readonly record: StreamRecord;
  readonly arrivals: Arrivals;
  /** Bursts with text that are nobody's of this side, in order of time. */
  readonly bursts: readonly Burst[];
  /** Of these, those that ended because whoever sent them chose to: all but the first and the last. */
  readonly inner: readonly Burst[];
  /** Text events of one choice in each of `bursts` and of `inner`. */
  readonly counts: readonly number[];
  readonly innerCounts: readonly number[];
  /** Of the text events in `bursts`, those that came many at a time behind a silence. */
  readonly heldRatio: number;
  /** Of all text events, those in bursts that our own lateness or a slow client may have made. */
  readonly oursRatio: number;
  /** Of the bursts, those with one text event a choice. */
  readonly singleRatio: number;
  /** Of the bursts but the last, those that end in the middle of an event. */
  readonly cutRatio: number;
}

/** What one rule says of a shape; `undefined` where it has nothing to say. */
export interface Finding {
  readonly word: DeliveryWord;
  readonly way?: HoldWay;
  readonly signs: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
  /** There was much to see, by the rule's own measure: its confidence is the higher of two. */
  readonly ample: boolean;
}

export function shapeOf(record: StreamRecord): Shape {
  const arrivals = arrivalsOf(record);
  const first = arrivals.bursts.find((burst) => burst.textCount > 0);
  const last = arrivals.bursts.at(-1);
  const [bursts, inner]: [Burst[], Burst[]] = [[], []];
  const [counts, innerCounts]: [number[], number[]] = [[], []];
  let [textCount, heldCount, singleCount, fullCount, cutCount] = [0, 0, 0, 0, 0];
  for (const burst of arrivals.bursts) {
    if (burst.textCount === 0 || burst.ours) continue;
    const count = burst.textCount / arrivals.choiceCount;
    bursts.push(burst);
    counts.push(count);
    textCount += burst.textCount;
    if (isHeld(burst, count)) heldCount += burst.textCount;
    if (count <= 1) singleCount += 1;
    if (burst === last) continue;
    fullCount += 1;
    if (burst.endsInside) cutCount += 1;
    if (burst === first) continue;
    inner.push(burst);
    innerCounts.push(count);
  }
  return {
    record,
    arrivals,
    bursts,
    inner,
    counts,
    innerCounts,
    heldRatio: ratio(heldCount, textCount),
    oursRatio: ratio(arrivals.textCount - textCount, arrivals.textCount),
    cutRatio: ratio(cutCount, fullCount),
    singleRatio: ratio(singleCount, counts.length),
  };
}

function isHeld(burst: Burst, count: number): boolean {
  return count >= HELD_LEAST_COUNT && burst.silenceNs >= SILENCE_LEAST_NS;
}

/** What cuts events is no timer's and nobody's rhythm: it let go in the middle of a write. */
export function isMostlyCut({ cutRatio }: Shape): boolean {
  return cutRatio >= MOSTLY_CUT_RATIO;
}

/** The interval at which bursts come: most of the others are late by what held them up. */
export function intervalNsOf({ inner }: Shape): number {
  return rankOf(
    inner.map((burst) => burst.silenceNs),
    25,
  );
}

/** Bursts that came at this interval, give or take. */
export function regularBursts({ inner }: Shape, intervalNs: number, spreadNs: number): readonly Burst[] {
  return inner.filter((burst) => Math.abs(burst.silenceNs - intervalNs) <= spreadNs);
}

export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export function toMs(lengthNs: number): number {
  return Math.round(lengthNs / 1e4) / 100;
}

/** The figures that every finding shows. */
export function commonNumbers({ arrivals, bursts, counts }: Shape): Record<string, number> {
  return {
    events: arrivals.eventCount,
    reads: arrivals.readCount,
    bursts: bursts.length,
    eventsPerBurst: Math.round(10 * ratio(sumOf(counts), counts.length)) / 10,
    silenceMs: toMs(medianOf(bursts.map((burst) => burst.silenceNs))),
  };
}
