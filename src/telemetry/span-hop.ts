// What the CLIENT span of an exchange says of the hop that it leads to, and the link to the span of the same exchange
// behind it. Pure.
import { type AttributeValue, type Link, TraceFlags } from '@opentelemetry/api';
import type { Report } from '../judge/report.ts';
import type { SpanAttributeName } from './span-names.ts';
import { roundedUs } from './span-time.ts';

type Own = Partial<Record<SpanAttributeName, AttributeValue | undefined>>;

export function hopAttributes({ record, hop: verdict, unpaired }: Report): Own {
  if (unpaired !== undefined) return { 'rubato.hop.name': unpaired.hop, 'rubato.hop.unpaired': unpaired.reason };
  const { hop } = record;
  if (hop === undefined) return {};
  return {
    'rubato.hop.name': hop.name,
    'rubato.hop.paired_by': hop.pairedBy,
    'rubato.hop.confirmed': hop.confirmed,
    'rubato.hop.inner_id': hop.inner.id,
    'rubato.hop.attempt_count': hop.attemptCount,
    'rubato.hop.changes': hop.changes.length > 0 ? [...hop.changes] : undefined,
    'rubato.hop.verdict': verdict?.word,
    'rubato.hop.way': verdict?.way,
    'rubato.hop.confidence': verdict?.confidence,
    'rubato.hop.signs': verdict === undefined || verdict.signs.length === 0 ? undefined : [...verdict.signs],
    'rubato.hop.hold_max_us': us(verdict?.holdMaxNs),
    'rubato.hop.hold_p50_us': us(verdict?.holdP50Ns),
    'rubato.hop.hold_p95_us': us(verdict?.holdP95Ns),
    'rubato.hop.ttft_added_us': us(verdict?.ttftAddedNs),
    'rubato.hop.gap_jitter_us': us(verdict?.gapJitterAddedNs),
    'rubato.hop.abort_us': us(hop.abortNs),
    'rubato.hop.clock_error_us': us(hop.clockErrorNs),
  };
}

/** Behind a hop that passes no trace on, the other sight is in a trace of its own; the link joins the two. */
export function hopLinks({ record }: Report): Link[] {
  const trace = record.hop?.inner.trace;
  if (trace === undefined) return [];
  const { traceId, serverSpanId: spanId, sampled } = trace;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return [{ context: { traceId, spanId, traceFlags, isRemote: true } }];
}

function us(lengthNs: number | undefined): number | undefined {
  return lengthNs === undefined ? undefined : roundedUs(lengthNs);
}
