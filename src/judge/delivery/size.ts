// Held until so many bytes are there: buffers of proxies are of 4, 8, 16 or 32 KiB and leave when they are full,
// in the middle of an event if need be. An engine writes whole events, so its bursts are as uneven as they are.
import { ascending, nearestRank } from '../../measure/percentile.ts';
import type { Burst } from './arrivals.ts';
import { commonNumbers, ratio, toMs, type Finding, type Shape } from './shape.ts';
import { medianOf } from '../rank.ts';
import { sumOf } from '../sum.ts';

/**
 * Payloads of full TCP segments. A link that is slower than the engine brings nothing else, one behind the other:
 * sizes of so many bytes, or of a few such, are nobody's buffer.
 */
const SEGMENT_LEAST_BYTES = 1200;
const SEGMENT_MOST_BYTES = 1460;
const SEGMENTS_MOST = 45;
const PAGE_BYTES = 4096;
const KIB_BYTES = 1024;
const BLOCK_MOST_BYTES = 65_536;
/** What framing of chunks on the way into the buffer takes away from it, at most, in parts of it. */
const FRAMING_PARTS = 25;
/** Bursts this even, measured in events, cannot be made of whole events while their number varies. */
const EVEN_EVENT_PARTS = 3;
const FIT_LEAST_RATIO = 0.85;
const SEGMENTS_LEAST_RATIO = 0.5;
const EVENTS_LEAST_MEAN = 3;
const ONES_LEAST = 4;
const PAGE_EVENTS_MEAN = 15;
const PAGE_OFF_BYTES = 16;
/** Of bursts of one size, those with another number of events than usual. */
const UNLIKE_LEAST_RATIO = 0.15;
/** Bursts that end inside an event: how many, their share, and how even the others are. */
const CUT_LEAST = 3;
const CUT_LEAST_RATIO = 0.6;
const CUT_EVENTS_MEAN = 2;
const CUT_SPREAD_PARTS = 8;
const SILENCE_LEAST_NS = 8_000_000;
/** One full buffer says enough when it held as many events as this. */
const ONE_BLOCK_EVENTS = 64;

export function judgeSize(shape: Shape): Finding | undefined {
  if (shape.arrivals.coded) return undefined;
  // The last burst holds what was left over, and of a first one the head may have taken a part.
  const last = shape.arrivals.bursts.at(-1);
  const full = withoutHead(shape.bursts.filter((burst) => burst !== last));
  if (
    !full.some((burst) => isTelling(burst, shape)) ||
    medianOf(full.map((burst) => burst.silenceNs)) < SILENCE_LEAST_NS
  )
    return undefined;
  const blockBytes = blockOf(full);
  const exactCount = full.filter((burst) => burst.bytes % blockBytes === 0).length;
  const known = isKnown(blockBytes);
  const countMean = ratio(sumOf(full.map((burst) => burst.textCount)), full.length * shape.arrivals.choiceCount);
  const exact = known && isExactEnough(exactCount, full.length, countMean);
  const even = exact || isPages(full, blockBytes, countMean);
  if (!even && !cutsEvents(full, blockBytes, shape) && !isCut(full, countMean, shape)) return undefined;
  // Asked last: it tries many sizes, and hardly any stream comes this far.
  if (!even && areSegments(full)) return undefined;
  return {
    word: 'holds',
    way: 'size',
    signs: [
      exact ? 'bursts_of_a_buffer' : 'bursts_of_one_size',
      ...(known || isPageLess(blockBytes) ? ['usual_block'] : []),
    ],
    numbers: {
      ...commonNumbers(shape),
      blockBytes,
      fullBursts: full.length,
      holdMs: toMs(medianOf(full.map(lengthOf))),
    },
    ample: full.length >= 5,
  };
}

/**
 * What every way of being held by size takes of one burst at least: most streams have none, and are not looked at any
 * closer.
 */
function isTelling({ bytes, eventCount }: Burst, { arrivals, cutRatio }: Shape): boolean {
  if (bytes % KIB_BYTES === 0 || cutRatio >= CUT_LEAST_RATIO) return true;
  return eventCount >= EVENTS_LEAST_MEAN * arrivals.choiceCount;
}

function withoutHead(full: readonly Burst[]): readonly Burst[] {
  const [first, second] = full;
  return first !== undefined && second !== undefined && first.bytes < second.bytes ? full.slice(1) : full;
}

/** The smallest size that bursts often have; a burst can be several of them. */
function blockOf(full: readonly Burst[]): number {
  return nearestRank(ascending(full.map((burst) => burst.bytes)), full.length >= 4 ? 25 : 50);
}

function isKnown(blockBytes: number): boolean {
  if (blockBytes > BLOCK_MOST_BYTES) return false;
  return blockBytes > 0 && blockBytes % KIB_BYTES === 0;
}

/** Most bursts are a number of full segments of one size. */
export function areSegments(full: readonly Burst[]): boolean {
  const leastCount = full.length * SEGMENTS_LEAST_RATIO;
  const shortCount = full.filter(({ bytes }) => bytes > 0 && bytes < SEGMENT_LEAST_BYTES).length;
  if (full.length - shortCount < leastCount) return false;
  for (let bytes = SEGMENT_LEAST_BYTES; bytes <= SEGMENT_MOST_BYTES; bytes += 1) {
    const fits = full.filter((burst) => burst.bytes % bytes === 0 && burst.bytes <= SEGMENTS_MOST * bytes);
    if (fits.length >= leastCount) return true;
  }
  return false;
}

/** A page or several, less what the framing took. */
function isPageLess(blockBytes: number): boolean {
  const missing = Math.ceil(blockBytes / PAGE_BYTES) * PAGE_BYTES - blockBytes;
  return missing * FRAMING_PARTS <= blockBytes;
}

/** Whole events sum up to a round number once in a few hundred times; hardly ever again and again. */
function isExactEnough(exactCount: number, fullCount: number, countMean: number): boolean {
  if (exactCount < fullCount * FIT_LEAST_RATIO) return false;
  return exactCount >= 3 || (exactCount >= 2 && countMean >= 10) || countMean >= ONE_BLOCK_EVENTS;
}

/** As good as always the same size, just below a round one, and too many events for any step. */
function isPages(full: readonly Burst[], blockBytes: number, countMean: number): boolean {
  if (full.length < ONES_LEAST || countMean < PAGE_EVENTS_MEAN || !isPageLess(blockBytes)) return false;
  return full.every((burst) => offBytes(burst, blockBytes) <= PAGE_OFF_BYTES);
}

/** Bytes stay the same while the number of events in them does not: some events were cut in two. */
function cutsEvents(full: readonly Burst[], blockBytes: number, { arrivals }: Shape): boolean {
  const fits = full.filter((burst) => offBytes(burst, blockBytes) * EVEN_EVENT_PARTS <= arrivals.eventBytes);
  const ones = fits.filter((burst) => Math.round(burst.bytes / blockBytes) === 1);
  if (ones.length < ONES_LEAST || fits.length < full.length * FIT_LEAST_RATIO) return false;
  const counts = ones.map((burst) => burst.eventCount);
  if (ratio(sumOf(counts), counts.length) < EVENTS_LEAST_MEAN * arrivals.choiceCount) return false;
  const usual = medianOf(counts);
  return counts.filter((count) => count !== usual).length >= counts.length * UNLIKE_LEAST_RATIO;
}

/** Most bursts were seen to end inside an event, and they are of about one size. */
function isCut(full: readonly Burst[], countMean: number, { cutRatio }: Shape): boolean {
  if (full.length < CUT_LEAST || cutRatio < CUT_LEAST_RATIO || countMean < CUT_EVENTS_MEAN) return false;
  const usualBytes = medianOf(full.map((burst) => burst.bytes));
  const alike = full.filter((burst) => Math.abs(burst.bytes - usualBytes) * CUT_SPREAD_PARTS <= usualBytes);
  return alike.length >= full.length * CUT_LEAST_RATIO;
}

/** How far a burst is from a full number of blocks. */
function offBytes({ bytes }: Burst, blockBytes: number): number {
  return Math.abs(bytes - Math.max(1, Math.round(bytes / blockBytes)) * blockBytes);
}

function lengthOf(burst: Burst): number {
  return burst.silenceNs;
}
