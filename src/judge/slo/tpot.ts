// TPOT: (last token received − first token received) / (output tokens − tokens of the first read). Without an
// exact count of tokens there is none, and nobody knows.
import { isLost } from './fate.ts';
import { type KindRule, MISSED, UNKNOWN, within } from './rule.ts';

export const tpot: KindRule = (objective, { figures, fate }) => {
  if (isLost(fate)) return MISSED;
  // A client that left early cut off tokens whose time nobody has seen.
  if (fate === 'left' || figures.tpotNs === undefined) return UNKNOWN;
  return within(figures.tpotNs, objective);
};
