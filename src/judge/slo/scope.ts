// Whether an objective is for this exchange: by the size of its prompt and of its answer. Pure.
import { UNKNOWN_BUCKET } from '../../record/bucket-names.ts';
import type { ObjectiveScope } from '../../record/objective.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import { type Fate, isLost } from './fate.ts';

/** `unknown`: a bound that cannot be looked at. */
export type InScope = 'in' | 'out' | 'unknown';

export function scopeOf(scope: ObjectiveScope, record: StreamRecord, fate: Fate): InScope {
  const parts = new Set([bucketScope(scope, record), promptScope(scope, record), outputScope(scope, record, fate)]);
  // One bound that surely keeps it out is enough, whatever the others are.
  if (parts.has('out')) return 'out';
  return parts.has('unknown') ? 'unknown' : 'in';
}

function bucketScope({ promptBuckets }: ObjectiveScope, { labels }: StreamRecord): InScope {
  if (promptBuckets === undefined || promptBuckets.includes(labels.promptBucket)) return 'in';
  return labels.promptBucket === UNKNOWN_BUCKET ? 'unknown' : 'out';
}

/**
 * Only an answer states how many tokens the prompt had. What failed has none, so the estimate stands in for
 * it, or objectives with a bound would be about survivors only.
 */
function promptScope({ promptTokensMin, promptTokensMax }: ObjectiveScope, record: StreamRecord): InScope {
  if (promptTokensMin === undefined && promptTokensMax === undefined) return 'in';
  const tokens = record.tokens.prompt ?? record.request.promptTokensEstimate;
  if (tokens === undefined) return 'unknown';
  return tokens >= (promptTokensMin ?? 0) && tokens <= (promptTokensMax ?? Infinity) ? 'in' : 'out';
}

function outputScope({ outputTokensMax }: ObjectiveScope, record: StreamRecord, fate: Fate): InScope {
  if (outputTokensMax === undefined) return 'in';
  const { output } = record.tokens;
  if (output !== undefined) return output <= outputTokensMax ? 'in' : 'out';
  const isBounded = (record.request.maxTokens ?? Infinity) <= outputTokensMax;
  // What was lost might have been short; leaving it out would be in favour of whoever lost it.
  return isBounded || isLost(fate) ? 'in' : 'unknown';
}
