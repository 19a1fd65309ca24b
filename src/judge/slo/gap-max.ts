// Worst gap of the exchange: every gap between reads with generated fragments keeps the limit.
import { isLost } from './fate.ts';
import { areGapsDoubtful } from './gaps.ts';
import { type KindRule, MISSED, UNKNOWN, within } from './rule.ts';

export const gapMax: KindRule = (objective, subject) => {
  const { maxNs } = subject.figures.gapsReceived;
  const judged = maxNs === undefined ? UNKNOWN : within(maxNs, objective);
  // One gap too long is enough, whatever else is known. A stream that broke off left its reader waiting for ever.
  if (judged.met === 'false') return judged;
  if (isLost(subject.fate)) return MISSED;
  return areGapsDoubtful(subject) ? UNKNOWN : judged;
};
