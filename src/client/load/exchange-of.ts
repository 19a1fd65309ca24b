// One answer → the row of its request: the sidecar's own measures and rules over the record of the answer. What the
// objectives say counts from the moment at which the request was due. Pure.
import { judgeSlo } from '../../judge/slo/judge-slo.ts';
import type { SloVerdict } from '../../judge/slo/verdict.ts';
import { promptBucket } from '../../measure/buckets.ts';
import { defined } from '../../measure/defined.ts';
import type { Figures } from '../../measure/figures.ts';
import { measureRecord } from '../../measure/measure-record.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import type { ClassSpec } from '../../record/traffic-class.ts';
import { gapsReceived } from '../record-gaps.ts';
import type { Planned } from './plan.ts';
import type { LoadExchange } from './result.ts';

/** Why it was given up by us, if it was. */
export type GivenUp = 'total' | 'stopped' | undefined;

export interface SentRequest {
  readonly planned: Planned;
  readonly record: StreamRecord;
  readonly givenUp: GivenUp;
  /** Moments in ns since the run began. */
  readonly dueAtNs: number;
  readonly roomAtNs: number;
  readonly sentAtNs: number;
  /** It was sent twice, the second time so much later: that wait is the answer's. */
  readonly resentAfterNs: number;
  readonly traceId: string | undefined;
  readonly requestId: string | undefined;
}

export interface Judged {
  readonly exchange: LoadExchange;
  readonly slo: SloVerdict | undefined;
}

/** As the class `interactive` has it. */
export const STALL_DEFAULT_MS = 100;
const NS_PER_MS = 1e6;

export function exchangeOf(sent: SentRequest, spec: ClassSpec | undefined): Judged {
  const { planned, dueAtNs, roomAtNs, sentAtNs, resentAfterNs } = sent;
  const record = recordFor(sent, spec);
  const figures = later(measureRecord(record), resentAfterNs);
  const waitNs = sentAtNs - dueAtNs;
  const slo = judgeSlo(record, later(figures, waitNs));
  const { end, response, tokens, events } = record;
  const exchange: LoadExchange = {
    ordinal: planned.ordinal,
    class: planned.class,
    dueAtNs,
    sentAtNs,
    waitNs,
    lateNs: sentAtNs - roomAtNs,
    sentEpochMs: record.openedAtEpochMs - resentAfterNs / NS_PER_MS,
    outcome: end.outcome,
    ...defined({
      status: response.status,
      error: end.reason,
      ttftNs: figures.ttftNs,
      ttfoNs: figures.ttfoNs,
      headNs: figures.headNs,
      lastTextNs: figures.lastTokenNs,
      tpotNs: figures.tpotNs,
      gapMaxNs: figures.gapsReceived.maxNs,
      gapP99Ns: figures.gapsReceived.p99Ns,
      promptTokens: tokens.prompt,
      outputTokens: tokens.output,
      good: slo?.good,
      traceId: sent.traceId,
      requestId: sent.requestId,
    }),
    durationNs: figures.durationNs,
    gapsNs: gapsReceived(record).map(({ gapNs }) => gapNs),
    taintedCount: Object.values(figures.taintedCounts).reduce((sum, count) => sum + count, 0),
    stallCount: figures.stallCount,
    eventCount: events.kind.length,
    textEventCount: events.generated.filter((channels) => channels !== 0).length,
    plannedPromptTokens: planned.promptTokens,
    plannedOutputTokens: planned.outputTokens,
    missed: (slo?.objectives ?? []).filter(({ met }) => met === 'false').map(({ name }) => name),
  };
  return { exchange, slo };
}

/** The record as a sidecar would have it that knows the class, and what became of a request that we gave up. */
function recordFor({ planned, record, givenUp }: SentRequest, spec: ClassSpec | undefined): StreamRecord {
  const promptTokens = record.tokens.prompt ?? planned.promptTokens;
  return {
    ...record,
    class: {
      name: planned.class,
      stallNs: (spec?.stallMs ?? STALL_DEFAULT_MS) * NS_PER_MS,
      ...defined({ objectives: spec?.objectives }),
    },
    labels: { ...record.labels, promptBucket: promptBucket(promptTokens) },
    request: { ...record.request, generation: true, maxTokens: planned.outputTokens },
    // A limit of ours ended it; nobody left.
    end: givenUp === 'total' ? { ...record.end, wire: 'timeout_total', outcome: 'timeout_total' } : record.end,
  };
}

/** The same figures of a wait that began earlier. */
function later(figures: Figures, byNs: number): Figures {
  const { ttftNs, ttfoNs, headNs, lastTokenNs, durationNs } = figures;
  const shifted = (lengthNs: number | undefined): number | undefined =>
    lengthNs === undefined ? undefined : lengthNs + byNs;
  return {
    ...figures,
    ...defined({
      ttftNs: shifted(ttftNs),
      ttfoNs: shifted(ttfoNs),
      headNs: shifted(headNs),
      lastTokenNs: shifted(lastTokenNs),
    }),
    durationNs: durationNs + byNs,
  };
}
