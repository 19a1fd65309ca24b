// Places of a text by which it is known again where a gateway has put text before it, or changed it: packed while
// the text comes, and never the text. Content picks them, so they move with it: where the hash of the last characters
// has a certain form. The ends of the first fragments are kept too, as what is put before usually comes by itself.
import { TEXT_PLACES_MAX_COUNT } from '../base/record-limits.ts';
import { PackedRows, readByte, readUnsigned } from './packed-rows.ts';
import type { TextPlaces } from './text-curve.ts';
import { PICK_SHIFT, WINDOW_CHARS } from './text-sums.ts';

/** Text that repeats itself may be picked at each character: no closer than this. */
const PICKS_LEAST_CHARS = 16;
/** Fragments of a lane whose ends are kept: about a hundred characters of an engine's. */
const FRAGMENTS_KEPT_COUNT = 32;
/** Lane and whether a window follows, characters, sum, window. */
const ROW_MAX_BYTES = 14;

/** How far a lane has come. */
export interface LaneHead {
  readonly index: number;
  chars: number;
  /** Signed, over all of it and over the last few characters. */
  sum: number;
  window: number;
  /** Of its latest place, and of the latest that content picked. */
  placedChars: number;
  pickedChars: number;
  fragments: number;
}

/** Lists that grow. */
interface Growing {
  readonly chars: number[];
  readonly sums: number[];
  readonly windows: number[];
}

export function isPick(window: number): boolean {
  return window >>> PICK_SHIFT === 0;
}

export class PlaceLog {
  readonly #packed = new PackedRows(ROW_MAX_BYTES);

  /** The window has the form. */
  pick(lane: LaneHead, chars: number, sum: number, window: number): void {
    if (chars < WINDOW_CHARS || chars - lane.pickedChars < PICKS_LEAST_CHARS) return;
    lane.pickedChars = chars;
    this.#add(lane, chars, sum, window);
  }

  /** A fragment of the lane is over. */
  endFragment(lane: LaneHead): void {
    if (lane.fragments >= FRAGMENTS_KEPT_COUNT) return;
    lane.fragments += 1;
    if (lane.chars > lane.placedChars) this.#add(lane, lane.chars, lane.sum, 0);
  }

  /** The places of these lanes, in their order, each with its end as the last one. */
  finish(lanes: readonly LaneHead[]): TextPlaces[] {
    const found = lanes.map((): Growing => ({ chars: [], sums: [], windows: [] }));
    this.#packed.forEach((cursor) => {
      const first = readByte(cursor);
      const { chars, sums, windows } = found[first >> 1] as Growing;
      chars.push((chars.at(-1) ?? 0) + readUnsigned(cursor));
      sums.push(readHash(cursor));
      windows.push((first & 1) === 1 ? readHash(cursor) : 0);
    });
    for (const [at, { chars, sum, window }] of lanes.entries()) {
      const places = found[at] as Growing;
      if (places.chars.at(-1) === chars) places.windows[places.windows.length - 1] = window;
      else {
        places.chars.push(chars);
        places.sums.push(sum);
        places.windows.push(window);
      }
    }
    return found;
  }

  release(): void {
    this.#packed.release();
  }

  #add(lane: LaneHead, chars: number, sum: number, window: number): void {
    const packed = this.#packed;
    if (packed.count >= TEXT_PLACES_MAX_COUNT) return;
    packed.begin();
    packed.byte(2 * lane.index + (window === 0 ? 0 : 1));
    packed.unsigned(chars - lane.placedChars);
    writeHash(packed, sum);
    if (window !== 0) writeHash(packed, window);
    lane.placedChars = chars;
  }
}

export function writeHash(packed: PackedRows, hash: number): void {
  for (let bits = 0; bits < 32; bits += 8) packed.byte((hash >>> bits) & 0xff);
}

/** Signed. */
export function readHash(cursor: Parameters<typeof readByte>[0]): number {
  let hash = 0;
  for (let bits = 0; bits < 32; bits += 8) hash |= readByte(cursor) << bits;
  return hash;
}
