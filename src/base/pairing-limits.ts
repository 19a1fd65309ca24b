// Caps of what finds the two sights of an exchange, each with the reason for its value.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Ended exchanges that are remembered to be found from before a hop: above 30 s at 100 ends a second. */
export const SIGHTS_MAX_COUNT = 4_096;
/** Their memory; a usual answer takes 10 to 30 KiB. */
export const SIGHTS_MAX_BYTES = 32 * MIB;
/** Growths of text kept of one sight; one with more is thinned. A record keeps as many of what they came to. */
export const SIGHT_ROWS_MAX_COUNT = 8_192;
export const HOP_CURVE_MAX_COUNT = 4_096;
/** How long after a peer's question exchanges are remembered for it, where no edge needs them anyway. */
export const PEER_ASKED_MS = 10 * 60_000;
/** Exchanges seen before a hop that wait for their pair; more are reported without. */
export const PAIRS_WAITING_MAX_COUNT = 4_096;
/** End before the hop → the pair is given up. What was asked behind it has usually ended before. */
export const PAIR_WAIT_MS = 2_000;
/** The same where the client has left: the hop is given this long to end what it asked for. */
export const PAIR_ABORT_WAIT_MS = 10_000;
/** How often those that wait are looked at; an end behind the hop is looked at when it comes. */
export const PAIR_LOOK_EVERY_MS = 100;
/** Exchanges that were given up or found and may still claim what another claims; the time of waiting at 400 a second. */
export const RIVALS_MAX_COUNT = 4_096;
/** Exchanges behind hops that are open and can be found; as many as the observer follows. */
export const OPEN_SIGHTS_MAX_COUNT = 20_000;
/** Sights under one id that are looked at; an id that more share tells nothing. */
export const SIGHTS_PER_ID_MAX_COUNT = 64;
/** Characters of an id by which exchanges are paired. */
export const PAIR_ID_MAX_CHARS = 128;
/** Hops of which a running verdict is kept; configuration names them. */
export const HOPS_MAX_COUNT = 64;
/** Exchanges that a running verdict of a hop rests on. */
export const HOP_EXCHANGES_KEPT_COUNT = 128;

// --- peer -----------------------------------------------------------------------------------------

/** Exchanges asked for in one request to the peer: their ids and hashes stay below 8 KiB of request line. */
export const PEER_BATCH_MAX_COUNT = 16;
/** How long questions are gathered before the peer is asked. */
export const PEER_GATHER_MS = 25;
/** How often a peer is reminded of us in a quiet time; see PEER_ASKED_MS. */
export const PEER_GREET_EVERY_MS = 3 * 60_000;
/** Bytes of one answer of the peer; a batch of long answers has about a megabyte. */
export const PEER_ANSWER_MAX_BYTES = 16 * MIB;
/** Sights in one answer to a peer. */
export const PEER_SIGHTS_MAX_COUNT = 128;
/** Of these with one text; a text that more have tells nothing. */
export const PEER_SIGHTS_PER_TEXT_MAX_COUNT = 8;
/** Requests to the peer under way at once. */
export const PEER_ASKS_MAX_COUNT = 2;
/** Pairs that bound the offset of the peer's clock, and how long each does: two good clocks part by 2 ms in it. */
export const PEER_CLOCK_PAIRS_MAX_COUNT = 64;
export const PEER_CLOCK_WINDOW_MS = 60_000;
