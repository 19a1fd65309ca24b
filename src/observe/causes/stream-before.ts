// What is known of a stream at the moment a stall of it ends: how its reads came until then, and what held up the
// sidecar or the client. Reads logs, decides nothing.
import { defined } from '../../measure/defined.ts';
import type { Gap } from '../../measure/gap-meter.ts';
import type { ObservedExchange } from '../observed-exchange.ts';
import type { StreamBefore } from './pending-stall.ts';
import type { TrackedExchange } from './tracked-exchange.ts';

export function streamBefore(observed: ObservedExchange, exchange: TrackedExchange, gap: Gap): StreamBefore {
  const { chunk, atNs, gapNs, usual } = gap;
  const { lastGapsNs, readCount, eventCount, nearZeroCount, severalCount, passNs } = exchange.shapeBefore();
  const { gaps } = observed.metering;
  const { choices = 1 } = observed.request;
  return {
    thresholdNs: usual?.thresholdNs ?? 0,
    gapsBeforeNs: lastGapsNs,
    readCount,
    eventCount,
    nearZeroCount,
    severalCount,
    lateNs: observed.chunks.errorBoundNs(chunk),
    pausedNs: gaps.pauses.reduce((sum, { startAtNs, endAtNs }) => {
      return sum + Math.max(0, Math.min(endAtNs, atNs) - Math.max(startAtNs, atNs - gapNs));
    }, 0),
    promptBytes: exchange.promptBytes,
    ...blockedBefore(gaps.blockedNs, atNs),
    ...(choices > 1 ? { choiceCount: choices } : {}),
    ...defined({ usualNs: usual?.medianNs, passNs, clientUnackedBytes: observed.clientUnackedBytes }),
  };
}

/** The latest interval that began before the stall ended; edges are from, to, from, to. */
function blockedBefore(edgesNs: readonly number[], atNs: number): Pick<StreamBefore, 'blockedToNs' | 'blockedNs'> {
  const last = edgesNs.findLastIndex((edgeNs, index) => index % 2 === 0 && edgeNs < atNs);
  const [fromNs, toNs] = [edgesNs[last], edgesNs[last + 1]];
  if (last < 0 || fromNs === undefined || toNs === undefined) return {};
  return { blockedToNs: toNs, blockedNs: toNs - fromNs };
}
