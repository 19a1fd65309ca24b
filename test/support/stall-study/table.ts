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

/** Of the stalls with these labels (of all), the share that was named as labelled; undefined without any. */
export function rightShare(confusion: Confusion, ...labels: readonly StallCause[]): number | undefined {
  const wanted = labels.length === 0 ? STALL_CAUSES : labels;
  const all = stallCount(confusion, ...wanted);
  return all === 0 ? undefined : wanted.reduce((sum, label) => sum + confusion.counts[label][label], 0) / all;
}

/** A cause was named, and it was another one, or nobody's doing. */
export function isFalse({ label, verdict }: StudiedStall): boolean {
  return verdict.cause !== 'unknown' && verdict.cause !== label.cause;
}

export function falseCount(runs: readonly StudiedRun[]): number {
  return runs.reduce((sum, { stalls }) => sum + stalls.filter(isFalse).length, 0);
}

/** The table, a line a label, a column a cause named. */
export function confusionLines(title: string, confusion: Confusion): string[] {
  const named = STALL_CAUSES.filter((cause) => STALL_CAUSES.some((label) => confusion.counts[label][cause] > 0));
  const lines = [
    `${title}: ${confusion.runCount} runs, ${confusion.gapCount} gaps, ${stallCount(confusion)} stalls`,
    ['label \\ named'.padEnd(22), ...named.map((cause) => cause.slice(0, 11).padStart(12)), '  right'].join(''),
  ];
  for (const label of STALL_CAUSES) {
    const right = rightShare(confusion, label);
    if (right === undefined) continue;
    const counts = named.map((cause) => String(confusion.counts[label][cause]).padStart(12));
    lines.push([label.padEnd(22), ...counts, `  ${percent(right)}`].join(''));
  }
  lines.push(`right of all: ${percent(rightShare(confusion) ?? NaN)}`);
  return lines;
}

/** The runs by what was switched on in them, the worst first: where to look. */
export function worstLines(runs: readonly StudiedRun[], count: number): string[] {
  const groups = [...Map.groupBy(runs, ({ scenario }) => scenario.switches.join(' + ') || 'none')].map(
    ([name, own]) => {
      const stalls = own.flatMap((run) => run.stalls);
      const wrong = stalls.filter(({ label, verdict }) => label.cause !== verdict.cause);
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
