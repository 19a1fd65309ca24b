// A stall with what went on around it, made by hand: one stream of three in step at 20 ms, silent for 200 ms, with
// nothing else happening. Tests say what is different.
import { judgeStall } from '../../../../src/judge/causes/judge-stall.ts';
import type {
  StallArrival,
  StallCompany,
  StallContext,
  StalledStream,
  StallEngine,
} from '../../../../src/record/stall-context.ts';

const MS = 1e6;

export interface Changes {
  readonly gapMs?: number;
  readonly stream?: Partial<StalledStream>;
  readonly company?: Partial<StallCompany>;
  readonly context?: Partial<Omit<StallContext, 'stream' | 'company'>>;
}

export const ms = (value: number): number => value * MS;

export function msOf(...values: readonly number[]): number[] {
  return values.map(ms);
}

export function stallContext({ gapMs = 200, stream = {}, company = {}, context = {} }: Changes = {}): StallContext {
  return {
    chunk: 100,
    startAtNs: ms(5_000),
    endAtNs: ms(5_000 + gapMs),
    stream: {
      usualNs: ms(20),
      thresholdNs: ms(100),
      gapsBeforeNs: msOf(20, 20, 20, 20, 20, 20, 20, 20),
      gapsAfterNs: msOf(20, 20, 20, 20, 20, 20, 20, 20),
      eventsFromEnd: [1, 1, 1, 1, 1, 1, 1, 1, 1],
      readCount: 63,
      eventCount: 63,
      nearZeroCount: 0,
      severalCount: 0,
      passNs: ms(20),
      lateNs: 0,
      pausedNs: 0,
      promptBytes: 400,
      ...stream,
    },
    company: {
      streamCount: 2,
      pausedCount: 2,
      wentOnCount: 0,
      resumedTogetherCount: 2,
      burstCount: 0,
      inStepRatio: 1,
      silenceP50Ns: ms(gapMs),
      usualP50Ns: ms(20),
      passP50Ns: ms(20),
      quietRunning: 1,
      quietStepNs: ms(18),
      plainStepNs: ms(20),
      runningBefore: 3,
      runningAt: 3,
      contextBeforeBytes: 2_000,
      contextAtBytes: 3_000,
      ...company,
    },
    arrivals: [],
    ...context,
  };
}

/** Others who go on while this stream is silent. */
export const OTHERS_GO_ON: Partial<StallCompany> = {
  pausedCount: 0,
  wentOnCount: 2,
  resumedTogetherCount: 0,
  wentOnLastGapP50Ns: ms(20),
};

/** What of the silence was missed comes with the read that ends it. */
export const BURST: Partial<StalledStream> = { eventsFromEnd: [10, 1, 1, 1, 1, 1, 1, 1, 1] };

/** The cause that is named. */
export const causeOf = (changes?: Changes): string => judgeStall(stallContext(changes)).cause;

/** Its prompt is read from shortly after the gap began until shortly before it ends, and costs just that. */
export const arrival = (changes: Partial<StallArrival> = {}): StallArrival => ({
  sentAtNs: ms(5_005),
  firstTokenAtNs: ms(5_199),
  promptBytes: 9_000,
  costNs: ms(180),
  ...changes,
});

export const engine = (changes: Partial<StallEngine> = {}): StallEngine => ({
  beforeAtNs: ms(4_000),
  afterAtNs: ms(5_500),
  runningBefore: 3,
  runningAfter: 3,
  presentCount: 3,
  preemptedCount: 0,
  ...changes,
});
