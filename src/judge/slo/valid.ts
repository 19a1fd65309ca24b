// Valid answer: it ended well by its dialect's own terminal mark, and with none of the finish reasons that the
// class takes for invalid.
import { validityOf } from '../valid-answer.ts';
import { isLost } from './fate.ts';
import { KEPT, type KindRule, MISSED, UNKNOWN } from './rule.ts';

export const valid: KindRule = ({ invalidFinishes = [] }, { record, fate }) => {
  if (isLost(fate)) return MISSED;
  const validity = validityOf(record, invalidFinishes);
  if (validity === 'invalid') return MISSED;
  return fate === 'left' || validity === 'unknown' ? UNKNOWN : KEPT;
};
