// In which way a hop holds that is known to hold: by what its releases have in common. Pure.
//
//   size    they end when the read that fills them goes in, and bring as much each time
//   timer   they come at times of their own, whatever went in
import type { HoldWay } from './delivery.ts';
import { rankOf, type HopRead, type Release } from './hop-reads.ts';

export interface Held {
  readonly releases: readonly Release[];
  readonly reads: readonly HopRead[];
  /** Smallest hold: what the hop costs where it does not hold. */
  readonly baseNs: number;
  /** From this on a hold counts. */
  readonly heldNs: number;
  readonly codingAdded: boolean;
  readonly clockErrorNs: number;
  /** What the way to the hop and its own work cost on the request: a way back that costs much more is a wait. */
  readonly askedAfterNs: number;
}

export interface WayFinding {
  readonly way: HoldWay;
  readonly signs: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
}

const NS_PER_MS = 1e6;
/** Of the releases, how many must be alike. */
const ALIKE_RATIO = 0.75;
/** Two moments of a timer, and two releases of a size, are so far apart at most. */
const TIMER_SLACK_NS = 3 * NS_PER_MS;
const ALIKE_SPREAD_RATIO = 0.08;

export function wayOf(held: Held): WayFinding {
  if (held.codingAdded) return { way: 'compression', signs: ['coding_added'], numbers: {} };
  if (isUntilEnd(held)) return { way: 'until_end', signs: ['all_at_end'], numbers: {} };
  const size = sizeFinding(held);
  const timer = timerFinding(held);
  const onArrival = arrivalRatio(held) >= ALIKE_RATIO;
  if (size !== undefined && (onArrival || timer === undefined)) {
    return onArrival ? { ...size, signs: [...size.signs, 'released_on_arrival'] } : size;
  }
  // A block that is due with an arrival can look like a beat where the engine's own is even; a beat cannot wait for one.
  if (timer !== undefined && !onArrival) return timer;
  return size ?? { way: 'rechunk', signs: [], numbers: {} };
}

/** Nothing came out before the last of it had gone in, or nearly so. */
function isUntilEnd({ releases, reads, heldNs }: Held): boolean {
  const lastInAtNs = Math.max(...reads.map(({ innerAtNs }) => innerAtNs));
  const firstInAtNs = Math.min(...reads.map(({ innerAtNs }) => innerAtNs));
  const nearNs = Math.max(heldNs, 0.05 * (lastInAtNs - firstInAtNs));
  return (releases[0]?.firstAtNs ?? 0) >= lastInAtNs - nearNs;
}

/**
 * Of the releases but the last, which the end releases, how many came out as their last read went in. Where even
 * these waited longer than the way explains, or the clocks are too far apart to see it, none did.
 */
function arrivalRatio({ releases, reads, baseNs, clockErrorNs, askedAfterNs }: Held): number {
  const whole = releases.slice(0, -1);
  const gapNs = rankOf(gapsOf(reads.map(({ innerAtNs }) => innerAtNs)), 50);
  const soonNs = Math.max(0.5 * NS_PER_MS, 0.2 * gapNs);
  if (baseNs > NS_PER_MS + 1.5 * askedAfterNs || clockErrorNs > soonNs || whole.length === 0) return 0;
  const count = whole.filter(({ reads: inside }) => (inside.at(-1)?.holdNs ?? 0) <= baseNs + soonNs).length;
  return count / whole.length;
}

/** As many bytes each time, but for what the read that filled it had too much; or as many reads. */
function sizeFinding({ releases, reads }: Held): WayFinding | undefined {
  const whole = releases.slice(0, -1);
  if (whole.length < 2) return undefined;
  const ends = whole.map(({ reads: inside }) => inside.at(-1)?.innerBytes ?? 0);
  // The first release has the head of the stream in it, so that blocks are the distances between ends.
  const blocks = gapsOf(ends);
  const readBytes = rankOf(gapsOf(reads.map(({ innerBytes }) => innerBytes)), 50);
  const counts = whole.map(({ reads: inside }) => inside.length);
  const block = rankOf(blocks, 50);
  const numbers = { blockBytes: block, blockReads: rankOf(counts, 50) };
  const slack = Math.max(ALIKE_SPREAD_RATIO * block, 1.1 * readBytes);
  if (blocks.length > 0 && alikeRatio(blocks, block, slack) >= ALIKE_RATIO) {
    return { way: 'size', signs: ['constant_blocks'], numbers };
  }
  const count = rankOf(counts, 50);
  if (count > 1 && counts.length >= 3 && alikeRatio(counts.slice(1), count, 0) >= ALIKE_RATIO) {
    return { way: 'size', signs: ['constant_count'], numbers };
  }
  return undefined;
}

/** Releases at multiples of one time, or each so long after the first read in it. */
function timerFinding(held: Held): WayFinding | undefined {
  const whole = held.releases.slice(0, -1);
  if (whole.length < 2) return undefined;
  const intervals = gapsOf(whole.map(({ firstAtNs }) => firstAtNs));
  const beatNs = beatOf(intervals);
  if (beatNs !== undefined) {
    return { way: 'timer', signs: ['constant_interval'], numbers: { intervalMs: beatNs / NS_PER_MS } };
  }
  const waits = whole.map(({ reads }) => reads[0]?.holdNs ?? 0);
  const waitNs = rankOf(waits, 50);
  if (whole.length < 3 || waitNs < held.heldNs) return undefined;
  const slackNs = Math.max(TIMER_SLACK_NS, ALIKE_SPREAD_RATIO * waitNs);
  if (alikeRatio(waits, waitNs, slackNs) < ALIKE_RATIO) return undefined;
  return { way: 'timer', signs: ['constant_wait'], numbers: { intervalMs: waitNs / NS_PER_MS } };
}

/** The time that all intervals are multiples of, by the shorter ones: a beat without anything to release is silent. */
function beatOf(intervals: readonly number[]): number | undefined {
  const shortest = rankOf(intervals, 10);
  const single = intervals.filter((each) => each <= 1.5 * shortest);
  const beatNs = rankOf(single, 50);
  if (beatNs <= 2 * TIMER_SLACK_NS || intervals.length < 2) return undefined;
  const onBeat = intervals.filter((each) => {
    const beats = Math.max(1, Math.round(each / beatNs));
    return Math.abs(each - beats * beatNs) <= Math.max(TIMER_SLACK_NS, 0.04 * beatNs);
  });
  // Many multiples fit anything: the beat itself must be seen in most.
  const isSeen = single.length >= intervals.length / 2;
  return isSeen && onBeat.length / intervals.length >= ALIKE_RATIO ? beatNs : undefined;
}

function alikeRatio(values: readonly number[], middle: number, slack: number): number {
  if (values.length === 0) return 0;
  return values.filter((value) => Math.abs(value - middle) <= slack).length / values.length;
}

export function gapsOf(moments: readonly number[]): number[] {
  return moments.slice(1).map((moment, index) => moment - (moments[index] as number));
}
