// Who asks the engine of a run for what, and when: a stream of short prompts, and what the switches add to it.
import type { EngineModel } from '../../../src/client/reference-engine/model.ts';
import type { SimulatedRequest } from '../../../src/client/reference-engine/simulate.ts';
import type { Draw } from './ranges.ts';
import type { Has } from './scenario.ts';

const MS = 1_000_000;
const SECOND = 1_000 * MS;
/** Requests come for so long. */
const LOAD_NS = 20 * SECOND;

interface Wish {
  readonly atNs: number;
  readonly promptTokens: number;
  readonly cachedTokens?: number;
  readonly outputTokens: number;
}

export function drawRequests(draw: Draw, has: Has, model: EngineModel): SimulatedRequest[] {
  const { ranges, random } = draw;
  const wishes: Wish[] = [];
  const outputTokens = (): number =>
    draw.in(has('preemption') || draw.chance(0.2) ? ranges.longOutputTokens : ranges.outputTokens);
  // A slow engine would drown in as many as a fast one serves, and each of its steps may be a stall.
  const meanNs = ((has('speculation') ? 2.5 : 1) * 60 * SECOND) / draw.in(ranges.arrivalsPerMinute);
  for (let atNs = 1; atNs < LOAD_NS; atNs += Math.ceil(-Math.log(1 - random()) * meanNs)) {
    wishes.push({ atNs, promptTokens: draw.in(ranges.promptTokens), outputTokens: outputTokens() });
  }
  if (has('prefill') || has('whole_prefill')) {
    for (let atNs = draw.in([2, 5]) * SECOND; atNs < LOAD_NS; atNs += MS * draw.in(ranges.longEveryMs)) {
      wishes.push({ atNs, promptTokens: draw.in(ranges.longPromptTokens), outputTokens: outputTokens() });
    }
  }
  if (has('growth')) wishes.push(...drawCrowds(draw, model));
  return wishes
    .toSorted((a, b) => a.atNs - b.atNs)
    .map(({ outputTokens: count, ...wish }, index) => ({ ...wish, id: String(index), outputTokens: [count] }));
}

/** Many at once, whose prompts cost little: they are short, or all but their end is in the cache already. */
function drawCrowds(draw: Draw, { contextNs, decodeNs }: EngineModel): Wish[] {
  const { ranges } = draw;
  const byContext = contextNs * ranges.crowdContextTokens[0] > decodeNs;
  const crowd: Wish[] = [];
  for (let atNs = draw.in([5, 8]) * SECOND; atNs < LOAD_NS; atNs += draw.in([9, 14]) * SECOND) {
    for (let left = draw.in(ranges.crowd); left > 0; left -= 1) {
      const cachedTokens = byContext ? draw.in(ranges.crowdContextTokens) : 0;
      crowd.push({
        atNs: atNs + MS * draw.in([0, 400]),
        promptTokens: cachedTokens + draw.in([16, 48]),
        cachedTokens,
        outputTokens: draw.in([20, 60]),
      });
    }
  }
  return crowd;
}
