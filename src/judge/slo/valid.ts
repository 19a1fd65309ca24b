// Valid answer: it ended well by its dialect's own terminal mark, and with none of the finish reasons that the
// class takes for invalid.
import { isLost } from './fate.ts';
import { KEPT, type KindRule, MISSED, UNKNOWN } from './rule.ts';

export const valid: KindRule = ({ invalidFinishes = [] }, { record, fate }) => {
  if (isLost(fate)) return MISSED;
  const { answer, doubts } = record;
  if (answer.finishReasons.some((reason) => invalidFinishes.includes(reason))) return MISSED;
  if (fate === 'left') return UNKNOWN;
  // Where nobody could read the body, or parts of it are missing, a clean end of the wire proves little.
  const isRead = answer.unreadable === undefined && answer.dialect !== 'opaque';
  if (!isRead || doubts.includes('tape_bytes') || doubts.includes('tape_chunks')) return UNKNOWN;
  const isSilent = invalidFinishes.length > 0 && answer.finishReasons.length === 0;
  return isSilent ? UNKNOWN : KEPT;
};
