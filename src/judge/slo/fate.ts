// How an exchange ended, as far as promises go: whole, lost, or left by its client. A failure stays in
// the count and keeps nothing that had not been kept by then, so that objectives are not about survivors only.
import type { Figures } from '../../measure/figures.ts';
import type { Doubt } from '../../record/kinds.ts';
import type { StreamRecord } from '../../record/stream-record.ts';

/**
 * `whole`: the answer is complete. `lost_before`: it failed, was refused or ran out of time, or its client left,
 * before the first token was delivered. `lost_after`: it failed later. `left`: its client left later.
 */
export type Fate = 'whole' | 'lost_before' | 'lost_after' | 'left';

export function fateOf({ answer, end, doubts }: StreamRecord, figures: Figures): Fate {
  if (end.outcome === 'ok') return 'whole';
  const lost = end.outcome === 'client_abort' ? 'left' : 'lost_after';
  if (!answer.streamed || figures.ttftNs !== undefined) return figures.ttftNs === undefined ? 'lost_before' : lost;
  // Whether a token came can be unknown: nobody could read the stream, or its stamps are missing.
  const isUnread = figures.noFirstToken === 'tape' || figures.noFirstToken === 'unreadable';
  return isUnread || hasLosses(doubts) ? lost : 'lost_before';
}

const LOSSES: ReadonlySet<Doubt> = new Set(['tape_chunks', 'tape_bytes', 'log_full']);

/** Stamps or events are missing, and with them perhaps those that matter. */
export function hasLosses(doubts: readonly Doubt[]): boolean {
  return doubts.some((doubt) => LOSSES.has(doubt));
}

export function isLost(fate: Fate): boolean {
  return fate === 'lost_before' || fate === 'lost_after';
}
