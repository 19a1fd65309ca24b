// Served: it was not shed, and an engine began to answer it. What became of the answer is for others to say.
import { KEPT, type KindRule, MISSED } from './rule.ts';

/** From here on a status says that nothing was served; 429 and 503 are how engines shed. */
const REFUSED_FROM_STATUS = 400;

export const served: KindRule = (_, { record }) => {
  const { status } = record.response;
  if (record.end.outcome === 'shed' || status === undefined) return MISSED;
  return status < REFUSED_FROM_STATUS ? KEPT : MISSED;
};
