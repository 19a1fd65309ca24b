// Why a gap that rubato saw was as long as it was: the engine's own account of the time between two tokens, and by
// how much more each part of the way delayed the later one. The label of a stall is whoever has the largest share of
// what the gap was longer than this stream's usual pace. No threshold of any rule is known here.
import { gapShares, largestShare, usualGap, type Mechanic } from '../../../src/client/reference-engine/gap-truth.ts';
import type { GapParts } from '../../../src/client/reference-engine/gap-parts.ts';
import type { StallCause } from '../../../src/record/stall-context.ts';
import type { Delays, Travelled } from './travel.ts';

export type Share = Mechanic | Exclude<keyof Delays, 'told'>;

export interface GapLabel {
  readonly cause: StallCause;
  /** Whoever made the stall: the cause, and any other with nearly as large a share. */
  readonly causes: readonly StallCause[];
  /** Of all shares, in ns; together the excess over the usual pace, but for how an engine spreads a step's events. */
  readonly shares: Readonly<Record<Share, number>>;
}

/** A share of so much of the largest one is nearly as large: nobody could say which of both it was. */
const NEARLY = 0.8;

/** What a rule may call each: what has no name among the causes, and no excess at all, is `unknown`. */
const CAUSE_OF: Readonly<Record<Share, StallCause>> = {
  prefill: 'prefill_interference',
  growth: 'growth',
  preemption: 'preemption',
  host: 'host',
  speculation: 'speculation',
  buffering: 'buffering',
  network: 'network',
  client: 'client',
  rubato: 'rubato',
  stall: 'unknown',
  noise: 'unknown',
};

const NO_GAP: GapParts = {
  workNs: 0,
  prefillNs: 0,
  preemptedNs: 0,
  hostNs: 0,
  stallNs: 0,
  noiseNs: 0,
  aloneNs: 0,
  tokenCount: 0,
};

/** A stall as rubato's definition has it. */
export interface SeenStall {
  readonly readAtNs: number;
  readonly gapNs: number;
  /** A gap above this was a stall. */
  readonly thresholdNs: number;
  /** The definition went by what the stream is used to: enough good gaps came before. */
  readonly isUsed: boolean;
}

/** The label of a stall; undefined where no event came at its end, or the first. */
export function labelOf(travelled: Travelled, stall: SeenStall, speculates: boolean): GapLabel | undefined {
  const { answer, events } = travelled;
  const { readAtNs, gapNs, thresholdNs, isUsed } = stall;
  const index = events.findIndex((event) => event.readAtNs === readAtNs);
  const [before, now] = [events[index - 1], events[index]];
  if (before === undefined || now === undefined) return undefined;
  const gaps = answer.events.slice(0, index).flatMap(({ gap }) => gap ?? []);
  const gap = answer.events[index]?.gap ?? NO_GAP;
  const tokens = gaps.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  const tokensPerStep = !speculates ? 1 : gaps.length === 0 ? Math.max(1, gap.tokenCount) : tokens / gaps.length;
  const delayed = (part: keyof Delays): number => now.delaysNs[part] - before.delaysNs[part];
  const shares = {
    // Where rubato knew of no usual gap there is none to compare with: the engine may have told more than was seen.
    ...gapShares(usualGap(isUsed ? gaps : [], gap), gap, tokensPerStep),
    buffering: delayed('buffering'),
    network: delayed('network'),
    client: delayed('client'),
    rubato: delayed('rubato'),
  };
  const largest = largestShare(shares);
  const paceNs = gapNs - Object.values(shares).reduce((sum, share) => sum + share, 0);
  // At its usual pace the stream would have stalled as well, and what came on top is less than that.
  const isUsual = largest === undefined || (paceNs > thresholdNs && paceNs > shares[largest]);
  if (isUsual) return { cause: 'unknown', causes: ['unknown'], shares };
  const nearly = (Object.keys(shares) as Share[]).filter((share) => shares[share] >= NEARLY * shares[largest]);
  const causes = new Set(nearly.map((share) => CAUSE_OF[share]));
  // A stream that is used to nothing yet would have waited as long for a single token, so it may be nobody's doing too.
  if (causes.has('speculation') && !isUsed) causes.add('unknown');
  return { cause: CAUSE_OF[largest], causes: [...causes], shares };
}
