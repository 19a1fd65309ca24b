// Held until a block of the compressor is full: a content coding lies over the body, and text comes in lumps
// with silence between. A compressor that is flushed with every event shows none of that.
import { areSegments } from './size.ts';
import { commonNumbers, ratio, type Finding, type Shape } from './shape.ts';
import { medianOf } from '../rank.ts';
import { sumOf } from '../sum.ts';

const HELD_LEAST_RATIO = 0.9;
/** A lump of one block holds dozens of events: JSON of one kind compresses to a tenth. */
const EVENTS_LEAST_MEAN = 20;
/** A compressor that is flushed halfway keeps the last bits, and with them the end of each event. */
const LATE_LEAST = 8;
const LATE_LEAST_RATIO = 0.6;

export function judgeCompression(shape: Shape): Finding | undefined {
  const { arrivals, bursts, counts, inner } = shape;
  if (!arrivals.coded) return undefined;
  if (endsComeLate(shape)) return lateEnds(shape);
  if (bursts.length < 2 || shape.heldRatio < HELD_LEAST_RATIO) return undefined;
  const mean = ratio(sumOf(counts), counts.length);
  if (mean < EVENTS_LEAST_MEAN || sumOf(counts) < 3 * EVENTS_LEAST_MEAN) return undefined;
  return {
    word: 'holds',
    way: 'compression',
    signs: ['content_coding', 'lumps'],
    numbers: { ...commonNumbers(shape), codedBytesPerBurst: medianOf(bursts.map((burst) => burst.bytes)) },
    ample: inner.length >= 3 || mean >= 5 * EVENTS_LEAST_MEAN,
  };
}

/** Under a content coding the end of nearly each event comes only with the beginning of the next. */
export function endsComeLate({ arrivals, bursts, cutRatio }: Shape): boolean {
  return arrivals.coded && bursts.length >= LATE_LEAST && cutRatio >= LATE_LEAST_RATIO && !areSegments(bursts);
}

function lateEnds(shape: Shape): Finding {
  const { cutRatio, bursts } = shape;
  return {
    word: 'holds',
    way: 'compression',
    signs: ['content_coding', 'ends_come_late'],
    numbers: { ...commonNumbers(shape), cutRatio: Math.round(100 * cutRatio) / 100 },
    ample: bursts.length >= 20,
  };
}
