// The rows of the live page about objectives and goodput: every share with what it is a share of.
import type { Attainment } from './goodput-memory.ts';
import type { ClassSummary } from './summary.ts';

export const OBJECTIVE_HEAD = [
  'class',
  'objective',
  'limit',
  'target',
  'kept, recent',
  'kept, since start',
  'unknown',
  'budget left, recent',
] as const;

const NS_PER_MS = 1e6;

/** After a reload an objective can stand here twice: its limit says which it is. */
export function objectiveRows({ class: name, objectives }: ClassSummary): string[][] {
  return objectives.map(({ objective, limitNs, targetRatio, of: unit, sinceStart, window }) => [
    name,
    objective,
    limitNs === undefined ? '–' : `${limitNs / NS_PER_MS} ms`,
    percent(targetRatio),
    kept(window, unit),
    kept(sinceStart, unit),
    String(sinceStart.unknownCount),
    percent(window.budgetLeftRatio),
  ]);
}

export const GOODPUT_HEAD = [
  'class',
  'good, recent',
  'a second',
  'tokens of good, recent',
  'a second',
  'good, since start',
] as const;

export function goodputRows({ class: name, goodput }: ClassSummary): string[][] {
  if (goodput === undefined) return [];
  const { window, sinceStart } = goodput;
  return [
    [
      name,
      `${window.goodExchangeCount} of ${window.demandExchangeCount}`,
      `${window.goodExchangesPerSecond.toFixed(2)} of ${window.demandExchangesPerSecond.toFixed(2)}`,
      `${window.goodTokenCount} of ${window.demandTokenCount}`,
      `${window.goodTokensPerSecond.toFixed(1)} of ${window.demandTokensPerSecond.toFixed(1)}`,
      `${sinceStart.goodExchangeCount} of ${sinceStart.demandExchangeCount}`,
    ],
  ];
}

function kept({ metCount, missedCount, metRatio }: Attainment, unit: 'exchanges' | 'gaps'): string {
  return metRatio === undefined ? '–' : `${percent(metRatio)} of ${metCount + missedCount} ${unit}`;
}

/** Four digits behind the point, or a target of 99.999 % would stand here as 100. */
function percent(ratio: number | undefined): string {
  return ratio === undefined ? '–' : `${Math.round(ratio * 1e6) / 1e4} %`;
}
