// TPOT, time per output token, in ns: (last token received − first token received) / (output tokens −
// tokens in the first read, 1 if unknown). The end is the last token's read, not the end mark and not
// the close. It is a second figure beside the gaps: one event may hold several tokens.
import { GAP_BOUNDS_S, type MetricSpec } from '../base/metric-spec.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import type { StreamView } from './stream-view.ts';

/** Absent rather than estimated: without an exact count of the tokens between the two moments there is none. */
export function tpotNs(record: StreamRecord, view: StreamView): number | undefined {
  const { firstTokenAtNs, lastTokenAtNs, firstReadTokens, complete } = view;
  const { output, reasoning } = record.tokens;
  if (firstTokenAtNs === undefined || lastTokenAtNs === undefined || !complete) return undefined;
  if (output === undefined || hasSeveralChoices(record)) return undefined;
  // Tokens that were thought in silence are in the count and not in the time.
  if ((reasoning ?? 0) > 0 && !view.reasoningSeen) return undefined;
  const tokenCount = output - (firstReadTokens ?? 1);
  // One read has no time between its tokens.
  if (tokenCount <= 0 || lastTokenAtNs <= firstTokenAtNs) return undefined;
  return Math.round((lastTokenAtNs - firstTokenAtNs) / tokenCount);
}

/** Several choices are decoded side by side, so time per token of the sum means nothing. */
function hasSeveralChoices({ request, answer }: StreamRecord): boolean {
  return (request.choices ?? 1) > 1 || answer.choiceCount > 1;
}

export const TPOT: MetricSpec = {
  name: 'rubato.tpot',
  type: 'histogram',
  unit: 's',
  help:
    'Time per output token: from the first token received to the last token received, over the tokens after the ' +
    'first read; only where the engine states an exact count.',
  labels: [],
  classed: true,
  bounds: GAP_BOUNDS_S,
};
