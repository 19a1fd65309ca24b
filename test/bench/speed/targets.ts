// What rubato has to reach, as one table, and the judging of it: ratios of medians of one run, never times. Pure.
import { median } from '../harness/stats.ts';
import { FIGURES, TOOL_SHARE_MAX, type FigureKey, type Results, type Values } from './figures.ts';

type Place = readonly [scenario: string, contender: string, figure: FigureKey];

export interface Target {
  readonly what: string;
  readonly of: Place;
  readonly against: Place;
  /** Ratio, ratio of what both add to the direct way, difference, share by which they differ; `own` takes no other. */
  readonly how: 'ratio' | 'added' | 'difference' | 'deviation' | 'own';
  readonly limit: number;
  /** The limit is what has to be reached, not what may not be exceeded. */
  readonly isLeast?: boolean;
}

const BARE = 'http-proxy';

function delayTargets(scenario: string): Target[] {
  const added = (figure: FigureKey, against: string, limit: number): Target => ({
    what: `(${scenario}) added ${FIGURES[figure].title} against ${against}`,
    of: [scenario, 'rubato', figure],
    against: [scenario, against, figure],
    how: 'added',
    limit,
  });
  return [added('chunkP50Ms', BARE, 1), added('chunkP99Ms', BARE, 1), added('chunkP50Ms', 'nginx', 1.5)];
}

/** Those that measure streams as well. */
function gatewayTarget(gateway: string): Target {
  return {
    what: `(c) chunks/s at saturation against ${gateway}`,
    of: ['c', 'rubato', 'chunksPerSecond'],
    against: ['c', gateway, 'chunksPerSecond'],
    how: 'ratio',
    limit: 10,
    isLeast: true,
  };
}

export const TARGETS: readonly Target[] = [
  {
    what: '(a) CPU a chunk, whole process, against http-proxy',
    of: ['a', 'rubato', 'cpuUsPerChunk'],
    against: ['a', BARE, 'cpuUsPerChunk'],
    how: 'ratio',
    limit: 1.1,
  },
  {
    what: '(a) CPU a chunk, relay thread, against http-proxy',
    of: ['a', 'rubato', 'relayUsPerChunk'],
    against: ['a', BARE, 'cpuUsPerChunk'],
    how: 'ratio',
    limit: 0.9,
  },
  ...delayTargets('a'),
  ...delayTargets('b'),
  {
    what: '(d) added TTFT p50 on warm connections, one at a time, against pipe',
    of: ['d', 'rubato', 'firstP50Ms'],
    against: ['d', 'pipe', 'firstP50Ms'],
    how: 'added',
    limit: 1.2,
  },
  {
    what: '(h) added first chunk p50 in a burst against http-proxy',
    of: ['h', 'rubato', 'firstP50Ms'],
    against: ['h', BARE, 'firstP50Ms'],
    how: 'added',
    limit: 0.8,
  },
  {
    what: '(e) CPU a request against http-proxy',
    of: ['e', 'rubato', 'cpuUsPerRequest'],
    against: ['e', BARE, 'cpuUsPerRequest'],
    how: 'ratio',
    limit: 0.8,
  },
  {
    what: '(c) chunks/s at saturation against http-proxy',
    of: ['c', 'rubato', 'chunksPerSecond'],
    against: ['c', BARE, 'chunksPerSecond'],
    how: 'ratio',
    limit: 0.9,
    isLeast: true,
  },
  ...['litellm', 'portkey', 'vllm-router', 'sglang-router'].map(gatewayTarget),
  {
    what: '(g) memory of an idle stream beyond pipe, KiB',
    of: ['g', 'rubato', 'kibPerStream'],
    against: ['g', 'pipe', 'kibPerStream'],
    how: 'difference',
    limit: 24,
  },
  {
    what: '(i) added chunk p50 while exporting against the rest of the turn',
    of: ['i', 'rubato', 'busyP50Ms'],
    against: ['i', 'rubato', 'chunkP50Ms'],
    how: 'added',
    limit: 1.1,
  },
  {
    what: '(i) worst chunk while exporting beyond that of the rest, ms',
    of: ['i', 'rubato', 'busyWorstMoreMs'],
    against: ['i', 'rubato', 'busyWorstMoreMs'],
    how: 'own',
    limit: 10,
  },
  {
    what: '(a) reads an event, share by which it differs from direct',
    of: ['a', 'rubato', 'readsPerEvent'],
    against: ['a', 'direct', 'readsPerEvent'],
    how: 'deviation',
    limit: 0.01,
  },
];

/** `VOID`: the load tool may have been what was slow. `NONE`: somebody it takes was not measured. */
export type Word = 'PASS' | 'MISS' | 'VOID' | 'NONE';

export interface Judgement {
  readonly target: Target;
  readonly value: number;
  readonly word: Word;
}

/** Median of the turns; NaN when there is none. */
export function medianOf(turns: readonly Values[] | undefined, figure: FigureKey): number {
  return median((turns ?? []).flatMap((each) => each[figure] ?? []));
}

/** What a contender adds to the same figure of the direct way, and any other figure as it is. */
export function addedOf(results: Results, scenario: string, contender: string, figure: FigureKey): number {
  const value = medianOf(results[scenario]?.[contender], figure);
  const { beyond } = FIGURES[figure];
  return beyond === undefined ? value : value - medianOf(results[scenario]?.['direct'], beyond);
}

export function isVoid(turns: readonly Values[] | undefined): boolean {
  return medianOf(turns, 'toolShare') > TOOL_SHARE_MAX;
}

/** Judges every target of the scenarios that were played. */
export function judge(results: Results, targets: readonly Target[] = TARGETS): Judgement[] {
  return targets
    .filter(({ of: [scenario] }) => results[scenario] !== undefined)
    .map((target) => judgeOne(results, target));
}

function judgeOne(results: Results, target: Target): Judgement {
  const { of: own, against, limit, isLeast = false } = target;
  const value = valueOf(results, target);
  const slowed = [own, against].filter(([scenario, contender]) => isVoid(results[scenario]?.[contender]));
  if (Number.isNaN(value)) return { target, value, word: 'NONE' };
  if (slowed.length > 0) return { target, value, word: 'VOID' };
  return { target, value, word: (isLeast ? value >= limit : value <= limit) ? 'PASS' : 'MISS' };
}

function valueOf(results: Results, { of: own, against, how }: Target): number {
  const plain = ([scenario, contender, figure]: Place): number => medianOf(results[scenario]?.[contender], figure);
  if (how === 'own') return plain(own);
  if (how === 'added') {
    // A proxy that seems to add nothing was measured on a machine that did other things; there is no ratio to it.
    const base = addedOf(results, ...against);
    return base > 0 ? addedOf(results, ...own) / base : NaN;
  }
  if (how === 'difference') return plain(own) - plain(against);
  const ratio = plain(own) / plain(against);
  return how === 'deviation' ? Math.abs(ratio - 1) : ratio;
}
