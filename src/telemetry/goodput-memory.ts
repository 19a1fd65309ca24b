// What one class kept of its promises: since the start, and over a window that slides in slots. Every share
// comes with what it is a share of. Bounded, and told its time, so that it needs no clock.
import { GOODPUT_SLOTS_COUNT, GOODPUT_WINDOW_MS, OBJECTIVES_TOLD_MAX_COUNT } from '../base/objective-limits.ts';
import type { Report } from '../judge/report.ts';
import { MET_WORDS, type Met } from '../judge/slo/verdict.ts';
import type { Objective, ObjectiveKind } from '../record/objective.ts';
import { SlidingCounts } from './sliding-counts.ts';

/** Of exchanges, or of gaps where the objective is about pooled ones. */
export interface Attainment {
  readonly metCount: number;
  readonly missedCount: number;
  /** Cannot be judged; in none of the shares. */
  readonly unknownCount: number;
  /** met / (met + missed); absent where nothing could be judged. */
  readonly metRatio?: number;
  /** Share of the misses that the target allows which is still left; below 0 when more was missed. */
  readonly budgetLeftRatio?: number;
}

export interface ObjectiveState {
  readonly objective: string;
  /** What it is about; absent where clients ask. */
  readonly kind?: ObjectiveKind;
  /** Largest length that keeps it; absent of what is no length, and where each client asks for its own. */
  readonly limitNs?: number;
  /** Share that is to keep it; absent where clients ask. */
  readonly targetRatio?: number;
  readonly of: 'exchanges' | 'gaps';
  readonly sinceStart: Attainment;
  readonly window: Attainment;
}

export interface GoodputCounts {
  /** All that asked for generation and had objectives: the denominator. */
  readonly demandExchangeCount: number;
  readonly goodExchangeCount: number;
  /** Broke nothing, but not all could be judged; not good. */
  readonly unknownExchangeCount: number;
  /** Output tokens as the engine stated them. */
  readonly demandTokenCount: number;
  readonly goodTokenCount: number;
}

export interface GoodputState {
  readonly sinceStart: GoodputCounts;
  readonly window: GoodputCounts & {
    /** Length of the window up to now; shorter soon after the start. */
    readonly lengthMs: number;
    readonly demandExchangesPerSecond: number;
    readonly goodExchangesPerSecond: number;
    readonly demandTokensPerSecond: number;
    readonly goodTokensPerSecond: number;
  };
}

const GOODS = ['demand', 'good', 'unknown', 'demandTokens', 'goodTokens'] as const;
const MS_PER_SECOND = 1e3;

interface ToldObjective {
  readonly name: string;
  readonly objective: Objective | undefined;
  readonly isPooled: boolean;
  readonly counts: SlidingCounts<Met>;
}

export class GoodputMemory {
  readonly #goods: SlidingCounts<(typeof GOODS)[number]>;
  readonly #objectives = new Map<string, ToldObjective>();
  readonly #startMs: number;

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#goods = new SlidingCounts(GOODS, WINDOW);
  }

  add({ slo, record }: Report, nowMs: number): void {
    if (slo?.good === undefined) return;
    const tokens = record.tokens.output ?? 0;
    const isGood = slo.good === 'true';
    this.#goods.add(
      {
        demand: 1,
        demandTokens: tokens,
        good: isGood ? 1 : 0,
        goodTokens: isGood ? tokens : 0,
        unknown: slo.good === 'unknown' ? 1 : 0,
      },
      nowMs,
    );
    for (const { name, met, gaps } of slo.objectives) {
      const objective = record.class.objectives?.find((each) => each.name === name);
      const told = this.#told(name, objective, gaps !== undefined);
      if (gaps === undefined) told.counts.add({ [met]: 1 }, nowMs);
      else told.counts.add({ true: gaps.within, false: gaps.beyond, unknown: gaps.unknown }, nowMs);
    }
  }

  /** Undefined as long as nothing was promised to anybody. */
  goodput(nowMs: number): GoodputState | undefined {
    const since = this.#goods.sinceStart();
    if (since.demand === 0) return undefined;
    const recent = this.#goods.window(nowMs);
    const lengthMs = this.#goods.windowMs(this.#startMs, nowMs);
    const perSecond = (count: number): number => rounded(count / (lengthMs / MS_PER_SECOND));
    return {
      sinceStart: goodCounts(since),
      window: {
        ...goodCounts(recent),
        lengthMs,
        demandExchangesPerSecond: perSecond(recent.demand),
        goodExchangesPerSecond: perSecond(recent.good),
        demandTokensPerSecond: perSecond(recent.demandTokens),
        goodTokensPerSecond: perSecond(recent.goodTokens),
      },
    };
  }

  objectives(nowMs: number): ObjectiveState[] {
    return [...this.#objectives.values()].map((told) => stateOf(told, nowMs));
  }

  /** An objective that a new configuration changed is another one, and is counted anew. */
  #told(name: string, objective: Objective | undefined, isPooled: boolean): ToldObjective {
    const key = objective === undefined ? name : JSON.stringify(objective);
    const known = this.#objectives.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#objectives.keys();
    if (this.#objectives.size >= OBJECTIVES_TOLD_MAX_COUNT && oldest !== undefined) this.#objectives.delete(oldest);
    const made = { name, objective, isPooled, counts: new SlidingCounts<Met>(MET_WORDS, WINDOW) };
    this.#objectives.set(key, made);
    return made;
  }
}

const WINDOW = { slotCount: GOODPUT_SLOTS_COUNT, slotMs: GOODPUT_WINDOW_MS / GOODPUT_SLOTS_COUNT };

function stateOf({ name, objective, isPooled, counts }: ToldObjective, nowMs: number): ObjectiveState {
  return {
    objective: name,
    ...(objective !== undefined && { kind: objective.kind }),
    ...(objective?.limitNs !== undefined && { limitNs: objective.limitNs }),
    ...(objective !== undefined && { targetRatio: objective.target }),
    of: isPooled ? 'gaps' : 'exchanges',
    sinceStart: attainment(counts.sinceStart(), objective?.target),
    window: attainment(counts.window(nowMs), objective?.target),
  };
}

function goodCounts(counts: Readonly<Record<(typeof GOODS)[number], number>>): GoodputCounts {
  return {
    demandExchangeCount: counts.demand,
    goodExchangeCount: counts.good,
    unknownExchangeCount: counts.unknown,
    demandTokenCount: counts.demandTokens,
    goodTokenCount: counts.goodTokens,
  };
}

function attainment(counts: Readonly<Record<Met, number>>, target: number | undefined): Attainment {
  const { true: metCount, false: missedCount, unknown: unknownCount } = counts;
  const judgedCount = metCount + missedCount;
  if (judgedCount === 0) return { metCount, missedCount, unknownCount };
  const budget = target === undefined ? undefined : (1 - target) * judgedCount;
  return {
    metCount,
    missedCount,
    unknownCount,
    metRatio: rounded(metCount / judgedCount),
    ...(budget !== undefined && { budgetLeftRatio: rounded(1 - missedCount / budget) }),
  };
}

/** Six places: more would be noise of the division. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
