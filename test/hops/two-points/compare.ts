// What rubato said of one stream through one hop, beside what the raw sockets saw and the recipe promises.
import { judgeDelivery } from '../../../src/judge/delivery/rules.ts';
import type { DeliveryWord, HoldWay } from '../../../src/judge/delivery/verdict.ts';
import { judgeHop } from '../../../src/judge/hop/judge-hop.ts';
import type { HopVariant } from '../../../src/client/hops/recipe.ts';
import type { PairBasis } from '../../../src/record/hop-facts.ts';
import { figuresOf, rank, type HoldFigures } from '../truth/figures.ts';
import type { Growth } from '../truth/text-growth.ts';
import type { Sights } from './chain.ts';

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
  readonly truth: HoldFigures;
  /** What rubato measured as hold of the same text, less what the raw sockets did. */
  readonly holdErrorP50Ms: number;
  readonly holdErrorP95Ms: number;
}

const NS_PER_MS = 1e6;

function said(verdict: ReturnType<typeof judgeDelivery>): Said {
  if (verdict === undefined) return { word: 'nothing', signs: [], numbers: {} };
  const { word, way, signs, numbers } = verdict;
  return { word, ...(way === undefined ? {} : { way }), signs, numbers };
}

/** A recipe that may go either way cannot be wrongly judged; `unsure` is never wrong. */
function gradeOf({ word }: Said, expected: DeliveryWord): Grade {
  if (word === expected || (expected === 'unsure' && word !== 'nothing')) return 'right';
  return word === 'unsure' || word === 'nothing' ? 'unsure' : 'wrong';
}

export function compare({ truth, outer, inner }: Sights, variant: HopVariant): Comparison {
  const two = said(judgeHop(outer));
  const one = said(judgeDelivery(outer));
  const errors = holdErrorsNs(truth, outer).map((error) => Math.abs(error));
  const pairedBy = outer.hop?.pairedBy;
  return {
    two,
    twoGrade: gradeOf(two, variant.word),
    one,
    oneGrade: gradeOf(one, variant.textPasses ? 'passes' : variant.word),
    innerWord: said(judgeDelivery(inner)).word,
    ...(pairedBy === undefined ? {} : { pairedBy }),
    changes: outer.hop?.changes ?? [],
    truth: figuresOf(truth),
    holdErrorP50Ms: rank(errors, 0.5) / NS_PER_MS,
    holdErrorP95Ms: rank(errors, 0.95) / NS_PER_MS,
  };
}

/** Of each growth that rubato saw on both sides: its hold less the hold of the same text between the raw sockets. */
export function holdErrorsNs(truth: Sights['truth'], { hop }: Sights['outer']): number[] {
  if (hop === undefined) return [];
  const { endChars, innerAtNs, outerAtNs } = hop.curve;
  return endChars.flatMap((chars, row) => {
    const [wentIn, cameOut] = [whenReached(truth.inner, chars), whenReached(truth.outer, chars)];
    if (wentIn === undefined || cameOut === undefined) return [];
    return (outerAtNs[row] ?? 0) - (innerAtNs[row] ?? 0) - (cameOut - wentIn);
  });
}

function whenReached(growth: readonly Growth[], chars: number): number | undefined {
  return growth.find((each) => each.chars >= chars)?.atNs;
}
