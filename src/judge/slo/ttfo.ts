// TTFO: request head received → chunk with the first fragment other than reasoning accepted by the kernel for
// the client. Who leaves, or is cut off, while the model still thinks has waited for it in vain.
import { isLost } from './fate.ts';
import { type KindRule, MISSED, UNKNOWN, within } from './rule.ts';

export const ttfo: KindRule = (objective, { figures, fate }) => {
  if (figures.ttfoNs !== undefined) return within(figures.ttfoNs, objective);
  const leftThinking = fate === 'left' && figures.ttftNs !== undefined;
  return isLost(fate) || leftThinking ? MISSED : UNKNOWN;
};
