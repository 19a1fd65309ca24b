// The figures of a run as a page of text. Lengths in ms; what is unknown is a dash. Knows no flags.
import { ABSENT, showCount, showMs } from '../spread.ts';
import { peerLines } from './peer-report.ts';
import { rowOf, showRate, spreadRow, tableOf } from './rows.ts';
import type { ClassFigures, LoadResult, LoadVerdict } from './result.ts';
import { figuresOf } from './sweep.ts';

const CELL_WIDTH = 11;

export function reportLines(result: LoadResult): string[] {
  const { all, classes } = result;
  const groups = [...classes, ...(all === undefined ? [] : [all])];
  return [
    ...countLines(result, groups),
    ...groups.flatMap(classLines),
    ...(classes.some(isBanded) ? ['', '~ within 0.2 %: too many values to keep each of them.'] : []),
    ...(result.verdicts.length > 0 ? ['', ...verdictLines(result.verdicts)] : []),
    ...(result.peer === undefined ? [] : ['', ...peerLines(result.peer)]),
    ...(result.generator.warnings.length > 0 ? ['', ...result.generator.warnings.map((text) => `! ${text}`)] : []),
  ];
}

function countLines(result: LoadResult, groups: readonly ClassFigures[]): string[] {
  const rows = groups.map((figures) => [
    figures.class,
    showCount(figures.sentCount),
    showCount(figures.okCount),
    showRate(figures.requestsPerSecond),
    showRate(figures.outputTokensPerSecond),
    goodText(figures),
    showRate(figures.goodPerSecond),
    showRate(figures.goodTokensPerSecond),
  ]);
  const head = ['class', 'sent', 'ok', 'ok/s', 'tokens/s', 'good', 'good/s', 'good tokens/s'];
  const failures = figuresOf(result)?.outcomeCounts ?? {};
  const failed = Object.entries(failures).filter(([outcome]) => outcome !== 'ok');
  const notes = [
    failed.length > 0 ? `not ok: ${failed.map(([outcome, count]) => `${showCount(count)} ${outcome}`).join(', ')}` : '',
    result.unsentCount > 0 ? `due and never sent: ${showCount(result.unsentCount)}` : '',
    result.stopped ? `stopped by hand: ${showCount(result.openCount)} were still open and are in no figure` : '',
    result.warmupCount > 0 ? `sent to warm up, in no figure: ${showCount(result.warmupCount)}` : '',
    result.resentCount > 0
      ? `sent again, because the server had closed the kept connection: ${showCount(result.resentCount)}`
      : '',
  ];
  return [...tableOf([head, ...rows], CELL_WIDTH + 3), ...notes.filter((note) => note !== '')];
}

/** A share of so few is told by its counts as well. */
function goodText({ goodCount, sentCount }: ClassFigures): string {
  if (goodCount === undefined || sentCount === 0) return ABSENT;
  return `${((100 * goodCount) / sentCount).toFixed(1)} %`;
}

function classLines(figures: ClassFigures): string[] {
  const { ttft, ttfo, duration } = figures;
  const hasThinking = (ttfo.fromSent.p50Ns ?? 0) !== (ttft.fromSent.p50Ns ?? 0);
  return [
    '',
    rowOf(figures.class, ['count', 'p50', 'p95', 'p99', 'max']),
    spreadRow('TTFT, from due', ttft.fromDue),
    spreadRow('TTFT, from sent', ttft.fromSent),
    spreadRow('TTFT, from due, failures as never', figures.ttftOfAll),
    ...(hasThinking ? [spreadRow('first visible token, from due', ttfo.fromDue)] : []),
    spreadRow('gaps, all together', figures.gaps),
    spreadRow('worst gap of an exchange', figures.gapMax),
    spreadRow('p99 gap of an exchange', figures.gapP99),
    spreadRow('TPOT', figures.tpot),
    spreadRow('end to end, from due', duration.fromDue),
    spreadRow('end to end, from sent', duration.fromSent),
    spreadRow('end to end, from due, failures as never', figures.durationOfAll),
    spreadRow('waited here, due to sent', figures.wait),
    ...noteLines(figures),
  ];
}

function noteLines({ stallCount, taintedCount, unstatedCount, wait }: ClassFigures): string[] {
  return [
    `  stalls ${showCount(stallCount)}, mean wait here ${showMs(wait.meanNs)} ms`,
    ...(taintedCount > 0
      ? [`  gaps left out, for this side was too busy to stamp them: ${showCount(taintedCount)}`]
      : []),
    ...(unstatedCount > 0
      ? [`  answers that stated no token count, and are in no rate of tokens: ${showCount(unstatedCount)}`]
      : []),
  ];
}

export function verdictLines(verdicts: readonly LoadVerdict[]): string[] {
  const words = { true: 'met', false: 'MISSED', unknown: 'cannot be judged' } as const;
  const rows = verdicts.map(({ class: name, objective, limitNs, target, met, of, ...counts }) => [
    `${name} ${objective}`,
    limitNs === undefined ? ABSENT : `${showMs(limitNs)} ms`,
    `${Number((100 * target).toFixed(4))} %`,
    shareText(counts),
    `  ${words[met]}${met === 'unknown' ? reason(counts, target, of) : ''}`,
  ]);
  return tableOf([['objective', 'limit', 'wanted', 'kept', 'verdict'], ...rows], CELL_WIDTH + 2);
}

function shareText({ keptCount, missedCount, unknownCount }: Counts): string {
  const count = keptCount + missedCount + unknownCount;
  return count === 0 ? ABSENT : `${((100 * keptCount) / count).toFixed(2)} %`;
}

type Counts = Pick<LoadVerdict, 'keptCount' | 'missedCount' | 'unknownCount'>;

function reason({ keptCount, missedCount, unknownCount }: Counts, target: number, of: string): string {
  const count = keptCount + missedCount + unknownCount;
  const least = Math.ceil(1 / (1 - target) - 1e-9);
  if (count < least) return `: ${showCount(count)} ${of}, and it takes ${showCount(least)}`;
  return `: of ${showCount(unknownCount)} of ${showCount(count)} ${of} too little is known`;
}

function isBanded({ ttft, gaps }: ClassFigures): boolean {
  return ttft.fromSent.banded === true || gaps.banded === true;
}
