// The caps of the admin port, each with the reason for its value. Everything on this port is small and
// rare: a scraper, a probe, a browser. Whoever holds on to an answer may cost a fixed amount and no more.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes of one request head; browsers with cookies send about 2 KiB. */
export const ADMIN_HEAD_MAX_BYTES = 16 * KIB;
/** Connections at once; the one that has been still for longest makes room, so that a probe always gets in. */
export const ADMIN_CONNECTIONS_MAX_COUNT = 256;
/** First byte of a request (or the connection's start) → its head is complete. */
export const ADMIN_HEAD_TIMEOUT_MS = 10_000;
/** Answer's end → the next request's first byte: above the usual 60 s of load balancers. */
export const ADMIN_KEEP_ALIVE_MS = 75_000;
/** Request → the main thread's answer. Below the 10 s after which Prometheus gives a scrape up without a reason. */
export const ADMIN_ANSWER_WAIT_MS = 5_000;
/** Requests that the main thread has before it at once; it answers one after the other anyway. */
export const ADMIN_ASKS_MAX_COUNT = 4;
/** Bytes of an answer given to the kernel at a time; the next are given when it has taken these. */
export const ADMIN_SLICE_BYTES = 64 * KIB;
/** A slice given to the kernel → taken; a reader slower than this is stuck. */
export const ADMIN_SLICE_TIMEOUT_MS = 10_000;
/** First byte of an answer → its last; for readers that take a little now and then. */
export const ADMIN_ANSWER_TIMEOUT_MS = 60_000;
/** Bytes of answers that wait for their readers, all connections together; the stillest one makes room. */
export const ADMIN_HELD_MAX_BYTES = 16 * MIB;
/** Our last answer on a connection → the connection is cut, for a client that goes on sending. */
export const ADMIN_LINGER_MS = 1_000;
/** End of the thread that owns the port → the next one's start. */
export const ADMIN_RESTART_MS = 1_000;
/** Heap of that thread; bodies of answers are outside of it. An idle one uses about 5 MiB. */
export const ADMIN_HEAP_MAX_MIB = 64;
