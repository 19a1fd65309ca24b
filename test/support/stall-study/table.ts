// What the study came to: labels against what rubato named, in counts and shares, as lines for people.
import { STALL_CAUSES, type StallCause } from '../../../src/record/stall-context.ts';
import type { StudiedRun, StudiedStall } from './play-run.ts';

export interface Confusion {
  readonly runCount: number;
  readonly gapCount: number;
  /** By label, then by what was named. */
  readonly counts: Readonly<Record<StallCause, Readonly<Record<StallCause, number>>>>;
}

export function confusionOf(runs: readonly StudiedRun[]): Confusion {
  const counts = Object.fromEntries(STALL_CAUSES.map((label) => [label, zeros()])) as Record<
    StallCause,
    Record<StallCause, number>
  >;
  for (const { stalls } of runs) for (const { label, verdict } of stalls) counts[label.cause][verdict.cause] += 1;
  return { runCount: runs.length, gapCount: runs.reduce((sum, { gapCount }) => sum + gapCount, 0), counts };
}

/** Runs with nothing switched on. */
export function cleanRuns(runs: readonly StudiedRun[]): StudiedRun[] {
  return runs.filter(({ scenario }) => scenario.switches.length === 0);
}

export function stallCount({ counts }: Confusion, ...labels: readonly StallCause[]): number {
  const wanted = labels.length === 0 ? STALL_CAUSES : labels;
  return wanted.reduce((sum, label) => sum + Object.values(counts[label]).reduce((row, count) => row + count, 0), 0);
}

/** Of the stalls with a label, the share that was named so; undefined without any. */
function strictShare(confusion: Confusion, label: StallCause): number | undefined {
  const all = stallCount(confusion, label);
  return all === 0 ? undefined : confusion.counts[label][label] / all;
}

/** Of all stalls, the share for which a cause was named that made them: where two did nearly alike, either. */
export function rightShare(runs: readonly StudiedRun[]): number {
  const stalls = runs.flatMap((run) => run.stalls);
  return stalls.filter(isRight).length / stalls.length;
}

/** The same for the stalls of each label. */
export function rightShares(runs: readonly StudiedRun[]): Partial<Record<StallCause, number>> {
  const byLabel = Map.groupBy(
    runs.flatMap((run) => run.stalls),
    ({ label }) => label.cause,
  );
  return Object.fromEntries([...byLabel].map(([label, own]) => [label, own.filter(isRight).length / own.length]));
}

function isRight({ label, verdict }: StudiedStall): boolean {
  return label.causes.includes(verdict.cause);
}

/** A cause was named, and it was another one, or nobody's doing. */
export function isFalse(stall: StudiedStall): boolean {
  return stall.verdict.cause !== 'unknown' && !isRight(stall);
}

export function falseCount(runs: readonly StudiedRun[]): number {
  return runs.reduce((sum, { stalls }) => sum + stalls.filter(isFalse).length, 0);
}

/** The table, a line a label, a column a cause named. */
export function confusionLines(title: string, runs: readonly StudiedRun[]): string[] {
  const confusion = confusionOf(runs);
  const named = STALL_CAUSES.filter((cause) => STALL_CAUSES.some((label) => confusion.counts[label][cause] > 0));
  const lines = [
    `${title}: ${confusion.runCount} runs, ${confusion.gapCount} gaps, ${stallCount(confusion)} stalls`,
    ['label \\ named'.padEnd(22), ...named.map((cause) => cause.slice(0, 11).padStart(12)), '  right'].join(''),
  ];
  for (const label of STALL_CAUSES) {
    const right = strictShare(confusion, label);
    if (right === undefined) continue;
    const counts = named.map((cause) => String(confusion.counts[label][cause]).padStart(12));
    lines.push([label.padEnd(22), ...counts, `  ${percent(right)}`].join(''));
  }
  const strict = STALL_CAUSES.reduce((sum, label) => sum + confusion.counts[label][label], 0) / stallCount(confusion);
  lines.push(`right: ${percent(rightShare(runs))} (${percent(strict)} where only the largest share counts)`);
  return lines;
}

/** The runs by what was switched on in them, the worst first: where to look. */
export function worstLines(runs: readonly StudiedRun[], count: number): string[] {
  const groups = [...Map.groupBy(runs, ({ scenario }) => scenario.switches.join(' + ') || 'none')].map(
    ([name, own]) => {
      const stalls = own.flatMap((run) => run.stalls);
      const wrong = stalls.filter((stall) => !isRight(stall));
      return { name, all: stalls.length, wrong };
    },
  );
  return groups
    .toSorted((a, b) => b.wrong.length - a.wrong.length)
    .slice(0, count)
    .map(({ name, all, wrong }) => `${name.padEnd(28)} ${wrong.length} of ${all} not right: ${tally(wrong)}`);
}

function tally(stalls: readonly StudiedStall[]): string {
  return [...Map.groupBy(stalls, ({ label, verdict }) => `${label.cause} as ${verdict.cause}`)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, 4)
    .map(([words, own]) => `${own.length} ${words}`)
    .join(', ');
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function zeros(): Record<StallCause, number> {
  return Object.fromEntries(STALL_CAUSES.map((cause) => [cause, 0])) as Record<StallCause, number>;
}
