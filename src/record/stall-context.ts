// What was going on around a stall, frozen as plain data when it is judged: the stream itself before and after the
// gap, the others on its route, the exchanges that opened or got their first token then, and what the engine
// published. Whoever has it can judge the stall again, bit for bit. Holds facts only; what they mean is judge/'s.
// Moments are ns since the exchange with the stall opened, so those of others may be negative. Unknown is absent.

/** Who made a stall. Closed set; `unknown` wherever the evidence leaves more than one answer. */
export const STALL_CAUSES = [
  'prefill_interference', // the engine read the prompt of another exchange
  'growth', // every step is longer now: more requests in the batch, or more context
  'preemption', // the engine threw this request, or another whose work it then did again, out of its batch
  'host', // the engine's process stood still, or had work of its own between two steps
  'speculation', // tokens come in passes: several at once, and the pass is what takes its time
  'buffering', // a hop held what the engine had written
  'client', // the client took no more bytes just before
  'network', // packets of this stream alone were lost or late
  'rubato', // the sidecar was late itself, by enough to make the difference
  'unknown',
] as const;
export type StallCause = (typeof STALL_CAUSES)[number];

/** This stream around the gap. "Reads" are those with generated fragments, gaps those between them. */
export interface StalledStream {
  /** Running median of the gaps before; absent below 8. */
  readonly usualNs?: number;
  /** A gap above this was a stall. */
  readonly thresholdNs: number;
  /** The last gaps before the stall and the first after it, at most 8 of each; reads nearly at once count as one. */
  readonly gapsBeforeNs: readonly number[];
  readonly gapsAfterNs: readonly number[];
  /** Events with generated fragments in each such read: the one that ended the stall, then those of `gapsAfterNs`. */
  readonly eventsFromEnd: readonly number[];
  /** Output tokens of the same reads where the engine states a running count. */
  readonly tokensFromEnd?: readonly number[];
  /** The stream ended with the last of them; absent where it went on, or that is not known. */
  readonly isEnd?: true;
  /** Of the latest reads before the stall, at most 64: how many, the events in them, and the reads nearly at once. */
  readonly readCount: number;
  readonly eventCount: number;
  readonly nearZeroCount: number;
  /** Of the reads, those with more than one event. */
  readonly severalCount: number;
  /** Choices asked for, each of which has an event a step; absent for one. */
  readonly choiceCount?: number;
  /** Median of the gaps between them that were not nearly zero. */
  readonly passNs?: number;
  /** Upper bound of how late the stamp of the gap's end is. */
  readonly lateNs: number;
  /** Of the gap, time in which the relay's thread stood still. */
  readonly pausedNs: number;
  /** The latest time in which our socket to the client was blocked: its end, and how long it lasted. */
  readonly blockedToNs?: number;
  readonly blockedNs?: number;
  /** Bytes the client had not acknowledged when last looked. */
  readonly clientUnackedBytes?: number;
  /** Bytes of the text given to the model (of the body, where the text is not known apart). */
  readonly promptBytes: number;
}

/** The other streams of the route that were being generated when the gap began; at most 64 are looked at. */
export interface StallCompany {
  /** Had reads shortly before the gap began, and did not end within it. */
  readonly streamCount: number;
  /** Of these, the ones without a read in the middle of the gap, and those that read on at least twice. */
  readonly pausedCount: number;
  readonly wentOnCount: number;
  /** Others that read on at least twice within the gap and then ended in it; absent without any. */
  readonly endedWithinCount?: number;
  /** Of the paused, those that came back together with this stream. */
  readonly resumedTogetherCount: number;
  /** Of the paused, those that came back with more than a step's worth at once. */
  readonly burstCount: number;
  /** Of the streams, as far as that was looked at, the share whose reads mostly come at the moments of this one's. */
  readonly inStepRatio?: number;
  /** Median over those that read on: their gap that ended last before this stream came back, or together with it. */
  readonly wentOnLastGapP50Ns?: number;
  /** Median over the paused of their silence around the gap, and over all of their usual gap. */
  readonly silenceP50Ns?: number;
  readonly usualP50Ns?: number;
  /** Others of which at least 8 reads are known and come in bunches, and the median of all others' passes. */
  readonly bunchedCount?: number;
  readonly passP50Ns?: number;
  /** Steps of the route at which nobody waited, with the fewest streams in the batch: how many, and their median. */
  readonly quietRunning?: number;
  readonly quietStepNs?: number;
  /** The same with about as many streams as at the stall. */
  readonly plainStepNs?: number;
  /** Streams that were being generated on the route: on average since this stream's first token, and at the stall. */
  readonly runningBefore: number;
  readonly runningAt: number;
  /** Bytes of the prompts and answers of all running streams: at its first token, and at the stall. */
  readonly contextBeforeBytes?: number;
  readonly contextAtBytes?: number;
}

/** Another exchange whose prompt was, or may have been, read during the gap. At most 8, those nearest to its end. */
export interface StallArrival {
  /** Its request had been given to the engine (received, where that is not known). */
  readonly sentAtNs: number;
  /** Its first token; absent when none had come by then, or its answer is no stream. */
  readonly firstTokenAtNs?: number;
  /** Its end, where that had come. */
  readonly endedAtNs?: number;
  readonly promptBytes: number;
  /**
   * Without a first token, and all who were sent before it have theirs: since when that is so. Engines read prompts
   * in the order of their coming.
   */
  readonly firstInLineAtNs?: number;
  /** It had tokens before and was silent for long: if its work was thrown away, this is its coming back. */
  readonly resumedAfterNs?: number;
  /**
   * By how much prompts of like size before it lengthened the steps of others on this route, or, where there were no
   * others, their own way to the first token; scaled to its size. Absent before one was seen.
   */
  readonly costNs?: number;
}

/** What the engine published around the gap: at the last look before it began, and the first after it ended. */
export interface StallEngine {
  readonly beforeAtNs?: number;
  readonly afterAtNs?: number;
  readonly runningBefore?: number;
  readonly runningAfter?: number;
  /** Exchanges that rubato saw under way at some time between the two looks, or since the first. */
  readonly presentCount: number;
  readonly waitingAfter?: number;
  readonly kvUsedRatio?: number;
  /** Requests thrown out of the batch between the two looks. */
  readonly preemptedCount?: number;
  readonly draftAcceptedRatio?: number;
}

export interface StallContext {
  /** Row in the chunk log at which the gap ends, as in the figure of the stall. */
  readonly chunk: number;
  readonly startAtNs: number;
  readonly endAtNs: number;
  readonly stream: StalledStream;
  readonly company: StallCompany;
  readonly arrivals: readonly StallArrival[];
  /** Arrivals beyond those listed, and what their prompts cost together as far as that is known. */
  readonly arrivalsLeftOut?: { readonly count: number; readonly costNs: number };
  readonly engine?: StallEngine;
  /** Only the whole stream's shape can tell: judged with the verdict of its delivery, when the exchange had ended. */
  readonly atEnd?: true;
  /** With `atEnd`: what the latest streams before it on this route showed of hops on the way. */
  readonly deliveries?: { readonly heldCount: number; readonly passedCount: number };
}

/** One look at what an engine publishes, as the observer is told of it. Absolute moment of the monotonic clock. */
export interface EngineSample {
  readonly atNs: number;
  readonly runningCount?: number;
  readonly waitingCount?: number;
  readonly kvUsedRatio?: number;
  /** Since the engine's or our start: only differences are used. */
  readonly preemptedCount?: number;
  readonly draftAcceptedRatio?: number;
}
