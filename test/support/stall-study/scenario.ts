// Draws the engines, loads and ways of the study. Each cause has a switch; what is not switched on is small enough
// to be harmless, as far as the mechanics go.
import { integerBetween, type Random } from '../../../src/client/random.ts';
import type { EngineModel } from '../../../src/client/reference-engine/model.ts';
import type { SimulatedRequest } from '../../../src/client/reference-engine/simulate.ts';
import { drawRequests } from './load.ts';
import type { Stretch } from './outside.ts';
import {
  DEVELOPMENT,
  DEVELOPMENT_BUSY,
  DEVELOPMENT_FLOODED,
  DEVELOPMENT_SPARSE,
  DEVELOPMENT_WIDE,
  Draw,
  HELD_OUT,
  type Ranges,
} from './ranges.ts';
import type { Way } from './travel.ts';

export const SWITCHES = [
  'prefill',
  'whole_prefill',
  'growth',
  'preemption',
  'host',
  'speculation',
  'buffering',
  'network',
  'client',
  'rubato',
] as const;
export type Switch = (typeof SWITCHES)[number];

/** Whether a switch is on. */
export type Has = (name: Switch) => boolean;

export interface Scenario {
  readonly seed: number;
  readonly switches: readonly Switch[];
  readonly stallMs: number;
  readonly model: EngineModel;
  readonly requests: readonly SimulatedRequest[];
  readonly bytesPerToken: number;
  /** How one answer travels; what is by chance on it is drawn for each. */
  readonly wayOf: (startAtNs: number, random: Random) => Way;
  readonly pauses: readonly Stretch[];
  readonly untilNs: number;
}

const MS = 1_000_000;
const SECOND = 1_000 * MS;
/** The answers that have not ended by then are cut off. */
const UNTIL_NS = 70 * SECOND;

/** Every cause alone, all pairs that can be, and none; which one is a matter of the run's number. */
export function switchesOf(run: number): readonly Switch[] {
  const [kind, nth] = [run % 5, Math.floor(run / 5)];
  if (kind === 0) return [];
  if (kind <= 2) return [SWITCHES[(2 * nth + kind - 1) % SWITCHES.length] as Switch];
  return PAIRS[((2 * nth + kind - 3) * 7) % PAIRS.length] as readonly Switch[];
}

const PAIRS: readonly (readonly Switch[])[] = SWITCHES.flatMap((one, index) =>
  SWITCHES.slice(index + 1)
    // An engine computes prompts either way.
    .filter((other) => !(one === 'prefill' && other === 'whole_prefill'))
    .map((other) => [one, other]),
);

/** Seeds of the sets are far apart as well. */
const SETS = {
  development: { firstSeed: 1_000, ranges: DEVELOPMENT },
  development_wide: { firstSeed: 3_000_000, ranges: DEVELOPMENT_WIDE },
  development_busy: { firstSeed: 7_000_000, ranges: DEVELOPMENT_BUSY },
  development_flooded: { firstSeed: 15_000_000, ranges: DEVELOPMENT_FLOODED },
  development_sparse: { firstSeed: 19_000_000, ranges: DEVELOPMENT_SPARSE },
  held_out: { firstSeed: 11_000_000, ranges: HELD_OUT },
} as const;
export type StudySet = keyof typeof SETS;

export function drawScenario(run: number, set: StudySet): Scenario {
  const { firstSeed, ranges } = SETS[set];
  const seed = firstSeed + (set === 'development' ? 1 : 31) * run;
  const draw = new Draw(seed, ranges);
  const switches = switchesOf(run);
  const has: Has = (name) => switches.includes(name);
  const model = drawModel(draw, has);
  const pauses = has('rubato') ? drawPauses(draw) : [];
  return {
    seed,
    switches,
    stallMs: draw.of(draw.ranges.stallMs),
    model,
    requests: drawRequests(draw, has, model),
    bytesPerToken: draw.in(draw.ranges.bytesPerToken),
    wayOf: drawWay(draw, has, pauses),
    pauses,
    untilNs: UNTIL_NS,
  };
}

function drawModel(draw: Draw, has: Has): EngineModel {
  const { ranges } = draw;
  const heavy = has('prefill') || has('whole_prefill');
  const crowded = has('growth') ? draw.of(['batch', 'context'] as const) : undefined;
  // Now and then an engine is slow without any cause but its own: its stalls are nobody's.
  const slow = has('speculation') || (!heavy && !has('growth') && draw.chance(0.1));
  const base: EngineModel = {
    maxRunning: has('growth') ? 128 : 32,
    stepTokens: has('prefill') ? draw.of(ranges.heavyStepTokens) : 512,
    stepBaseNs: MS * draw.in(slow ? ranges.slowStepMs : ranges.stepBaseMs),
    decodeNs: 1_000 * draw.in(crowded === 'batch' ? ranges.crowdDecodeUs : ranges.decodeUs),
    contextNs: draw.in(crowded === 'context' ? ranges.crowdContextNs : ranges.contextNs),
    prefillNs: 1_000 * draw.in(heavy ? ranges.heavyPrefillUs : ranges.prefillUs),
    noiseRatio: draw.in(ranges.noisePercent) / 100,
    ...(has('whole_prefill') ? { wholePrompts: true } : {}),
  };
  return { ...base, ...drawCache(draw, has), ...drawHost(draw, has), ...drawSpeculation(draw, has) };
}

function drawCache(draw: Draw, has: Has): Partial<EngineModel> {
  const { ranges } = draw;
  const blockTokens = 16;
  if (!has('preemption')) return { kvCapacityTokens: 2_000_000, paging: { blockTokens } };
  const longest = largestJobTokens(ranges, has);
  const answer = ranges.longOutputTokens[1] + ranges.promptTokens[1];
  const tokens = Math.max(longest + answer, Math.round((answer * draw.in(ranges.cacheAnswersPercent)) / 100));
  return { kvCapacityTokens: tokens, paging: { blockTokens } };
}

/** What the largest request that may come needs. */
function largestJobTokens(ranges: Ranges, has: Has): number {
  const prompts = [ranges.promptTokens[1]];
  if (has('prefill') || has('whole_prefill')) prompts.push(ranges.longPromptTokens[1]);
  if (has('growth')) prompts.push(ranges.crowdContextTokens[1] + 100);
  return Math.max(...prompts) + ranges.longOutputTokens[1] + 64;
}

function drawHost(draw: Draw, has: Has): Partial<EngineModel> {
  const { hostEverySteps, hostMs } = draw.ranges;
  const requestNs = draw.in([0, 2_000]) * 1_000;
  if (!has('host')) return { host: { everySteps: 0, lowestNs: 0, highestNs: 0, requestNs } };
  const lowestNs = MS * hostMs[0];
  return { host: { everySteps: draw.in(hostEverySteps), lowestNs, highestNs: MS * draw.in(hostMs), requestNs } };
}

function drawSpeculation(draw: Draw, has: Has): Partial<EngineModel> {
  const { ranges } = draw;
  // Guessing as such stalls nobody, so engines without the switch may do it too, and gather tokens into events.
  const guesses = has('speculation') || draw.chance(0.15);
  if (!guesses) return draw.chance(0.1) ? { eventTokens: 2 } : {};
  return {
    speculation: {
      drafts: draw.in(ranges.drafts),
      acceptRatio: draw.in(ranges.acceptPercent) / 100,
      draftNs: draw.in([300, 900]) * 1_000,
      verifyNs: draw.in([10, 60]) * 1_000,
      told: has('speculation') ? 'writes' : draw.of(['one_event', 'one_write'] as const),
      spacingNs: 1_000 * draw.in(ranges.spacingUs),
    },
  };
}

function drawPauses(draw: Draw): Stretch[] {
  const pauses: Stretch[] = [];
  for (let fromNs = 2 * SECOND; fromNs < UNTIL_NS; fromNs += MS * draw.in([1_500, 4_000])) {
    pauses.push({ fromNs, toNs: fromNs + MS * draw.in(draw.ranges.pauseMs) });
  }
  return pauses;
}

function drawWay(draw: Draw, has: Has, pauses: readonly Stretch[]): Scenario['wayOf'] {
  const { ranges } = draw;
  const gathering = ((): Pick<Way, 'gathering'> => {
    if (!has('buffering')) return {};
    if (draw.chance(0.5)) return { gathering: { bytes: draw.in(ranges.gatherBytes) } };
    return { gathering: { afterNs: MS * draw.in(ranges.gatherMs) } };
  })();
  const losses = has('network')
    ? {
        ratio: draw.in(ranges.lossPerMille) / 1_000,
        lowestNs: MS * ranges.resendMs[0],
        highestNs: MS * draw.in(ranges.resendMs),
      }
    : undefined;
  const common = {
    ...gathering,
    ...(losses === undefined ? {} : { losses }),
    jitterNs: 1_000 * draw.in(ranges.jitterUs),
    eventBytes: draw.in(ranges.eventBytes),
    counts: draw.chance(0.3),
    pauses,
  };
  return (startAtNs, random) => ({ ...common, blocks: has('client') ? drawBlocks(ranges, startAtNs, random) : [] });
}

/** Some clients are slow, once or twice. */
function drawBlocks({ blockMs }: Ranges, startAtNs: number, random: Random): Way['blocks'] {
  return Array.from({ length: integerBetween(random, 0, 2) }, () => ({
    afterNs: startAtNs + integerBetween(random, 200, 3_000) * MS,
    lengthNs: integerBetween(random, ...blockMs) * MS,
  })).toSorted((a, b) => a.afterNs - b.afterNs);
}
