// The rules of causes in one table, and what they come to together. Each looks at a stall on its own; where two of
// them have something to say and neither says it much better, nobody knows, for a wrong cause is worse than none.
// Pure: the same context gives the same verdict, live and in a replay. A new rule is one file and one line here.
import type { StallCause, StallContext } from '../../record/stall-context.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import { findBuffering } from './buffering.ts';
import { findClient } from './client.ts';
import { findGrowth } from './growth.ts';
import { findHost } from './host.ts';
import { findNetwork } from './network.ts';
import { findPreemption } from './preemption.ts';
import { findPrefillInterference } from './prefill-interference.ts';
import { findRubato } from './rubato.ts';
import { findSpeculation } from './speculation.ts';
import type { CauseFinding, StallVerdict, WholeStream } from './verdict.ts';
import { viewOf, type StallView } from './view.ts';

interface CauseRule {
  readonly cause: Exclude<StallCause, 'unknown'>;
  readonly find: (view: StallView) => CauseFinding | undefined;
}

const RULES: readonly CauseRule[] = [
  { cause: 'rubato', find: findRubato },
  { cause: 'client', find: findClient },
  { cause: 'prefill_interference', find: findPrefillInterference },
  { cause: 'preemption', find: findPreemption },
  { cause: 'growth', find: findGrowth },
  { cause: 'speculation', find: findSpeculation },
  { cause: 'buffering', find: findBuffering },
  { cause: 'network', find: findNetwork },
  { cause: 'host', find: findHost },
];

/** A cause must be better founded than any other by so much. */
const AHEAD_LEAST = 0.1;
/** What steps are with more streams than this says nothing of an engine that has little to do. */
const QUIET_MOST_COUNT = 8;

/** `whole` only of a stall that was judged at the end of its exchange. */
export function judgeStall(context: StallContext, whole?: WholeStream): StallVerdict {
  const view = viewOf(context, whole);
  const found = RULES.flatMap(({ cause, find }) => {
    const finding = find(view);
    return finding === undefined ? [] : [{ cause, finding }];
  }).sort((a, b) => b.finding.confidence - a.finding.confidence);
  const [best, second] = found;
  const stall = { chunk: context.chunk, gapNs: view.gapNs };
  if (isUsual(view)) return { ...stall, cause: 'unknown', confidence: 0, signs: ['usual_here'], numbers: {} };
  if (best === undefined) return { ...stall, cause: 'unknown', confidence: 0, signs: [], numbers: {} };
  if (second !== undefined && best.finding.confidence - second.finding.confidence < AHEAD_LEAST) {
    return { ...stall, cause: 'unknown', confidence: 0, signs: [`${best.cause}_or_${second.cause}`], numbers: {} };
  }
  const { confidence, signs, numbers = {} } = best.finding;
  return { ...stall, cause: best.cause, confidence, signs, numbers: rounded(numbers) };
}

/** Steps of this route are that long when nothing is the matter: whoever set the limit knows why. */
function isUsual({ isBunched, aftermath, usualNs = 0, excessNs, context }: StallView): boolean {
  const { quietRunning = 1 } = context.company;
  return (
    !isBunched &&
    aftermath !== 'burst' &&
    quietRunning <= QUIET_MOST_COUNT &&
    usualNs > context.stream.thresholdNs &&
    usualNs > excessNs
  );
}

/** What was missed came at once, or things come in bunches anyway: a hop's doing shows in the whole stream only. */
export function needsWholeStream(context: StallContext): boolean {
  const { isBunched, aftermath } = viewOf(context);
  return isBunched || aftermath === 'burst';
}

/** Of every stall whose surroundings the record keeps, in order of time; empty for records of earlier versions. */
export function judgeStalls({ stalls = [] }: StreamRecord, whole: WholeStream): StallVerdict[] {
  return stalls.map((context) => judgeStall(context, context.atEnd === true ? whole : undefined));
}

/** Numbers for people: what is beyond a thousandth is noise. */
function rounded(numbers: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Math.round(value * 1e3) / 1e3]));
}
