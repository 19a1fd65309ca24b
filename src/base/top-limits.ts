// The caps of `rubato top`, each with the reason for its value. A terminal that watches a sidecar for days must not
// grow, whatever the other side sends.

const KIB = 1024;
const MIB = 1024 * KIB;

/** One event of the feed; the largest holds ten minutes of columns and the strips of 600 streams, some 1.2 MB. */
export const TOP_EVENT_MAX_BYTES = 4 * MIB;
/** Text of an answer that is no feed, read for what it says. */
export const TOP_ANSWER_MAX_BYTES = 16 * KIB;
/** Columns of the heatmap that are kept; the feed remembers 600, and no terminal is much wider than that. */
export const TOP_COLUMNS_MAX_COUNT = 600;
/** Exchanges that ended and are still listed below the open ones: a few pages. */
export const TOP_ENDED_MAX_COUNT = 200;
/** Strips that are kept at once: the streams that a beat lists, and those that ended within the time of a strip. */
export const TOP_STRIPS_MAX_COUNT = 2_000;
/** Bins of one strip; the feed has 600 of them. */
export const TOP_STRIP_BINS_MAX_COUNT = 4_096;
/** Connection asked for → made. The port is on this machine or near it. */
export const TOP_CONNECT_TIMEOUT_MS = 3_000;
/** Nothing came → the connection is taken for dead. A beat comes twice a second, and a word when the sidecar is busy. */
export const TOP_SILENCE_MAX_MS = 10_000;
/** Time between attempts to reach a sidecar that is gone: a restart is seen soon, and a long absence costs little. */
export const TOP_RETRY_MS = [250, 500, 1_000, 2_000, 5_000] as const;
