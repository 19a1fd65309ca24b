// TTFT: request head received → chunk with the first token accepted by the kernel for the client. A stream
// that fails later had its first token in time or not, and what became of the rest is for others to say.
import { type KindRule, MISSED, UNKNOWN, within } from './rule.ts';

export const ttft: KindRule = (objective, { figures, fate }) => {
  if (figures.ttftNs !== undefined) return within(figures.ttftNs, objective);
  return fate === 'lost_before' ? MISSED : UNKNOWN;
};
