// A stall that has ended and is still looked at: what the stream did before it is known, what it does after it is
// gathered here, and the others on the route are asked when they had time to come back. Holds facts, judges nothing.
import { READS_AROUND_COUNT } from '../../base/cause-limits.ts';
import { backToBackNs, STEP_LEAST_PART } from '../../judge/causes/bunches.ts';
import { defined } from '../../measure/defined.ts';
import type { StallArrival, StallCompany, StalledStream } from '../../record/stall-context.ts';

/** The stream as it was when the stall ended; moments relative to its opening. */
export type StreamBefore = Omit<StalledStream, 'gapsAfterNs' | 'eventsFromEnd' | 'tokensFromEnd' | 'isEnd'>;

export interface StallMoment {
  readonly chunk: number;
  /** On the clock that all threads share. */
  readonly startAtNs: number;
  readonly endAtNs: number;
}

/** The read that ends it so far. */
export interface EndingRead {
  readonly events: number;
  /** Undefined where the engine states no running count. */
  readonly tokens?: number | undefined;
  /** What a step of the route takes when there is little to do; what takes a good part of it is a read of its own. */
  readonly quietStepNs?: number | undefined;
}

/** What the others did around it. */
export interface SeenAround {
  readonly company: StallCompany;
  /** Streams that came back from a long silence while this one stalled. */
  readonly resumed: readonly StallArrival[];
}

const NS_PER_MS = 1e6;
/** Nearly at once: of a stream that has hardly begun, and as a part of a pass of any other. */
const AT_ONCE_NS = 1 * NS_PER_MS;
const PASS_PART = 8;
/** Others come back within this part of the gap, or they did not come back with it. */
const TOGETHER_RATIO = 0.15;
const TOGETHER_MAX_NS = 75 * NS_PER_MS;
/** By then others must have come back, and what a fast stream did meanwhile is still remembered. */
const LOOK_AFTER_LEAST_NS = 30 * NS_PER_MS;
const LOOK_AFTER_MAX_NS = 100 * NS_PER_MS;
/** First tokens that belong to the stall have come by then, and the stream has shown how it goes on. */
const FREEZE_AFTER_NS = 1_000 * NS_PER_MS;
/** Whatever is missing then stays unknown. */
export const FREEZE_LATEST_NS = 2_000 * NS_PER_MS;

export class PendingStall {
  readonly moment: StallMoment;
  readonly before: StreamBefore;
  readonly #gapsAfterNs: number[] = [];
  readonly #events: number[] = [];
  readonly #tokens: number[];
  readonly #statesTokens: boolean;
  /** A read so soon after another belongs to it. */
  readonly #atOnceNs: number;
  /** Tokens of the reads that the latest one belongs to. */
  #tokensBefore = 0;
  /** A read came that is no longer kept: later events are not the last kept one's. */
  #closed = false;
  around: SeenAround | undefined;
  /** Streams under generation: on average since this one's first token, and when the stall ended. */
  load = { runningBefore: 1, runningAt: 1 };
  isFrozen = false;
  /** When it is to be looked at next. */
  dueAtNs: number;

  constructor(moment: StallMoment, before: StreamBefore, { events, tokens, quietStepNs = Infinity }: EndingRead) {
    this.moment = moment;
    this.before = before;
    this.#events.push(events);
    this.#statesTokens = tokens !== undefined;
    const { passNs } = before;
    const nearNs = passNs === undefined ? AT_ONCE_NS : Math.min(passNs / PASS_PART, backToBackNs(passNs));
    this.#atOnceNs = Math.min(nearNs, STEP_LEAST_PART * quietStepNs);
    this.#tokens = [tokens ?? 0];
    const gapNs = moment.endAtNs - moment.startAtNs;
    this.dueAtNs = moment.endAtNs + Math.min(LOOK_AFTER_MAX_NS, Math.max(LOOK_AFTER_LEAST_NS, 1.5 * togetherNs(gapNs)));
  }

  /** The stream's next read came so long after the one before; what comes nearly at once is one read. */
  addRead(gapNs: number, tokens: number): void {
    if (gapNs < this.#atOnceNs) {
      this.#tokensBefore = this.#tokens.at(-1) ?? 0;
      this.addEvent(tokens);
      return;
    }
    this.#tokensBefore = 0;
    if (this.isFull) {
      this.#closed = true;
      return;
    }
    this.#gapsAfterNs.push(gapNs);
    this.#events.push(1);
    this.#tokens.push(tokens);
  }

  /** One more event in its latest read, which has so many tokens by now. */
  addEvent(tokens: number): void {
    if (this.#closed) return;
    const last = this.#events.length - 1;
    this.#events[last] = (this.#events[last] ?? 0) + 1;
    this.#tokens[last] = this.#tokensBefore + tokens;
  }

  get isFull(): boolean {
    return this.#gapsAfterNs.length >= READS_AROUND_COUNT;
  }

  /** The others were seen; next it is frozen. */
  see(around: SeenAround): void {
    this.around = around;
    this.dueAtNs = this.moment.endAtNs + FREEZE_AFTER_NS;
  }

  /** `ended`: no read comes any more. */
  stream(ended: boolean): StalledStream {
    return {
      ...this.before,
      gapsAfterNs: [...this.#gapsAfterNs],
      eventsFromEnd: [...this.#events],
      ...defined({ tokensFromEnd: this.#statesTokens ? [...this.#tokens] : undefined }),
      ...(ended && !this.#closed ? { isEnd: true as const } : {}),
    };
  }
}

/** How far from a stall's end others come back together with it. */
export function togetherNs(gapNs: number): number {
  return Math.min(TOGETHER_MAX_NS, TOGETHER_RATIO * gapNs);
}
