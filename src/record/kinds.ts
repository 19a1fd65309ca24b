// The closed sets that describe what an event is. Positions in the lists are the numbers stored in
// event logs, so new names go to the end.

/** What one parsed event is, by its most telling part (a chunk with text and finish is `content`). */
export const EVENT_KINDS = [
  'content',
  'reasoning',
  'tool',
  'refusal',
  'media',
  'role',
  'usage',
  'finish',
  'lifecycle',
  'ping',
  'comment',
  'error',
  'done',
  'other',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * The channels on which a generated fragment can come. An event stores a bit set of them; 0 means
 * that it carried no generated fragment and so is no token (design §4).
 */
export const CHANNELS = ['text', 'reasoning', 'refusal', 'tool', 'audio', 'image'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Bit of a channel in an event's `generated` set. */
export function channelBit(channel: Channel): number {
  return 1 << CHANNELS.indexOf(channel);
}

/** The set without reasoning: what counts for the first visible token (TTFO). */
export const VISIBLE_CHANNEL_BITS = ((1 << CHANNELS.length) - 1) & ~channelBit('reasoning');

/** Bits of {@link ChunkColumns.flags}. */
export const CHUNK_BYTES_OMITTED = 1;
/** Chunks before this one were lost under overload: nothing may be said about the time between. */
export const CHUNK_AFTER_LOSS = 2;
/** The chunk ends inside an event: what sent it cuts where no engine would. */
export const CHUNK_INSIDE_EVENT = 4;

/** Things about a record that a reader of its figures should know. Closed set. */
export const DOUBTS = [
  'rounded', // a TTFT remainder just below 0 was taken as rounding
  'contradicted', // evidence did not fit into our clock and was dropped
  'tape_bytes', // bytes of chunks were left out under overload; events may be missing
  'tape_chunks', // chunks were left out under overload; stamps are missing
  'log_full', // more chunks or events than a record keeps
  'unterminated_tail', // the stream ended inside an event; it was read for telemetry all the same
  'parse_overflow', // an event was larger than the parser holds and was skipped
  'parse_error', // an event was not what its dialect promises
  'no_done', // a chat stream ended with finish_reason but without its end mark
  'close_delimited', // the answer had no length and no chunking: a cut cannot be seen
  'framing_conflict', // the answer stated both a length and chunking
  'unreadable', // the body could not be read (encoding or media type)
  'request_cut', // the request was larger than the copy; model or stream flag may be unknown
  'clock_step', // wall time was stepped during the exchange
  'evidence_conflict', // two exact sources differ by more than 5 ms; the one of higher rank was taken
  'loop_lag', // a stamp may be late by more than 1 ms, because the sidecar was busy or kept from running
  'cpu_throttled', // the quota of the container took CPU time away during the exchange
] as const;
export type Doubt = (typeof DOUBTS)[number];
