// Where the generated text of an answer stood at each chunk: offsets and hashes, no text. By it two sights of
// one answer are found to be the same and laid over each other, whatever a gateway between them did to JSON,
// events and chunks. It stands beside the record, as captured text does: the hash of a short answer can be
// guessed, so nothing of it is written to files or exported.
import type { Channel } from './kinds.ts';

/** Distance between two hashes, in Unicode code points of a lane. */
export const HASH_STEP_CHARS = 64;

/** The text of one channel of one choice. Parallel columns, one entry each time the text grew. */
export interface TextLane {
  readonly channel: Channel;
  readonly choice: number;
  /** Row in the chunk log of the chunk that completed this much. Ascending. */
  readonly chunk: readonly number[];
  /** Code points of this lane up to and with that chunk. Ascending; the last one is the length. */
  readonly endChars: readonly number[];
  /** Unsigned 32-bit hash of the text from its start to each full multiple of {@link HASH_STEP_CHARS}. */
  readonly prefixHashes: readonly number[];
  /** The same over all of it. */
  readonly endHash: number;
  readonly places: TextPlaces;
}

/**
 * Where a lane can be laid over another that has more or less text before. Parallel columns, ascending; the last
 * place is the end. Signed 32-bit integers; see text-sums for what they are.
 */
export interface TextPlaces {
  /** Code points of the lane up to here. */
  readonly chars: readonly number[];
  /** Sum over all of these. */
  readonly sums: readonly number[];
  /** Hash of the last few, where content picked the place, and at the end; 0 where a fragment ended. */
  readonly windows: readonly number[];
}

export interface TextCurve {
  /** In the order in which they began; at most TEXT_LANES_MAX_COUNT, further ones are left out. */
  readonly lanes: readonly TextLane[];
  /** Text may be missing in it: bytes were lost, a log was full, or a lane was left out. */
  readonly incomplete?: true;
}
