// A hop held what the engine had written: what was missed came at once when it let go, and the stream as a whole
// shows how that hop holds. Rests on the verdicts of one and of two points; without one of them this rule is silent.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

export function findBuffering({ whole, aftermath, context, gapNs, isBunched }: StallView): CauseFinding | undefined {
  const { stream } = context;
  if (aftermath !== 'burst' && !isBunched) return undefined;
  const numbers = { gapMs: gapNs / 1e6, eventsAtEnd: stream.eventsFromEnd[0] ?? 0 };
  const { hop, delivery } = whole ?? {};
  if (hop?.word === 'holds') {
    return { confidence: Math.min(0.95, hop.confidence), signs: ['two_points', ...hop.signs.slice(0, 2)], numbers };
  }
  if (delivery?.word !== 'holds') return undefined;
  return {
    confidence: Math.min(0.9, delivery.confidence),
    signs: ['one_point', ...delivery.signs.slice(0, 2)],
    numbers,
  };
}
