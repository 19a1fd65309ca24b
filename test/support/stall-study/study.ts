// The study of causes over one set of scenarios: plays them, prints the table, and says what it is held to.
import { judgeStalls } from '../../../src/judge/causes/judge-stall.ts';
import type { Report } from '../../../src/judge/report.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { playRun, type StudiedRun } from './play-run.ts';
import { drawScenario, type StudySet } from './scenario.ts';
import {
  cleanRuns,
  confusionLines,
  confusionOf,
  falseCount,
  percent,
  rightShare,
  rightShares,
  stallCount,
  worstLines,
} from './table.ts';

/** Of the runs, one in so many is judged again from its records. */
const REPLAY_EVERY = 10;

export interface StudyResult {
  readonly runCount: number;
  readonly stallCount: number;
  readonly rightShare: number;
  /** By label. */
  readonly rightShares: ReturnType<typeof rightShares>;
  /** Stalls of clean runs, and those of them for which somebody was blamed who did nothing. */
  readonly cleanStallCount: number;
  readonly cleanFalseCount: number;
  readonly cleanGapCount: number;
  /** Runs in which not every stall was told of once. */
  readonly miscountedRuns: readonly number[];
  /** Exchanges for which the record alone gave other verdicts. */
  readonly unlikeInReplay: readonly string[];
}

export function study(set: StudySet, runCount: number): StudyResult {
  const runs: StudiedRun[] = [];
  const miscountedRuns: number[] = [];
  const unlikeInReplay: string[] = [];
  for (let run = 0; run < runCount; run += 1) {
    const { reports, ...played } = playRun(drawScenario(run, set));
    if (run % REPLAY_EVERY === 0)
      unlikeInReplay.push(...reports.filter(isUnlikeInReplay).map(({ record }) => record.id));
    if (played.toldCount !== played.stalls.length) miscountedRuns.push(run);
    // Records are large, and only their stalls are looked at from here on.
    runs.push({ ...played, reports: [] });
  }
  const clean = cleanRuns(runs);
  const confusion = confusionOf(clean);
  const [stalls, falses] = [stallCount(confusion), falseCount(clean)];
  // Where the rules miss on engines held out is not for those to see who write them.
  const details = set === 'held_out' ? [] : [...confusionLines(set, runs), ...worstLines(runs, 12)];
  const right = `${set}: right in ${percent(rightShare(runs))}`;
  const cleanLine = `clean runs: ${clean.length} with ${confusion.gapCount} gaps; of ${stalls} stalls ${falses} with a false cause`;
  process.stdout.write(`${['', ...details, right, cleanLine].join('\n')}\n`);
  return {
    runCount: runs.length,
    stallCount: stallCount(confusionOf(runs)),
    rightShare: rightShare(runs),
    rightShares: rightShares(runs),
    cleanStallCount: stalls,
    cleanFalseCount: falses,
    cleanGapCount: confusion.gapCount,
    miscountedRuns,
    unlikeInReplay,
  };
}

/** The verdicts that a record gives after a journey through a file, against those that were told. */
function isUnlikeInReplay({ record, delivery, hop, stalls = [] }: Report): boolean {
  const read = JSON.parse(JSON.stringify(record)) as StreamRecord;
  const whole = { ...(delivery === undefined ? {} : { delivery }), ...(hop === undefined ? {} : { hop }) };
  return JSON.stringify(judgeStalls(read, whole)) !== JSON.stringify(stalls);
}
