// One exchange as the search for causes follows it: when it was sent, when its tokens came, and its stalls that are
// still looked at. Moments are on the clock that all threads share. Decides nothing.
import { READS_AROUND_COUNT } from '../../base/cause-limits.ts';
import { rankOf } from '../../judge/rank.ts';
import { passesOf } from '../../judge/causes/bunches.ts';
import type { PendingStall } from './pending-stall.ts';
import { ReadRing } from './read-ring.ts';

/** What is asked of the exchange itself, as long as it is open. */
export interface TrackedFacts {
  /** Its request had been given to the engine. */
  sentAtNs(): number | undefined;
  /** Of the text given to the model, or of the body. */
  promptBytes(): number;
  /** Of the route, when its engine has little to do; undefined before enough was seen. */
  quietStepNs(): number | undefined;
  /** Our socket to its client took no bytes at some time between two moments. */
  wasBlocked(fromNs: number, toNs: number): boolean;
}

/** A token is about so many bytes of text: what generation adds to the context. */
const TOKEN_BYTES = 4;
/** Habits are taken anew after so many reads. */
const HABIT_EVERY_COUNT = 16;

export interface Habit {
  /** Reads of the stream when it was taken. */
  readonly readCount: number;
  /** Median of the latest gaps, and of those among them that were not nearly zero. */
  readonly usualNs: number;
  readonly passNs: number;
  /** Of the gaps, those that were nearly zero. */
  readonly nearZeroRatio: number;
}

function habitOf(gaps: readonly number[], readCount: number, quietStepNs: number | undefined): Habit {
  const passes = passesOf(gaps, quietStepNs);
  return {
    readCount,
    usualNs: rankOf(gaps, 50),
    passNs: rankOf(passes, 50),
    nearZeroRatio: 1 - passes.length / gaps.length,
  };
}

export class TrackedExchange {
  readonly openedAtNs: number;
  #facts: TrackedFacts | undefined;
  #sentAtNs: number | undefined;
  #promptBytes: number | undefined;
  /** First read with a generated fragment of an answer that is a stream. */
  firstAtNs: number | undefined;
  endedAtNs: number | undefined;
  #ring: ReadRing | undefined;
  eventCount = 0;
  lastReadAtNs = -1;
  /** What the book said its prompt would cost when its first token came, before it was part of the book. */
  costNs: number | undefined;
  /** Sum of the route's load, and bytes in the batch, when it got its first token. */
  loadAtFirst = 0;
  contextBeforeBytes = 0;
  readonly pending: PendingStall[] = [];
  tokens: number | undefined;
  /** Tokens stated by the end of the read before the latest. */
  tokensBefore: number | undefined;
  #habit: Habit | undefined;

  constructor(openedAtNs: number, facts: TrackedFacts) {
    this.openedAtNs = openedAtNs;
    this.#facts = facts;
  }

  get ring(): ReadRing {
    this.#ring ??= new ReadRing();
    return this.#ring;
  }

  get sentAtNs(): number {
    return this.#sentAtNs ?? this.#facts?.sentAtNs() ?? this.openedAtNs;
  }

  get promptBytes(): number {
    return this.#promptBytes ?? this.#facts?.promptBytes() ?? 0;
  }

  /** What it holds of the batch's context. */
  get contextBytes(): number {
    return this.promptBytes + TOKEN_BYTES * this.eventCount;
  }

  /** What is known by now of its request stays. */
  settle(): void {
    this.#sentAtNs = this.sentAtNs;
    this.#promptBytes = this.promptBytes;
  }

  /** It is over, and not asked again: whoever remembers it must not keep all of it. */
  end(atNs: number): void {
    this.settle();
    this.endedAtNs = atNs;
    this.#facts = undefined;
  }

  wasBlocked(fromNs: number, toNs: number): boolean {
    return this.#facts?.wasBlocked(fromNs, toNs) ?? false;
  }

  /** An event with a generated fragment was completed by a read of this moment. True where it begins a new read. */
  addEvent(atNs: number, tokens: number | undefined): boolean {
    this.eventCount += 1;
    const isNew = atNs !== this.lastReadAtNs;
    if (isNew) {
      this.tokensBefore = this.tokens;
      this.ring.add(atNs);
    } else {
      this.ring.addEvent();
    }
    if (tokens !== undefined) this.tokens = tokens;
    if (this.pending.length > 0) this.#tellPending(atNs, isNew);
    this.lastReadAtNs = atNs;
    return isNew;
  }

  /**
   * How its latest reads came; undefined before there are any gaps. Taken anew now and then, at first with each read,
   * and never without one: each stall of each stream asks all the others.
   */
  get habit(): Habit | undefined {
    const { count } = this.ring;
    if (count < 2) return undefined;
    const newCount = count - (this.#habit?.readCount ?? 0);
    const isYoung = count < 2 * HABIT_EVERY_COUNT;
    if (newCount >= HABIT_EVERY_COUNT || (isYoung && newCount > 0)) {
      this.#habit = habitOf(this.ring.gapsBefore(), count, this.#facts?.quietStepNs());
    }
    return this.#habit;
  }

  /** The latest reads before the newest one: how they came. */
  shapeBefore(): {
    readonly readCount: number;
    readonly eventCount: number;
    readonly nearZeroCount: number;
    readonly severalCount: number;
    readonly passNs: number | undefined;
    readonly lastGapsNs: readonly number[];
  } {
    const { ring } = this;
    const end = ring.count - 1;
    const gaps = ring.gapsBefore(end);
    let eventCount = 0;
    let severalCount = 0;
    for (let read = ring.oldest; read < end; read += 1) {
      eventCount += ring.events(read);
      if (ring.events(read) > 1) severalCount += 1;
    }
    const quietStepNs = this.#facts?.quietStepNs();
    const habit = gaps.length === 0 ? undefined : habitOf(gaps, end, quietStepNs);
    return {
      readCount: end - ring.oldest,
      eventCount,
      severalCount,
      nearZeroCount: Math.round((habit?.nearZeroRatio ?? 0) * gaps.length),
      passNs: habit?.passNs,
      lastGapsNs: passesOf(gaps, quietStepNs).slice(-READS_AROUND_COUNT),
    };
  }

  #tellPending(atNs: number, isNew: boolean): void {
    const tokens = this.tokens === undefined || this.tokensBefore === undefined ? 0 : this.tokens - this.tokensBefore;
    for (const stall of this.pending) {
      if (isNew) stall.addRead(atNs - this.lastReadAtNs, tokens);
      else stall.addEvent(tokens);
    }
  }
}
