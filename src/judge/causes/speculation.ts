// Tokens come in passes, several at once, and the gap is about one pass long: the engine guesses ahead and checks.
// A hop with a timer looks alike from one stream, so the engine has to say that it guesses, or the passes of several
// streams have to end together, and nothing may speak for a hop.
import { usualPerPass } from './aftermath.ts';
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

/** What the gap has beyond one pass is less than this part of it. */
const BEYOND_RATIO = 0.7;
const PASS_LEAST_RATIO = 0.5;
/** How many tokens a pass has is known about so well. */
const SURELY = 0.8;
const IN_STEP_LEAST_RATIO = 0.5;

export function findSpeculation(view: StallView): CauseFinding | undefined {
  const { context, gapNs, usualNs, excessNs, isBunched, whole } = view;
  const { stream, company, engine } = context;
  if (!isBunched || usualNs === undefined || whole?.delivery?.word === 'holds' || whole?.hop?.word === 'holds')
    return undefined;
  // One engine's passes end together.
  if ((company.inStepRatio ?? 1) < IN_STEP_LEAST_RATIO) return undefined;
  if (gapNs < PASS_LEAST_RATIO * usualNs || excessNs > BEYOND_RATIO * usualNs) return undefined;
  // A stream that is used to nothing had stalled with one token a pass as well: its limit is the one that was set.
  if (stream.usualNs === undefined && usualNs > stream.thresholdNs) return undefined;
  // So had any, where what a pass adds to one token's pace is less than that.
  const paceNs = usualNs / usualPerPass(context);
  if (paceNs > stream.thresholdNs && SURELY * paceNs > usualNs - paceNs) return undefined;
  const numbers = {
    gapMs: gapNs / 1e6,
    passMs: usualNs / 1e6,
    perPass: stream.eventCount / Math.max(1, stream.readCount - stream.nearZeroCount),
    ...(engine?.draftAcceptedRatio === undefined ? {} : { draftAcceptedRatio: engine.draftAcceptedRatio }),
  };
  if (engine?.draftAcceptedRatio !== undefined)
    return { confidence: 0.95, signs: ['bunched', 'one_pass', 'drafts'], numbers };
  // Streams that began together stay together behind a timer as well, so the stream must have passed as it was.
  if (company.inStepRatio === undefined || whole?.delivery?.word !== 'passes') return undefined;
  return { confidence: 0.8, signs: ['bunched', 'one_pass', 'in_step'], numbers };
}
