// The rule of two points: what the hop between two sights of one exchange did to its text. Pure: record in, verdict
// out. A hop is accused only where text that went in earlier came out together with text that went in later, as a
// rule and not once; a hop that costs the same time for everything is far away, and holds nothing.
import { defined } from '../../measure/defined.ts';
import type { HopFacts } from '../../record/hop-facts.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import type { HopVerdict } from '../delivery/verdict.ts';
import { behindFinding } from './behind.ts';
import { exactBlock } from './blocks.ts';
import { pacedFinding } from './paced.ts';
import { gapsOf, hopReads, type HopRead, type Release, releasesOf } from './reads.ts';
import { startFinding } from './start.ts';
import type { HopFinding, HopView } from './view.ts';
import { wayOf } from './way.ts';
import { rankOf } from '../rank.ts';

const NS_PER_MS = 1e6;
/** A hold below this matters to nobody, and below four times the error of the clocks it may not be there. */
const MATTERS_NS = 5 * NS_PER_MS;
/** From here on a single read counts as held. */
const HELD_NS = 3 * NS_PER_MS;
/** Of the reads, so many held together are a rule; so few are an accident. */
const RULE_RATIO = 0.5;
const PAIRS_RATIO = 0.4;
const NEARLY_ALL_RATIO = 0.8;
const ACCIDENT_RATIO = 0.15;
const HELD_LEAST_COUNT = 3;
/** Signs that no unevenness makes; without one of them text must wait for longer than networks let it. */
const REGULAR_SIGNS: ReadonlySet<string> = new Set([
  'exact_blocks',
  'constant_count',
  'constant_interval',
  'constant_wait',
  'all_at_end',
]);
/** A packet that is sent again takes 200 ms and more. */
const IRREGULAR_LEAST_NS = 300 * NS_PER_MS;
const MANY_COUNT = 10;
/** Releases of exactly one size that nothing but a buffer makes. */
const BLOCKS_LEAST_COUNT = 8;

/** Absent where no text was seen on both sides. */
export function judgeHop(record: StreamRecord): HopVerdict | undefined {
  const { hop } = record;
  if (hop === undefined || hop.curve.innerAtNs.length === 0) return undefined;
  const all = hopReads(record, hop);
  const reads = all.filter(({ tainted }) => !tainted);
  const view = viewOf(record, hop, reads);
  const finding =
    reads.length * 2 < all.length
      ? { word: 'unsure' as const, confidence: 1, signs: ['client_blocked'] }
      : findingOf(view);
  const { word, way, confidence, signs, numbers } = finding;
  return {
    hop: hop.name,
    word,
    ...defined({ way }),
    confidence,
    signs,
    numbers: rounded({ ...numbersOf(view, all.length), ...numbers }),
    ...figuresOf(record, hop, reads),
  };
}

function viewOf(record: StreamRecord, hop: HopFacts, reads: readonly HopRead[]): HopView {
  const clockErrorNs = hop.clockErrorNs ?? 0;
  const releases = releasesOf(record, reads);
  const baseNs = reads.length === 0 ? 0 : Math.min(...reads.map(({ holdNs }) => holdNs));
  const heldNs = Math.max(HELD_NS, 2 * clockErrorNs);
  const mattersNs = Math.max(MATTERS_NS, 4 * clockErrorNs);
  const heldReads = new Set(releases.flatMap((release) => heldIn(release, baseNs, heldNs)));
  return { record, hop, reads, releases, baseNs, heldNs, mattersNs, heldReads };
}

/** Those that waited for another of their release to go in. */
function heldIn({ reads }: Release, baseNs: number, heldNs: number): HopRead[] {
  const lastInAtNs = reads.at(-1)?.innerAtNs ?? 0;
  return reads.filter(({ holdNs, innerAtNs }) => holdNs - baseNs >= heldNs && lastInAtNs - innerAtNs >= heldNs);
}

function findingOf(view: HopView): HopFinding {
  const { reads, baseNs, mattersNs, heldReads } = view;
  const excess = reads.map(({ holdNs }) => holdNs - baseNs);
  const ratio = heldReads.size / reads.length;
  const gathering = gatheringRatio(view);
  // Of two at a time only one waits, so that nearly all releases say as much as most of the reads.
  const isOften = ratio >= RULE_RATIO ? gathering >= RULE_RATIO : ratio >= PAIRS_RATIO && gathering >= NEARLY_ALL_RATIO;
  const isRule = isOften && heldReads.size >= HELD_LEAST_COUNT;
  if (isRule && Math.max(...excess) >= mattersNs) {
    return heldFinding(view);
  }
  const special = blockFinding(view) ?? startFinding(view) ?? pacedFinding(view) ?? behindFinding(view);
  if (special !== undefined) return special;
  if (Math.max(...excess) < mattersNs) return passing(view);
  if (ratio >= ACCIDENT_RATIO) return { word: 'unsure', confidence: 1, signs: ['held_at_times'] };
  if (rankOf(excess, 95) < mattersNs) return { word: 'passes', confidence: 0.9, signs: ['single_hold'] };
  // Most text passed at once, and what did not came out on its own: a busy machine, or an uneven network.
  if (rankOf(excess, 50) < mattersNs) return { word: 'passes', confidence: 0.8, signs: ['jitter'] };
  // The shortest may be short by what we took off for ourselves; the middle half says how even the way is.
  if (rankOf(excess, 75) - rankOf(excess, 25) < mattersNs) {
    if (isOneBeat(view)) return { word: 'unsure', confidence: 1, signs: ['one_beat'] };
    return { word: 'passes', confidence: 0.8, signs: ['constant_delay', 'jitter'] };
  }
  return { word: 'unsure', confidence: 1, signs: ['jitter'] };
}

/** Each read waits for about as long as the engine is silent after it: one behind, or far away by just that much. */
function isOneBeat({ reads }: HopView): boolean {
  const beatNs = rankOf(gapsOf(reads.map(({ innerAtNs }) => innerAtNs)), 50);
  const holds = reads.map(({ holdNs }) => holdNs);
  return Math.abs(rankOf(holds, 50) - beatNs) <= Math.max(2 * NS_PER_MS, 0.1 * beatNs);
}

/** Of the releases, those that gather: a few long pauses can hold much of a short answer, and are no rule. */
function gatheringRatio({ releases, heldReads }: HopView): number {
  const gathering = releases.filter(({ reads }) => reads.some((read) => heldReads.has(read)));
  return gathering.length / releases.length;
}

function heldFinding(view: HopView): HopFinding {
  const { record, reads, releases, heldNs, hop } = view;
  const { way, signs, numbers } = wayOf({
    reads,
    releases,
    heldNs,
    codingAdded: hop.changes.includes('coding_added'),
    clockErrorNs: hop.clockErrorNs ?? 0,
    askedAfterNs: askedAfterNs(record, hop),
  });
  // An uneven network keeps order, so that what is late makes more late: only a regular release is a hop's.
  const isMany = releases.length >= MANY_COUNT;
  const isRegular = signs.some((sign) => REGULAR_SIGNS.has(sign) || (isMany && sign === 'released_on_arrival'));
  if (!isRegular && excessAt(view, 50) < IRREGULAR_LEAST_NS) {
    return { word: 'unsure', confidence: 1, signs: ['held_together', 'irregular', ...signs], numbers };
  }
  return { word: 'holds', way, confidence: confidenceOf(view), signs: ['held_together', ...signs], numbers };
}

function excessAt({ reads, baseNs }: HopView, percent: number): number {
  return rankOf(
    reads.map(({ holdNs }) => holdNs - baseNs),
    percent,
  );
}

/** Blocks to the byte that cut events: each read waits for what fills its block, though few come out together. */
function blockFinding({ reads, releases, mattersNs }: HopView): HopFinding | undefined {
  const block = releases.length < BLOCKS_LEAST_COUNT ? undefined : exactBlock(releases);
  const holds = reads.map(({ holdNs }) => holdNs);
  if (block === undefined || rankOf(holds, 50) < mattersNs) return undefined;
  return { word: 'holds', way: 'size', confidence: 0.95, signs: ['exact_blocks'], numbers: { blockBytes: block } };
}

/** By how often it was seen to hold: a hop may stumble once over a short answer. */
function confidenceOf({ heldReads }: HopView): number {
  if (heldReads.size >= 20) return 0.99;
  return heldReads.size >= 8 ? 0.95 : 0.85;
}

function passing({ reads, baseNs, mattersNs }: HopView): HopFinding {
  const spanNs = (reads.at(-1)?.innerAtNs ?? 0) - (reads[0]?.innerAtNs ?? 0);
  // What went in all at once came out all at once: whether it waited, or the way is long, cannot be told.
  if (spanNs < mattersNs && baseNs >= mattersNs) return { word: 'unsure', confidence: 1, signs: ['too_short'] };
  const signs = baseNs >= mattersNs ? ['constant_delay'] : [];
  return { word: 'passes', confidence: reads.length >= 8 ? 0.99 : 0.9, signs };
}

function numbersOf({ reads, releases, baseNs, heldReads }: HopView, allCount: number): Record<string, number> {
  return {
    reads: reads.length,
    releases: releases.length,
    heldRatio: reads.length === 0 ? 0 : heldReads.size / reads.length,
    baseMs: baseNs / NS_PER_MS,
    ...(allCount > reads.length ? { blockedReads: allCount - reads.length } : {}),
  };
}

type Lengths = Pick<HopVerdict, 'holdMaxNs' | 'holdP50Ns' | 'holdP95Ns' | 'ttftAddedNs' | 'gapJitterAddedNs'>;

function figuresOf(record: StreamRecord, hop: HopFacts, reads: readonly HopRead[]): Lengths {
  const holds = reads.map(({ holdNs }) => holdNs);
  const [first] = reads;
  if (first === undefined) return {};
  const maxNs = Math.max(...holds);
  return {
    holdMaxNs: maxNs,
    holdP50Ns: rankOf(holds, 50),
    holdP95Ns: rankOf(holds, 95),
    // Of text that was there before anything came out, the first of it.
    ttftAddedNs: askedAfterNs(record, hop) + first.holdNs,
    gapJitterAddedNs: maxNs - Math.min(...holds),
  };
}

/**
 * Our request had been given to the hop → the hop's own was received behind it. A hop that waits for the whole
 * request has had it only then; one that does not is measured from its connection on, not from a slow upload.
 */
function askedAfterNs({ marks }: StreamRecord, { inner, clockErrorNs = 0 }: HopFacts): number {
  const { requestSentAtNs, connectedAtNs = 0 } = marks;
  const isWhole = requestSentAtNs !== undefined && requestSentAtNs <= inner.openedAtNs;
  return Math.max(0, inner.openedAtNs - (isWhole ? requestSentAtNs : connectedAtNs) - clockErrorNs);
}

/** Numbers for people: what is beyond a thousandth is noise. */
function rounded(numbers: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Math.round(value * 1e3) / 1e3]));
}
