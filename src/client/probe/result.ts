// What a probe found out, as it is printed, saved and compared: plain data, without a key, a query or a text of
// the conversation.
import type { DeliveryVerdict, DeliveryWord, HoldWay, HopVerdict } from '../../judge/delivery/verdict.ts';
import type { Figures } from '../../measure/figures.ts';
import type { UnpairedReason } from '../../record/hop-facts.ts';
import type { HopSigns } from '../../record/hop-signs.ts';
import type { ApiName } from './apis.ts';
import type { Moments } from './moments.ts';

export const PROBE_SCHEMA = 1;

/** What went wrong with a request, and what to do about it. */
export interface Trouble {
  readonly says: string;
  readonly cure: string;
}

export interface ProbeStream {
  readonly id: string;
  readonly outcome: string;
  readonly status?: number;
  readonly mediaType?: string;
  readonly encoding?: string;
  readonly hopSigns?: HopSigns;
  readonly moments: Moments;
  /** Reads of the answer's body, events of any kind, and those with generated text. */
  readonly readCount: number;
  readonly eventCount: number;
  readonly textEventCount: number;
  readonly receivedBytes: number;
  readonly outputTokenCount?: number;
  readonly figures: Figures;
  /** What the arrivals alone say. */
  readonly delivery?: DeliveryVerdict;
  /** What a rubato behind the hop, or before the engine, adds: both sights laid over each other. */
  readonly hop?: HopVerdict;
  /** No pair was found there, and why. */
  readonly unpaired?: UnpairedReason;
  readonly trouble?: Trouble;
}

/** Of all streams together. */
export interface ProbeVerdict {
  readonly word: DeliveryWord;
  readonly way?: HoldWay;
  /** The least sure of those that say so. */
  readonly confidence: number;
  /** It rests on two points, or on the arrivals alone. */
  readonly points: 1 | 2;
  readonly cures: readonly string[];
}

export interface ProbeResult {
  readonly schema: typeof PROBE_SCHEMA;
  /** Without user, password and query. */
  readonly url: string;
  readonly api: ApiName;
  readonly model: string;
  readonly startedAtEpochMs: number;
  readonly concurrency: number;
  readonly streams: readonly ProbeStream[];
  /** Absent when no stream of text came. */
  readonly verdict?: ProbeVerdict;
}
