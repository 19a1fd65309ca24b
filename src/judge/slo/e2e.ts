// End to end: request head received → the end on the client's side. Only ever for answers of at most so many
// tokens (the objective's scope sees to that): without a bound it would be about the length of what was asked for.
import { isLost } from './fate.ts';
import { type KindRule, MISSED, UNKNOWN, within } from './rule.ts';

export const e2e: KindRule = (objective, { figures, fate }) => {
  if (isLost(fate)) return MISSED;
  return fate === 'left' ? UNKNOWN : within(figures.durationNs, objective);
};
