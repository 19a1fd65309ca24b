// What a hop did to an exchange beside holding it, by what both sides say of themselves. Pure. A side that could
// not be read says nothing, and a stream that was cut has lost nothing to the hop.
import type { HopChange } from '../../record/hop-facts.ts';
import type { Sight, SightFacts } from './sight.ts';
import type { TextMatch } from './text-match.ts';

export interface Circumstances {
  readonly attemptCount: number;
  readonly abortNotPassed: boolean;
}

export function changesOf(
  outer: Sight,
  inner: Sight,
  match: TextMatch,
  { attemptCount, abortNotPassed }: Circumstances,
): HopChange[] {
  const changes: HopChange[] = [
    ...match.changes,
    ...bodyChanges(outer, inner, match),
    ...headChanges(outer.facts, inner.facts),
  ];
  if (differ(outer.ids.responseId, inner.ids.responseId)) changes.push('response_id_changed');
  if (attemptCount > 1) changes.push('retried');
  if (abortNotPassed) changes.push('abort_not_passed');
  return changes;
}

function bodyChanges(outer: Sight, inner: Sight, match: TextMatch): HopChange[] {
  const [out, put] = [outer.facts, inner.facts];
  if (out.dialect === undefined || put.dialect === undefined) return [];
  const changes: HopChange[] = [];
  const translated = out.dialect !== put.dialect;
  if (translated) changes.push('dialect_translated');
  if (differ(out.model, put.model)) changes.push('model_changed');
  // What comes at the end did not come to a client that left before it.
  if (outer.outcome === 'ok' || outer.outcome === 'incomplete') changes.push(...endChanges(out, put, translated));
  if (isSameText(match)) {
    if (out.textEventCount < put.textEventCount) changes.push('events_merged');
    if (out.textEventCount > put.textEventCount) changes.push('events_split');
  }
  if (out.keepAliveCount > put.keepAliveCount) changes.push('keep_alives_added');
  if (out.keepAliveCount < put.keepAliveCount && outer.outcome === 'ok') changes.push('comments_dropped');
  return changes;
}

function endChanges(out: SightFacts, put: SightFacts, translated: boolean): HopChange[] {
  const changes: HopChange[] = [];
  if (put.usage && !out.usage) changes.push('usage_lost');
  if (!put.usage && out.usage) changes.push('usage_added');
  // Each API has an end mark of its own; within one, the mark itself must come out.
  const isLost = translated ? put.terminal && !out.terminal : put.endMark && !out.endMark;
  if (put.streamed && isLost) changes.push('terminal_lost');
  return changes;
}

function headChanges(out: SightFacts, put: SightFacts): HopChange[] {
  if (out.status === undefined || put.status === undefined) return [];
  const changes: HopChange[] = [];
  if (put.accelBuffering === 'no' && out.accelBuffering !== 'no') changes.push('accel_buffering_lost');
  const wish = (['no-cache', 'no-transform'] as const).filter((word) => put.cacheControl?.includes(word) === true);
  if (wish.some((word) => out.cacheControl?.includes(word) !== true)) changes.push('cache_control_lost');
  if (out.encoding !== undefined && put.encoding === undefined) changes.push('coding_added');
  if (out.encoding === undefined && put.encoding !== undefined) changes.push('coding_removed');
  if (out.lengthStated && !put.lengthStated && put.streamed) changes.push('length_added');
  if (out.status !== put.status) changes.push('status_changed');
  return changes;
}

/** All lanes that both have are the same to the end, and neither has others. */
function isSameText({ pairs, changes }: TextMatch): boolean {
  const altering: readonly HopChange[] = ['text_lost', 'text_added', 'text_changed', 'channel_lost'];
  return pairs.length > 0 && pairs.every(({ equal }) => equal) && !altering.some((change) => changes.includes(change));
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
