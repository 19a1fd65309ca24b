// Where the generated text of one answer stands while it comes: counts and hashes, packed, and never the text.
// Expanded to a curve at the answer's end. Knows channels, choices and rows of chunks; no JSON and no times.
import { FNV_START, fnvStep } from '../base/fnv.ts';
import { TEXT_GROWTHS_MAX_COUNT, TEXT_LANES_MAX_COUNT } from '../base/record-limits.ts';
import type { Channel } from './kinds.ts';
import { PackedRows, readByte, readSigned, type Cursor } from './packed-rows.ts';
import { HASH_STEP_CHARS, type TextCurve, type TextLane, type TextPlaces } from './text-curve.ts';
import { isPick, type LaneHead, PlaceLog, readHash, writeHash } from './text-places.ts';
import { sumStep, windowStep } from './text-sums.ts';

/**
 * First byte of a row. Nearly all growths are on the lane of the one before and in the chunk after it, or in
 * the same one: then the byte is all there is, and tells how many characters came. A row never goes beyond
 * a multiple of the hash step, and where it reaches one the hash follows.
 */
const FULL_ROW = 0;
const SAME_CHUNK_FROM = HASH_STEP_CHARS + 1;
/** That byte, lane, chunk, characters, hash. */
const ROW_MAX_BYTES = 15;

/** What half a surrogate pair becomes in UTF-8, so it counts as that whether a gateway wrote it anew or not. */
const REPLACEMENT = 0xfffd;

/** One channel of one choice, so far. */
interface Lane extends LaneHead {
  readonly channel: Channel;
  readonly choice: number;
  hash: number;
  /** Of these, in rows. */
  loggedChars: number;
  /** First half of a surrogate pair whose second one is still to come; 0 for none. */
  half: number;
}

const BARE_LANE = {
  hash: FNV_START,
  sum: 0,
  window: 0,
  chars: 0,
  loggedChars: 0,
  half: 0,
  placedChars: 0,
  pickedChars: 0,
  fragments: 0,
};

/** A lane as it is read back. */
interface Growing extends TextLane {
  readonly chunk: number[];
  readonly endChars: number[];
  readonly prefixHashes: number[];
}

export class TextLog {
  readonly #packed = new PackedRows(ROW_MAX_BYTES);
  readonly #places = new PlaceLog();
  #lanes: readonly Lane[] = [];
  // Of the row before.
  #lane = 0;
  #chunk = 0;
  /** Of the text before. */
  #latestChunk = 0;
  #incomplete = false;

  /** Adds text that the chunk of this row completed. Rows ascend. */
  add(channel: Channel, choice: number, text: string, chunk: number): void {
    if (text === '') return;
    const lane = this.#laneOf(channel, choice);
    if (lane === undefined || this.#packed.count >= TEXT_GROWTHS_MAX_COUNT) {
      this.#incomplete = true;
      return;
    }
    this.#latestChunk = chunk;
    for (let at = 0; at < text.length;) {
      const unit = text.charCodeAt(at);
      if (isHalf(unit)) {
        this.#addHalf(lane, unit, chunk);
        at += 1;
      } else {
        if (lane.half !== 0) this.#flushHalf(lane, chunk);
        at = this.#addRun(lane, text, at, chunk);
      }
    }
    if (lane.chars > lane.loggedChars) this.#log(lane, chunk);
    this.#places.endFragment(lane);
  }

  /** The curve of all that was added; nothing may be added afterwards. */
  finish(): TextCurve {
    for (const lane of this.#lanes) {
      if (lane.half === 0) continue;
      this.#flushHalf(lane, this.#latestChunk);
      if (lane.chars > lane.loggedChars) this.#log(lane, this.#latestChunk);
    }
    const places = this.#places.finish(this.#lanes);
    const lanes = this.#lanes.map(({ channel, choice, hash, index: at }): Growing => ({
      channel,
      choice,
      chunk: [],
      endChars: [],
      prefixHashes: [],
      endHash: hash >>> 0,
      places: places[at] as TextPlaces,
    }));
    let index = 0;
    let chunk = 0;
    this.#packed.forEach((cursor) => {
      let chars = readByte(cursor);
      if (chars === FULL_ROW) {
        index = readByte(cursor);
        chunk += readSigned(cursor);
        chars = readByte(cursor);
      } else if (chars >= SAME_CHUNK_FROM) chars -= HASH_STEP_CHARS;
      else chunk += 1;
      grow(lanes[index] as Growing, chunk, chars, cursor);
    });
    return { lanes, ...(this.#incomplete ? { incomplete: true as const } : {}) };
  }

  /** Gives the memory back: nothing is there from now on. */
  release(): void {
    this.#packed.release();
    this.#places.release();
    this.#lanes = [];
  }

  /** The lane, which is made when there is none; undefined beyond the cap. */
  #laneOf(channel: Channel, choice: number): Lane | undefined {
    // The lane of the last text first, as it is nearly always.
    const last = this.#lanes[this.#lane];
    if (last?.channel === channel && last.choice === choice) return last;
    const known = this.#lanes.find((lane) => lane.channel === channel && lane.choice === choice);
    const index = this.#lanes.length;
    if (known !== undefined || index >= TEXT_LANES_MAX_COUNT) return known;
    // A list that grows by pushing takes room for 17 at once, and nearly all answers have one or two lanes.
    const lane: Lane = { ...BARE_LANE, index, channel, choice };
    this.#lanes = [...this.#lanes, lane];
    return lane;
  }

  /** A pair may be cut in two by the fragments it comes in. */
  #addHalf(lane: Lane, unit: number, chunk: number): void {
    const isSecond = unit >= 0xdc00;
    if (isSecond && lane.half !== 0) {
      const point = 0x10000 + ((lane.half - 0xd800) << 10) + (unit - 0xdc00);
      lane.half = 0;
      this.#addPoint(lane, point, chunk);
      return;
    }
    if (lane.half !== 0) this.#flushHalf(lane, chunk);
    if (isSecond) this.#addPoint(lane, REPLACEMENT, chunk);
    else lane.half = unit;
  }

  #flushHalf(lane: Lane, chunk: number): void {
    lane.half = 0;
    this.#addPoint(lane, REPLACEMENT, chunk);
  }

  #addPoint(lane: Lane, point: number, chunk: number): void {
    lane.hash = fnvStep(lane.hash, point);
    lane.sum = sumStep(lane.sum, point);
    lane.window = windowStep(lane.window, point);
    lane.chars += 1;
    if (isPick(lane.window)) this.#places.pick(lane, lane.chars, lane.sum, lane.window);
    if (lane.chars % HASH_STEP_CHARS === 0) this.#log(lane, chunk);
  }

  /**
   * Adds the characters from here to the next half of a pair, hash step or end of the text; returns where that is.
   * Nearly all text comes this way, so what changes with each character is kept at hand.
   */
  #addRun(lane: Lane, text: string, from: number, chunk: number): number {
    const { chars } = lane;
    const end = Math.min(text.length, from + HASH_STEP_CHARS - (chars % HASH_STEP_CHARS));
    let { hash, sum, window } = lane;
    let at = from;
    for (; at < end; at += 1) {
      const unit = text.charCodeAt(at);
      if (isHalf(unit)) break;
      hash = fnvStep(hash, unit);
      sum = sumStep(sum, unit);
      window = windowStep(window, unit);
      if (isPick(window)) this.#places.pick(lane, chars + at + 1 - from, sum, window);
    }
    lane.hash = hash;
    lane.sum = sum;
    lane.window = window;
    lane.chars = chars + at - from;
    if (lane.chars % HASH_STEP_CHARS === 0) this.#log(lane, chunk);
    return at;
  }

  /** Writes down how far the lane has grown. */
  #log(lane: Lane, chunk: number): void {
    const { index } = lane;
    const packed = this.#packed;
    if (packed.count >= TEXT_GROWTHS_MAX_COUNT) {
      this.#incomplete = true;
      return;
    }
    const chars = lane.chars - lane.loggedChars;
    packed.begin();
    const step = chunk - this.#chunk;
    if (index === this.#lane && (step === 0 || step === 1)) {
      packed.byte(step === 1 ? chars : chars + HASH_STEP_CHARS);
    } else {
      packed.byte(FULL_ROW);
      packed.byte(index);
      packed.signed(step);
      packed.byte(chars);
    }
    if (lane.chars % HASH_STEP_CHARS === 0) writeHash(packed, lane.hash);
    lane.loggedChars = lane.chars;
    this.#lane = index;
    this.#chunk = chunk;
  }
}

function isHalf(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

/** Takes one row into its lane. Several growths in one chunk are one. */
function grow(lane: Growing, chunk: number, chars: number, cursor: Cursor): void {
  const last = lane.chunk.length - 1;
  const endChars = (lane.endChars[last] ?? 0) + chars;
  if (lane.chunk[last] === chunk) lane.endChars[last] = endChars;
  else {
    lane.chunk.push(chunk);
    lane.endChars.push(endChars);
  }
  if (endChars % HASH_STEP_CHARS === 0) lane.prefixHashes.push(readHash(cursor) >>> 0);
}
