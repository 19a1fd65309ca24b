// The ranges that the study draws its numbers from: those of development, and those held out, which no rule was ever
// tried on while it was written. No range of development overlaps with one held out, except where a number is a choice
// between two forms of a mechanic. Whoever mends a rule by what the held-out ones show has used them up, and must draw new ones.
import { integerBetween, seededRandom, type Random } from '../../../src/client/random.ts';

export type Range = readonly [number, number];

export interface Ranges {
  readonly stallMs: readonly number[];
  readonly stepBaseMs: Range;
  readonly decodeUs: Range;
  readonly contextNs: Range;
  readonly prefillUs: Range;
  readonly noisePercent: Range;
  readonly arrivalsPerMinute: Range;
  readonly promptTokens: Range;
  readonly outputTokens: Range;
  readonly bytesPerToken: Range;
  readonly jitterUs: Range;
  readonly eventBytes: Range;
  /** Prefill: what a prompt token costs, what a step takes of them, and the long prompts. */
  readonly heavyPrefillUs: Range;
  readonly heavyStepTokens: readonly number[];
  readonly longPromptTokens: Range;
  readonly longEveryMs: Range;
  /** Growth: a crowd that comes at once, and what each of it costs a step. */
  readonly crowd: Range;
  readonly crowdDecodeUs: Range;
  readonly crowdContextTokens: Range;
  readonly crowdContextNs: Range;
  /** Preemption: so many times the cache of a long answer, and how long these are. */
  readonly cacheAnswersPercent: Range;
  readonly longOutputTokens: Range;
  readonly hostEverySteps: Range;
  readonly hostMs: Range;
  readonly drafts: Range;
  readonly acceptPercent: Range;
  readonly slowStepMs: Range;
  readonly spacingUs: Range;
  readonly gatherBytes: Range;
  readonly gatherMs: Range;
  readonly lossPerMille: Range;
  readonly resendMs: Range;
  readonly blockMs: Range;
  readonly pauseMs: Range;
}

export const DEVELOPMENT: Ranges = {
  stallMs: [100],
  stepBaseMs: [8, 20],
  decodeUs: [100, 450],
  contextNs: [20, 100],
  prefillUs: [20, 55],
  noisePercent: [0, 7],
  arrivalsPerMinute: [40, 90],
  promptTokens: [40, 380],
  outputTokens: [40, 160],
  bytesPerToken: [3, 4],
  jitterUs: [50, 1_500],
  eventBytes: [60, 160],
  heavyPrefillUs: [60, 120],
  heavyStepTokens: [2_048, 4_096],
  longPromptTokens: [3_000, 9_000],
  longEveryMs: [2_500, 6_000],
  crowd: [28, 48],
  crowdDecodeUs: [2_800, 4_500],
  crowdContextTokens: [4_000, 7_000],
  crowdContextNs: [500, 900],
  cacheAnswersPercent: [180, 320],
  longOutputTokens: [200, 420],
  hostEverySteps: [120, 320],
  hostMs: [150, 500],
  drafts: [4, 5],
  acceptPercent: [75, 88],
  slowStepMs: [115, 190],
  spacingUs: [100, 700],
  gatherBytes: [1_200, 4_000],
  gatherMs: [150, 400],
  lossPerMille: [4, 11],
  resendMs: [200, 320],
  blockMs: [200, 900],
  pauseMs: [20, 150],
};

/** Engines and loads of another kind, also for development: so that rules are not made for one kind alone. */
export const DEVELOPMENT_WIDE: Ranges = {
  stallMs: [60, 150],
  stepBaseMs: [31, 42],
  decodeUs: [701, 1_000],
  contextNs: [171, 230],
  prefillUs: [76, 100],
  noisePercent: [12, 15],
  arrivalsPerMinute: [121, 150],
  promptTokens: [481, 600],
  outputTokens: [221, 280],
  bytesPerToken: [2, 2],
  jitterUs: [3_001, 5_000],
  eventBytes: [231, 300],
  heavyPrefillUs: [171, 220],
  heavyStepTokens: [1_024, 6_144],
  longPromptTokens: [2_000, 2_999],
  longEveryMs: [9_001, 12_000],
  crowd: [65, 80],
  crowdDecodeUs: [2_000, 2_799],
  crowdContextTokens: [9_001, 11_000],
  crowdContextNs: [300, 499],
  cacheAnswersPercent: [421, 500],
  longOutputTokens: [601, 700],
  hostEverySteps: [481, 600],
  hostMs: [901, 1_300],
  drafts: [3, 3],
  acceptPercent: [95, 97],
  slowStepMs: [281, 350],
  spacingUs: [1_401, 2_000],
  gatherBytes: [8_001, 12_000],
  gatherMs: [701, 900],
  lossPerMille: [1, 3],
  resendMs: [601, 900],
  blockMs: [2_501, 4_000],
  pauseMs: [401, 600],
};

/** A set that was held out until rules failed on it. */
export const DEVELOPMENT_BUSY: Ranges = {
  stallMs: [80, 125],
  stepBaseMs: [21, 30],
  decodeUs: [451, 700],
  contextNs: [101, 170],
  prefillUs: [56, 75],
  noisePercent: [8, 11],
  arrivalsPerMinute: [91, 120],
  promptTokens: [381, 480],
  outputTokens: [161, 220],
  bytesPerToken: [5, 6],
  jitterUs: [1_501, 3_000],
  eventBytes: [161, 230],
  heavyPrefillUs: [121, 170],
  heavyStepTokens: [1_536, 8_192],
  longPromptTokens: [9_001, 14_000],
  longEveryMs: [6_001, 9_000],
  crowd: [49, 64],
  crowdDecodeUs: [4_501, 6_000],
  crowdContextTokens: [7_001, 9_000],
  crowdContextNs: [901, 1_200],
  cacheAnswersPercent: [321, 420],
  longOutputTokens: [421, 600],
  hostEverySteps: [321, 480],
  hostMs: [501, 900],
  drafts: [6, 8],
  acceptPercent: [89, 94],
  slowStepMs: [191, 280],
  spacingUs: [701, 1_400],
  gatherBytes: [4_001, 8_000],
  gatherMs: [401, 700],
  lossPerMille: [12, 20],
  resendMs: [321, 600],
  blockMs: [901, 2_500],
  pauseMs: [151, 400],
};

/** Also for development: fast engines, and long prompts that come faster than an engine reads them. */
export const DEVELOPMENT_FLOODED: Ranges = {
  stallMs: [70, 170],
  stepBaseMs: [3, 4],
  decodeUs: [20, 39],
  contextNs: [1, 4],
  prefillUs: [4, 7],
  noisePercent: [19, 21],
  arrivalsPerMinute: [16, 24],
  promptTokens: [6, 14],
  outputTokens: [16, 24],
  bytesPerToken: [9, 10],
  jitterUs: [1, 9],
  eventBytes: [301, 400],
  heavyPrefillUs: [261, 320],
  heavyStepTokens: [896, 3_072],
  longPromptTokens: [17_001, 20_000],
  longEveryMs: [1_500, 1_999],
  crowd: [12, 19],
  crowdDecodeUs: [7_001, 9_000],
  crowdContextTokens: [2_000, 2_999],
  crowdContextNs: [1_501, 2_000],
  cacheAnswersPercent: [501, 600],
  longOutputTokens: [100, 149],
  hostEverySteps: [50, 79],
  hostMs: [1_301, 1_600],
  drafts: [2, 2],
  acceptPercent: [60, 67],
  slowStepMs: [421, 500],
  spacingUs: [5, 19],
  gatherBytes: [600, 799],
  gatherMs: [901, 1_100],
  lossPerMille: [31, 40],
  resendMs: [1_201, 1_500],
  blockMs: [4_001, 5_000],
  pauseMs: [601, 700],
};

/** Also for development: very fast engines with few at a time, so that a stream mostly has no other beside it. */
export const DEVELOPMENT_SPARSE: Ranges = {
  stallMs: [75, 130],
  stepBaseMs: [1, 2],
  decodeUs: [8, 19],
  contextNs: [261, 320],
  prefillUs: [1, 3],
  noisePercent: [22, 25],
  arrivalsPerMinute: [9, 15],
  promptTokens: [601, 760],
  outputTokens: [281, 340],
  bytesPerToken: [11, 12],
  jitterUs: [5_001, 6_500],
  eventBytes: [401, 480],
  heavyPrefillUs: [321, 400],
  heavyStepTokens: [640, 1_792],
  longPromptTokens: [1_200, 1_999],
  longEveryMs: [1_000, 1_499],
  crowd: [8, 11],
  crowdDecodeUs: [9_001, 12_000],
  crowdContextTokens: [1_000, 1_999],
  crowdContextNs: [2_001, 2_600],
  cacheAnswersPercent: [80, 119],
  longOutputTokens: [341, 400],
  hostEverySteps: [601, 800],
  hostMs: [1_601, 2_000],
  drafts: [11, 12],
  acceptPercent: [50, 59],
  slowStepMs: [501, 600],
  spacingUs: [2_001, 2_500],
  gatherBytes: [12_001, 16_000],
  gatherMs: [250, 300],
  lossPerMille: [1, 3],
  resendMs: [1_501, 1_900],
  blockMs: [5_001, 6_000],
  pauseMs: [701, 800],
};

export const HELD_OUT: Ranges = {
  stallMs: [90, 110],
  stepBaseMs: [5, 7],
  decodeUs: [40, 99],
  contextNs: [5, 19],
  prefillUs: [8, 19],
  noisePercent: [16, 18],
  arrivalsPerMinute: [25, 39],
  promptTokens: [15, 39],
  outputTokens: [25, 39],
  bytesPerToken: [7, 8],
  jitterUs: [10, 49],
  eventBytes: [30, 59],
  heavyPrefillUs: [221, 260],
  heavyStepTokens: [1_280, 5_120],
  longPromptTokens: [14_001, 17_000],
  longEveryMs: [2_000, 2_499],
  crowd: [20, 27],
  crowdDecodeUs: [6_001, 7_000],
  crowdContextTokens: [3_000, 3_999],
  crowdContextNs: [1_201, 1_500],
  cacheAnswersPercent: [120, 179],
  longOutputTokens: [150, 199],
  hostEverySteps: [80, 119],
  hostMs: [120, 149],
  drafts: [9, 10],
  acceptPercent: [68, 74],
  slowStepMs: [351, 420],
  spacingUs: [20, 99],
  gatherBytes: [800, 1_199],
  gatherMs: [115, 149],
  lossPerMille: [21, 30],
  resendMs: [901, 1_200],
  blockMs: [100, 199],
  pauseMs: [10, 19],
};

/** Draws whole numbers out of ranges. */
export class Draw {
  readonly random: Random;
  readonly ranges: Ranges;

  constructor(seed: number, ranges: Ranges) {
    this.random = seededRandom(seed);
    this.ranges = ranges;
  }

  in(range: Range): number {
    return integerBetween(this.random, ...range);
  }

  of<Value>(values: readonly Value[]): Value {
    return values[integerBetween(this.random, 0, values.length - 1)] as Value;
  }

  chance(ratio: number): boolean {
    return this.random() < ratio;
  }
}
