// What the observer tells the world, and the contract of those who listen. Sinks never call back
// and never throw into the observer: it guards each call.
import type { WireEnd } from '../base/outcome.ts';
import type { Figures, TaintCause } from '../measure/figures.ts';
import type { CapturedText } from '../record/captured-text.ts';
import type { UnpairedReason } from '../record/hop-facts.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import type { TextCurve } from '../record/text-curve.ts';
import type { StallVerdict } from './causes/verdict.ts';
import type { DeliveryVerdict, HopVerdict } from './delivery/verdict.ts';
import type { JobReport } from './job/judge-job.ts';
import type { SloVerdict } from './slo/verdict.ts';

/** Label values of one exchange: closed or capped sets only. */
export interface ExchangeLabels {
  readonly class: string;
  readonly model: string;
  readonly route: string;
  readonly promptBucket: string;
  /** The hop before which the exchange was seen; absent before an engine. See `edge` of the record. */
  readonly edge?: string;
}

/** A trace to point at from an exemplar; absent when the exchange is not sampled. */
export interface ExemplarRef {
  readonly traceId: string;
  readonly spanId: string;
}

export interface Report {
  readonly record: StreamRecord;
  readonly figures: Figures;
  readonly labels: ExchangeLabels;
  readonly outputBucket: string;
  /** What the arrivals say about hops on the engine's side; absent where there was no stream to judge. */
  readonly delivery?: DeliveryVerdict;
  /** What the hop did that this exchange was seen on both sides of. */
  readonly hop?: HopVerdict;
  /** What it came to against what was promised; absent of what is no demand. */
  readonly slo?: SloVerdict;
  /** Who made its stalls, as far as the record keeps what went on around them; absent without any. */
  readonly stalls?: readonly StallVerdict[];
  /** It was seen before a hop, and not found behind it. */
  readonly unpaired?: { readonly hop: string; readonly reason: UnpairedReason };
  /** Offsets and hashes of the generated text, for pairing alone: no sink writes them anywhere. */
  readonly text?: TextCurve;
}

export type GapPoint = 'received' | 'flushed';

/** Every method is called on the main thread in the order in which things happened on the wire. */
export interface Sink {
  readonly name: string;
  /** The first token reached the client; called once, as it happens. */
  onFirstToken?(labels: ExchangeLabels, ttftNs: number, exemplar: ExemplarRef | undefined): void;
  /** The first visible token reached the client; called once, as it happens. */
  onFirstVisibleToken?(labels: ExchangeLabels, ttfoNs: number, exemplar: ExemplarRef | undefined): void;
  /** An untainted gap ended; `stalled` is only ever true at the point `received`. */
  onGap?(
    labels: ExchangeLabels,
    point: GapPoint,
    gapNs: number,
    stalled: boolean,
    exemplar: ExemplarRef | undefined,
  ): void;
  /** The cause of a stall is known, or that it is not: once a stall, some time after its gap was told. */
  onStall?(labels: ExchangeLabels, verdict: StallVerdict, exemplar: ExemplarRef | undefined): void;
  /** A gap ended whose ends cannot be trusted. */
  onTaintedGap?(labels: ExchangeLabels, cause: TaintCause): void;
  onCoalesced?(labels: ExchangeLabels, count: number): void;
  /** The exchange is over and its record frozen. `text` is for the record file alone. */
  onReport?(report: Report, exemplar: ExemplarRef | undefined, text?: CapturedText): void;
  /** A batch job is over; told after the reports that it rests on. */
  onJob?(job: JobReport): void;
}

/** An exchange still under way, for `/api/streams` and the gauge `rubato.active`. */
export interface OpenExchange {
  readonly id: string;
  readonly openedAtEpochMs: number;
  readonly route: string;
  /** The hop before which it is seen; absent before an engine. */
  readonly edge?: string;
  readonly class: string;
  readonly model: string;
  readonly phase: 'turn' | 'head' | 'token' | 'stream' | 'silent';
  readonly ageMs: number;
  readonly chunkCount: number;
  /** Since the last read with a generated fragment; absent before the first token. */
  readonly silentMs?: number;
  readonly traceId?: string;
  /** Bytes the kernel still holds for this client; absent where it cannot be sampled. */
  readonly clientUnackedBytes?: number;
}

/** One exchange as a list shows it. */
export interface RecentExchange {
  readonly id: string;
  readonly outcome: string;
  readonly wireEnd: WireEnd;
  readonly report: Report;
}
