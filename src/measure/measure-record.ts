// All figures of one record. Pure: the same record gives the same figures bit for bit, wherever and
// whenever it is measured. Decides which measures apply; each computes in its own file.
import type { StreamRecord } from '../record/stream-record.ts';
import { backpressureNs } from './backpressure.ts';
import { defined } from './defined.ts';
import { durationNs } from './duration.ts';
import type { Figures } from './figures.ts';
import { gapFigures } from './gap.ts';
import { holdFigures } from './hold.ts';
import { noFirstTokenReason } from './no-first-token.ts';
import { type Replayed, replayStream } from './replay.ts';
import { worstStalls } from './stall.ts';
import { stampErrorMaxNs } from './stamp-error.ts';
import { viewStream } from './stream-view.ts';
import { thinkingNs } from './thinking.ts';
import { tokenSteps } from './token-steps.ts';
import { outputTokensPerSecond } from './tokens.ts';
import { tpotNs } from './tpot.ts';
import { ttftPer1kNs } from './ttft-per-1k.ts';
import { splitTtft } from './ttft-split.ts';

export function measureRecord(record: StreamRecord): Figures {
  return record.answer.streamed ? measureStream(record) : measureOther(record);
}

function measureStream(record: StreamRecord): Figures {
  const replayed = replayStream(record);
  const view = viewStream(record);
  const { ttftNs, ttfoNs, firstRow } = replayed;
  const delivered = ttftNs !== undefined && firstRow !== undefined;
  return {
    ...defined({
      ttftNs,
      ttfoNs,
      thinkingNs: thinkingNs(ttftNs, ttfoNs),
      ttftPer1kNs: ttftPer1kNs(ttftNs, record.tokens),
      tokenSteps: tokenSteps(record, view.complete),
      headNs: record.marks.headReceivedAtNs,
      firstEventNs: view.firstEventAtNs,
      lastTokenNs: view.lastTokenAtNs,
      noFirstToken: delivered ? undefined : noFirstTokenReason(record, firstRow !== undefined),
      split: delivered ? splitTtft(record, firstRow, ttftNs) : undefined,
      tpotNs: tpotNs(record, view),
      ...holdFigures(record.chunks),
      outputTokensPerSecond: outputTokensPerSecond(record.tokens, view.lastTokenAtNs),
    }),
    ...gapsAndStalls(replayed),
    ...ofEveryExchange(record),
  };
}

/** An answer that is not a stream enters only duration, tokens and outcome, whatever its body looked like. */
function measureOther(record: StreamRecord): Figures {
  return {
    ...defined({ noFirstToken: noFirstTokenReason(record, false) }),
    ...gapsAndStalls(NOTHING_REPLAYED),
    ...ofEveryExchange(record),
  };
}

const NOTHING_REPLAYED: Pick<Replayed, 'gapsNs' | 'stalls' | 'taintedCounts' | 'coalescedCount'> = {
  gapsNs: { received: [], flushed: [] },
  stalls: [],
  taintedCounts: { gc: 0, loop: 0, cpu: 0, clock: 0, backpressure: 0 },
  coalescedCount: 0,
};

function gapsAndStalls({ gapsNs, stalls, taintedCounts, coalescedCount }: typeof NOTHING_REPLAYED) {
  return {
    gapsReceived: gapFigures(gapsNs.received),
    gapsFlushed: gapFigures(gapsNs.flushed),
    taintedCounts,
    stallCount: stalls.length,
    stalls: worstStalls(stalls),
    coalescedCount,
  };
}

function ofEveryExchange(record: StreamRecord): Pick<Figures, 'backpressureNs' | 'durationNs' | 'stampErrorMaxNs'> {
  const endAtNs = durationNs(record);
  return {
    ...defined({ stampErrorMaxNs: stampErrorMaxNs(record) }),
    backpressureNs: backpressureNs(record.blockedNs, endAtNs),
    durationNs: endAtNs,
  };
}
