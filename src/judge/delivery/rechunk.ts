// Held in a rhythm of the hop's own: every burst brings dozens of events behind a long silence. Where a few of
// them look alike in bytes or in time, that is named; else it is neither. A front end of the engine that is
// overloaded looks alike for a while, so this asks for more than the other rules.
import type { HoldWay } from './verdict.ts';
import type { Burst } from './arrivals.ts';
import { areSegments } from './size.ts';
import { commonNumbers, isMostlyCut, ratio, type Finding, type Shape } from './shape.ts';
import { sumOf } from '../sum.ts';

const FULL_MANY = 4;
const EVENTS_LEAST = 16;
const EVENTS_LEAST_MEAN = 24;
/** Where bursts end inside an event they may be a slow link's, unless they are as large as this. */
const CUT_EVENTS_MEAN = 32;
const SILENCE_LEAST_NS = 100_000_000;
/** Text that was made while it was held took an engine this long for an event; what was ready took none. */
const MADE_EVENT_NS = 1_000_000;
/** Events a second differ by no more between the bursts of one stream: it was made at one pace all along. */
const PACE_MOST_RATIO = 2;
const PACE_MANY_MOST_RATIO = 5;
const ALIKE_SPREAD = 0.75;
/** One full burst and a large rest are enough where both are far beyond what a stall gathers. */
const TWO_EVENTS_LEAST = 48;
const TWO_SILENCE_LEAST_NS = 300_000_000;

export function judgeRechunk(shape: Shape): Finding | undefined {
  const { arrivals, bursts, oursRatio } = shape;
  // The last one is what was left over, and brings as much as came by chance.
  const full = bursts.slice(0, -1);
  // Such bursts are all held: without one there is nothing to look for.
  if (shape.heldRatio === 0 || full.length === 0 || oursRatio > 0 || (full.length === 1 && !areLarge(shape)))
    return undefined;
  const counts = full.map((burst) => burst.textCount / arrivals.choiceCount);
  const mean = ratio(sumOf(counts), counts.length);
  if (Math.min(...counts) < EVENTS_LEAST || mean < EVENTS_LEAST_MEAN) return undefined;
  if (isMostlyCut(shape) && (mean < CUT_EVENTS_MEAN || areSegments(full))) return undefined;
  if (full.some(wasReady)) return undefined;
  const paceMost = full.length < FULL_MANY ? PACE_MOST_RATIO : PACE_MANY_MOST_RATIO;
  if (!isOneNumber(counts) && paceRatio(shape) > paceMost) return undefined;
  return {
    word: 'holds',
    way: wayOf(full, shape),
    signs: ['bursts_only'],
    numbers: { ...commonNumbers(shape), eventsLeast: Math.min(...counts), eventsMost: Math.max(...counts) },
    ample: full.length >= FULL_MANY,
  };
}

/** Its text cannot have been made in the silence before it. */
function wasReady({ silenceNs, textCount }: Burst): boolean {
  return silenceNs < Math.max(SILENCE_LEAST_NS, textCount * MADE_EVENT_NS);
}

function areLarge({ bursts, counts }: Shape): boolean {
  return (
    counts.every((count) => count >= TWO_EVENTS_LEAST) &&
    bursts.every((burst) => burst.silenceNs >= Math.max(TWO_SILENCE_LEAST_NS, 2 * burst.textCount * MADE_EVENT_NS))
  );
}

/** Always the same number, except that the first one counts what is no text as well. */
function isOneNumber(counts: readonly number[]): boolean {
  return counts.length > 2 && counts.slice(1).every((count) => count === counts[1]);
}

/** Fastest to slowest pace; what came before the first burst was not all spent on making it. */
function paceRatio({ bursts }: Shape): number {
  const paces = bursts.slice(1).flatMap((burst, index, all) => {
    // A small rest says little about a pace.
    if (index === all.length - 1 && burst.textCount < EVENTS_LEAST / 2) return [];
    return [burst.textCount / burst.silenceNs];
  });
  return paces.length === 0 ? Infinity : Math.max(...paces) / Math.min(...paces);
}

/** What is most constant names the way, each measured by what one event more would change. */
function wayOf(full: readonly Burst[], shape: Shape): HoldWay {
  if (isMostlyCut(shape)) return 'size';
  const { arrivals } = shape;
  const later = full.slice(1);
  if (later.length < 2) return 'rechunk';
  const counts = later.map((burst) => burst.textCount);
  if (counts.every((count) => count === counts[0])) return 'rechunk';
  const stepNs = sumOf(later.map((burst) => burst.silenceNs)) / sumOf(counts);
  const byteSpread = spreadOf(later.map((burst) => burst.bytes)) / arrivals.eventBytes;
  const timeSpread = spreadOf(later.map((burst) => burst.silenceNs)) / stepNs;
  if (Math.min(byteSpread, timeSpread) > ALIKE_SPREAD) return 'rechunk';
  return byteSpread < timeSpread ? 'size' : 'timer';
}

function spreadOf(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}
