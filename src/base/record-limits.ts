// Caps of what open exchanges keep in memory, each with the reason for its value; others stand in limits.ts.

/** Bytes of one block of a log: half of one is unused at a log's end, and a row is found by reading one. */
export const LOG_BLOCK_BYTES = 256;
/** Bytes in which blocks are had from the system; large enough that a page's own cost does not count. */
export const LOG_PAGE_BYTES = 64 * 1024;
/** Pages kept while nobody uses a block of them; a burst of streams that comes again finds 4 MiB ready. */
export const LOG_PAGES_SPARE_COUNT = 64;
/** Pauses of a relay kept for its exchanges; those of a minute of a busy one. */
export const RELAY_PAUSES_MAX_COUNT = 1_024;
/** Of those before an exchange's first chunk, and of those that explained nothing: only the latest can touch a stamp. */
export const PAUSES_EARLY_COUNT = 4;
/** Of those that an exchange had no need of while it ran, so many of the latest are in its record. */
export const PAUSES_LATE_COUNT = 8;
/** Pauses of the relay from which on an exchange looks which of them it still needs; nearly always none. */
export const PAUSES_FORGET_FROM_COUNT = 8;
/** Lanes of text (channel and choice) of one answer; few have more than text, reasoning and a tool's call. */
export const TEXT_LANES_MAX_COUNT = 16;
/** Growths of text of one answer that are kept, as many as events; a whole answer has one every 64 characters. */
export const TEXT_GROWTHS_MAX_COUNT = 262_144;
/** Places by which the text of one answer is known again after a change before them: 4 million characters of usual text. */
export const TEXT_PLACES_MAX_COUNT = 65_536;
