// What rubato said of one stream through one hop, beside what the raw sockets saw and the recipe promises.
import { judgeDelivery } from '../../../src/judge/delivery/rules.ts';
import type { DeliveryWord, HoldWay } from '../../../src/judge/delivery/verdict.ts';
import { judgeHop } from '../../../src/judge/hop/judge-hop.ts';
import { hopReads, type HopRead } from '../../../src/judge/hop/reads.ts';
import type { HopVariant } from '../../../src/client/hops/recipe.ts';
import type { PairBasis } from '../../../src/record/hop-facts.ts';
import { figuresOf, rank, type HoldFigures } from '../truth/figures.ts';
import { holdsNs, type Growth } from '../truth/text-growth.ts';
import type { Sights, WireTruth } from './chain.ts';

interface Said {
  readonly word: DeliveryWord | 'nothing';
  readonly way?: HoldWay;
  readonly signs: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
}

export type Grade = 'right' | 'unsure' | 'wrong';

export interface Comparison {
  readonly two: Said;
  readonly twoGrade: Grade;
  readonly one: Said;
  readonly oneGrade: Grade;
  /** One point behind the hop, where nothing is held whatever the hop does. */
  readonly innerWord: Said['word'];
  readonly pairedBy?: PairBasis;
  readonly changes: readonly string[];
  /** Between the far ends of it all. */
  readonly truth: HoldFigures;
  /** Directly before and behind the hop; absent where packets cannot be seen. */
  readonly wire?: WireFigures;
}

interface WireFigures {
  readonly holdP50Ms: number;
  readonly holdP95Ms: number;
  readonly holdMaxMs: number;
  /** What rubato measured as hold of the same text, less what the kernel saw; without its sign. */
  readonly errorP50Ms: number;
  readonly errorP95Ms: number;
  readonly errorMaxMs: number;
}

function said(verdict: ReturnType<typeof judgeDelivery>): Said {
  if (verdict === undefined) return { word: 'nothing', signs: [], numbers: {} };
  const { word, way, signs, numbers } = verdict;
  return { word, ...(way === undefined ? {} : { way }), signs, numbers };
}

/**
 * A recipe that may go either way cannot be wrongly judged; `unsure` is never wrong. Where only the head waits it is
 * not right, and not wrong either, to say that the text passes and that the head came late.
 */
function gradeOf({ word, signs }: Said, { word: expected, textPasses }: HopVariant): Grade {
  if (word === expected || (expected === 'unsure' && word !== 'nothing')) return 'right';
  const isOpen = textPasses && word === 'passes' && signs.includes('head_only_with_text');
  return isOpen || word === 'unsure' || word === 'nothing' ? 'unsure' : 'wrong';
}

export function compare({ truth, wire, outer, inner }: Sights, variant: HopVariant): Comparison {
  const two = said(judgeHop(outer));
  const one = said(judgeDelivery(outer));
  const pairedBy = outer.hop?.pairedBy;
  return {
    two,
    twoGrade: gradeOf(two, variant),
    one,
    oneGrade: gradeOf(one, variant),
    innerWord: said(judgeDelivery(inner)).word,
    ...(pairedBy === undefined ? {} : { pairedBy }),
    changes: outer.hop?.changes ?? [],
    truth: figuresOf(truth),
    ...(wire === undefined ? {} : { wire: wireFigures(wire, outer) }),
  };
}

function wireFigures(wire: WireTruth, outer: Sights['outer']): WireFigures {
  const holds = holdsNs(wire.inner, wire.outer);
  const errors = holdErrorsNs(wire, outer).map((error) => Math.abs(error));
  return {
    holdP50Ms: ms(rank(holds, 0.5)),
    holdP95Ms: ms(rank(holds, 0.95)),
    holdMaxMs: ms(rank(holds, 1)),
    errorP50Ms: ms(rank(errors, 0.5)),
    errorP95Ms: ms(rank(errors, 0.95)),
    errorMaxMs: ms(rank(errors, 1)),
  };
}

/** Of each read that rubato judged by: the hold of its text as rubato has it, less that between the packets. */
export function holdErrorsNs(wire: WireTruth, outer: Sights['outer']): number[] {
  const { hop } = outer;
  if (hop === undefined) return [];
  const { endChars, innerAtNs, outerAtNs } = hop.curve;
  const charsOf = (read: HopRead): number =>
    endChars.findLast((_, row) => innerAtNs[row] === read.innerAtNs && outerAtNs[row] === read.outerAtNs) ?? 0;
  return hopReads(outer, hop).flatMap((read) => {
    const chars = charsOf(read);
    const [wentIn, cameOut] = [whenReached(wire.inner, chars), whenReached(wire.outer, chars)];
    if (read.tainted || wentIn === undefined || cameOut === undefined) return [];
    return read.holdNs - (cameOut - wentIn);
  });
}

function ms(ns: number): number {
  return Math.round(ns / 1e3) / 1e3;
}

function whenReached(growth: readonly Growth[], chars: number): number | undefined {
  return growth.find((each) => each.chars >= chars)?.atNs;
}
