// In which way a hop holds that is known to hold: by what its releases have in common. Pure.
//
//   size    as many bytes, or events, come out each time, and they do as a further read goes in
//   timer   they come at times of their own, whatever went in
import type { HoldWay } from '../delivery/verdict.ts';
import { exactBlock } from './blocks.ts';
import { alikeRatio, gapsOf, type HopRead, type Release } from './reads.ts';
import { rankOf } from '../rank.ts';

export interface Held {
  readonly releases: readonly Release[];
  readonly reads: readonly HopRead[];
  /** From this on a hold counts. */
  readonly heldNs: number;
  readonly codingAdded: boolean;
  readonly clockErrorNs: number;
  /** What the way to the hop and its own work cost on the request: the way back costs about as much. */
  readonly askedAfterNs: number;
}

export interface WayFinding {
  readonly way: HoldWay;
  readonly signs: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
}

const NS_PER_MS = 1e6;
/** Of the releases, how many must be alike; a busy machine spoils some. */
const ALIKE_RATIO = 0.75;
const EQUAL_LEAST_COUNT = 3;
const ON_ARRIVAL_RATIO = 0.6;
/** From a read's way into the hop to its way out, where nothing is waited for. */
const AT_ONCE_NS = 0.5 * NS_PER_MS;
const ON_BEAT_RATIO = 0.6;
/** Two waits of a timer are so far apart at most. */
const TIMER_SLACK_NS = 3 * NS_PER_MS;
const ALIKE_SPREAD_RATIO = 0.08;
/** Loops that run late make beats uneven. */
const ON_BEAT_SPREAD_RATIO = 0.12;
/** A faster beat is no hold worth a name. */
const BEAT_LEAST_NS = 5 * NS_PER_MS;
/** Lost packets make the same wait now and then; whoever gathers by time makes it each time. */
const WAITS_LEAST_COUNT = 5;
const WAITS_ALIKE_RATIO = 0.85;
/** With so few releases no rhythm can be seen. */
const FEW_COUNT = 3;

export function wayOf(held: Held): WayFinding {
  if (held.codingAdded) return codedFinding(held);
  if (isUntilEnd(held)) return { way: 'until_end', signs: ['all_at_end'], numbers: {} };
  const block = exactBlock(held.releases);
  if (block !== undefined) return { way: 'size', signs: ['exact_blocks'], numbers: { blockBytes: block } };
  const size = sizeFinding(held);
  const timer = timerFinding(held);
  const hasBeat = timer?.signs.includes('constant_interval') === true;
  if (isOnArrival(held, hasBeat)) {
    const onArrival = size ?? { way: 'rechunk' as const, signs: [], numbers: {} };
    return { ...onArrival, signs: [...onArrival.signs, 'released_on_arrival'] };
  }
  if (timer !== undefined) return timer;
  if (size?.signs.includes('constant_count') === true) return size;
  // What comes at moments of its own, too seldom to show a beat, is more likely a slow beat than anything else.
  if (held.releases.length <= FEW_COUNT) return { way: 'timer', signs: ['few_releases'], numbers: {} };
  return size ?? { way: 'rechunk', signs: [], numbers: {} };
}

/** The compressor's doing, unless a beat shows that somebody gathers what it has flushed. */
function codedFinding(held: Held): WayFinding {
  const compression = (...signs: string[]): WayFinding => ({
    way: 'compression',
    signs: ['coding_added', ...signs],
    numbers: {},
  });
  if (isUntilEnd(held)) return compression('all_at_end');
  const timer = timerFinding(held);
  if (isOnArrival(held, timer?.signs.includes('constant_interval') === true)) return compression('released_on_arrival');
  return timer === undefined ? compression() : { ...timer, signs: ['coding_added', ...timer.signs] };
}

/** Nothing came out before the last of it had gone in, or nearly so. */
function isUntilEnd({ releases, reads, heldNs }: Held): boolean {
  const lastInAtNs = Math.max(...reads.map(({ innerAtNs }) => innerAtNs));
  const firstInAtNs = Math.min(...reads.map(({ innerAtNs }) => innerAtNs));
  const nearNs = Math.max(heldNs, 0.05 * (lastInAtNs - firstInAtNs));
  return (releases[0]?.firstAtNs ?? 0) >= lastInAtNs - nearNs;
}

/**
 * Most releases come out just after some read went in: that one was what was waited for, also where a block ends
 * in its middle and it is not whole before the next. What the way back costs on its own is allowed for. Where the
 * releases have a beat as well, an even engine may just be near to it: then it has to be at once.
 */
function isOnArrival({ releases, reads, clockErrorNs, askedAfterNs }: Held, hasBeat: boolean): boolean {
  const arrivals = reads.map(({ innerAtNs }) => innerAtNs);
  const gapNs = rankOf(gapsOf(arrivals), 50);
  const soonNs = Math.max(AT_ONCE_NS, 0.2 * gapNs);
  const wayNs = Math.min(1.5 * askedAfterNs, 0.2 * gapNs);
  // The end releases the last one. Clocks that are too far apart tell no such thing.
  const whole = releases.slice(0, -1);
  if (clockErrorNs > soonNs || whole.length < 2) return false;
  const afterNs = whole.map(({ firstAtNs }) => {
    const latest = arrivals.findLast((atNs) => atNs <= firstAtNs) ?? -Infinity;
    return firstAtNs - latest;
  });
  const soonCount = afterNs.filter((each) => each <= soonNs + wayNs).length;
  if (soonCount / whole.length < ON_ARRIVAL_RATIO) return false;
  // A busy machine makes some of them late, but not all. Timers are far more usual than hops that count.
  return !hasBeat || rankOf(afterNs, 25) <= AT_ONCE_NS;
}

/** As many events each time; or as many bytes, but for what the event that filled it had too much. */
function sizeFinding({ releases }: Held): WayFinding | undefined {
  const events = releases.map((each) => each.outerEvents);
  const blockEvents = rankOf(events, 50);
  const equalCount = events.filter((each) => each === blockEvents).length;
  if (blockEvents > 1 && equalCount >= EQUAL_LEAST_COUNT && equalCount >= ALIKE_RATIO * (events.length - 1)) {
    return { way: 'size', signs: ['constant_count'], numbers: { blockEvents } };
  }
  // The first has the stream's own beginning in it, and the last is what was left.
  const bytes = releases.slice(1, -1).map((each) => each.outerBytes);
  const blockBytes = rankOf(bytes, 50);
  const slack = Math.max(ALIKE_SPREAD_RATIO * blockBytes, (1.1 * blockBytes) / Math.max(1, blockEvents));
  if (bytes.length < 2 || alikeRatio(bytes, blockBytes, slack) < ALIKE_RATIO) return undefined;
  return { way: 'size', signs: ['constant_blocks'], numbers: { blockBytes, blockEvents } };
}

/** Releases at multiples of one time, or each so long after the first read in it. */
function timerFinding(held: Held): WayFinding | undefined {
  const whole = held.releases.slice(0, -1);
  if (whole.length < 2) return undefined;
  const beatNs = beatOf(gapsOf(whole.map(({ firstAtNs }) => firstAtNs)));
  if (beatNs !== undefined) {
    return { way: 'timer', signs: ['constant_interval'], numbers: { intervalMs: beatNs / NS_PER_MS } };
  }
  const waits = whole.map(({ reads }) => reads[0]?.holdNs ?? 0);
  const waitNs = rankOf(waits, 50);
  if (whole.length < WAITS_LEAST_COUNT || waitNs < held.heldNs) return undefined;
  const slackNs = Math.max(TIMER_SLACK_NS, ALIKE_SPREAD_RATIO * waitNs);
  if (alikeRatio(waits, waitNs, slackNs) < WAITS_ALIKE_RATIO) return undefined;
  return { way: 'timer', signs: ['constant_wait'], numbers: { intervalMs: waitNs / NS_PER_MS } };
}

/** The time that most intervals are multiples of; a beat without anything to release is silent. */
function beatOf(intervals: readonly number[]): number | undefined {
  if (intervals.length < 2) return undefined;
  const shorter = rankOf(intervals, 25);
  const single = intervals.filter((each) => each <= 1.5 * shorter);
  const beatNs = rankOf(single, 50);
  if (beatNs < BEAT_LEAST_NS) return undefined;
  const onBeat = intervals.filter((each) => {
    const beats = Math.max(1, Math.round(each / beatNs));
    return Math.abs(each - beats * beatNs) <= ON_BEAT_SPREAD_RATIO * beatNs;
  });
  // Many multiples fit anything: the beat itself must be seen in most.
  const isSeen = single.length >= intervals.length / 2;
  return isSeen && onBeat.length / intervals.length >= ON_BEAT_RATIO ? beatNs : undefined;
}
