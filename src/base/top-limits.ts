// The caps of `rubato top`, each with the reason for its value. A terminal that watches a sidecar for days must not
// grow, whatever the other side sends.

const KIB = 1024;
const MIB = 1024 * KIB;

/** One event of the feed; the largest holds ten minutes of columns and the strips of 600 streams, some 1.2 MB. */
export const TOP_EVENT_MAX_BYTES = 4 * MIB;
/** Text of an answer that is no feed, read for what it says. */
export const TOP_ANSWER_MAX_BYTES = 16 * KIB;
/** Connection asked for → made. The port is on this machine or near it. */
export const TOP_CONNECT_TIMEOUT_MS = 3_000;
/** Nothing came → the connection is taken for dead. A beat comes twice a second, and a word when the sidecar is busy. */
export const TOP_SILENCE_MAX_MS = 10_000;
/** Time between attempts to reach a sidecar that is gone: a restart is seen soon, and a long absence costs little. */
export const TOP_RETRY_MS = [250, 500, 1_000, 2_000, 5_000] as const;
