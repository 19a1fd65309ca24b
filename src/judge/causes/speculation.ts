// Tokens come in passes, several at once, and the gap is just one pass long: the engine guesses ahead and checks.
// A hop with a timer looks alike from one stream, so the engine has to say that it guesses, or the passes of
// several streams have to end together, which no hop brings about.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

const BUNCHED_RATIO = 0.3;
/** The gap is one pass, give or take what steps differ by. */
const PASS_LEAST_RATIO = 0.5;
const PASS_MOST_RATIO = 1.6;
const IN_STEP_LEAST_RATIO = 0.75;

export function findSpeculation(view: StallView): CauseFinding | undefined {
  const { context, gapNs, whole } = view;
  const { stream, company, engine } = context;
  const { passNs, nearZeroCount, readCount, eventCount } = stream;
  if (passNs === undefined || readCount < 8 || whole?.delivery?.word === 'holds' || whole?.hop?.word === 'holds')
    return undefined;
  const isBunched = nearZeroCount >= BUNCHED_RATIO * readCount || eventCount >= (1 + BUNCHED_RATIO) * readCount;
  if (!isBunched || gapNs < PASS_LEAST_RATIO * passNs || gapNs > PASS_MOST_RATIO * passNs) return undefined;
  const numbers = {
    gapMs: gapNs / 1e6,
    passMs: passNs / 1e6,
    perPass: eventCount / Math.max(1, readCount - nearZeroCount),
    ...(engine?.draftAcceptedRatio === undefined ? {} : { draftAcceptedRatio: engine.draftAcceptedRatio }),
  };
  if (engine?.draftAcceptedRatio !== undefined)
    return { confidence: 0.95, signs: ['bunched', 'one_pass', 'drafts'], numbers };
  if ((company.inStepRatio ?? 0) < IN_STEP_LEAST_RATIO) return undefined;
  return { confidence: 0.8, signs: ['bunched', 'one_pass', 'in_step'], numbers };
}
