// An open exchange as `/api/streams` and the gauge of active exchanges show it.
import type { OpenExchange } from '../judge/report.ts';
import type { ObservedExchange } from './observed-exchange.ts';

/** `atNs`: up to when all is known of it, or earlier than its last entry while the tape is still being read. */
export function openView(
  observed: ObservedExchange,
  atNs: number,
  labels: { readonly route: string; readonly model: string; readonly edge?: string },
): OpenExchange {
  const { lastGeneratedAtNs, clientUnackedBytes } = observed;
  const ageNs = Math.max(atNs - observed.opening.openedAtNs, lastGeneratedAtNs ?? 0);
  const silentNs = lastGeneratedAtNs === undefined ? undefined : ageNs - lastGeneratedAtNs;
  const { trace } = observed.opening;
  return {
    id: observed.id,
    openedAtEpochMs: observed.openedAtEpochMs,
    ...labels,
    class: observed.classNow.name,
    phase: phaseOf(observed, ageNs),
    ageMs: ageNs / 1e6,
    chunkCount: observed.chunks.totalCount,
    ...(silentNs === undefined ? {} : { silentMs: silentNs / 1e6 }),
    ...(trace === undefined ? {} : { traceId: trace.traceId }),
    ...(clientUnackedBytes === undefined ? {} : { clientUnackedBytes }),
  };
}

/**
 * `silent`: the silence already is what would be a stall if it ended now. While the client takes no bytes we read none,
 * so what is silent then is no engine.
 */
function phaseOf(observed: ObservedExchange, ageNs: number): OpenExchange['phase'] {
  const { headSeen, marks, lastGeneratedAtNs } = observed;
  // A connection to the engine is asked for in the turn of the loop that lets it go.
  if (!headSeen) return (marks.connectStartAtNs ?? marks.requestSentAtNs) === undefined ? 'turn' : 'head';
  if (lastGeneratedAtNs === undefined) return 'token';
  return observed.metering.gaps.wouldStall(lastGeneratedAtNs, ageNs) ? 'silent' : 'stream';
}
