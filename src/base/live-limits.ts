// The caps and paces of the live feed, each with the reason for its value. Whoever watches costs the main thread a
// little while he watches, and a fixed amount of memory whatever he does with what he gets. Browser code imports this
// too: nothing of Node here.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Between two beats: often enough that a stream seems to move, seldom enough to be read. */
export const LIVE_BEAT_MS = 500;
/** Between two states; what they hold are percentiles of minutes. */
export const LIVE_STATE_MS = 2_000;
/** Between two questions to the main thread at least: who comes and goes all the time costs no more than a few. */
export const LIVE_ASK_LEAST_MS = 250;
/** Watchers at once; a team looks at one sidecar with a handful of pages. */
export const LIVE_WATCHERS_MAX_COUNT = 16;
/** A browser tries again so long after the connection ended. */
export const LIVE_RETRY_MS = 1_000;
/**
 * Bytes that wait for a slow watcher before beats are left out. A beat of 500 streams has 200 KiB; with the `hello`
 * that comes when all is taken (1 MiB of 600 streams, strips and columns) this bounds what one watcher holds.
 */
export const LIVE_UNSENT_MAX_BYTES = 512 * KIB;

/** Open exchanges listed in one beat: more rows than anybody looks at, and 1 ms of work. */
export const LIVE_OPEN_MAX_COUNT = 600;
/** Stalls told of one exchange, as many as its record keeps in detail. */
export const LIVE_STALLS_MAX_COUNT = 16;
/** Ended exchanges told in one beat; more in half a second are not read one by one. */
export const LIVE_ENDED_MAX_COUNT = 200;

/** One character of a strip: finer than a usual pause between two tokens. */
export const LIVE_BIN_MS = 50;
/** A whole strip. */
export const LIVE_STRIP_MS = 30_000;
/**
 * Rows of chunk logs read for one beat or `hello`, all exchanges together; each costs 0.1 µs. Strips of 500 streams
 * then begin with their last 200 chunks, those of 50 streams are whole.
 */
export const LIVE_STRIP_ROWS_MAX_COUNT = 100_000;

/** One column of the heatmap. */
export const LIVE_COLUMN_MS = 1_000;
/** Columns remembered: ten minutes, as long as the diagnosis looks back. */
export const LIVE_COLUMNS_MAX_COUNT = 600;

/** What a watcher keeps. Exchanges that ended and are still listed; as many as `/api/streams` answers with. */
export const LIVE_KNOWN_ENDED_MAX_COUNT = 500;
/** Open exchanges that it keeps, whatever a beat lists; the feed lists 600. */
export const LIVE_KNOWN_OPEN_MAX_COUNT = 1_000;
/** Bins of one strip, whatever `about` says: 30 s in bins of 50 ms are 600. */
export const LIVE_KNOWN_BINS_MAX_COUNT = 2_400;

/** Looks at our own counts, ten seconds apart: the first and the last of them are a minute apart. */
export const LIVE_SELF_LOOK_MS = 10_000;
export const LIVE_SELF_LOOKS_COUNT = 7;

/** Files of the built page; it has three. They are read into memory at the start. */
export const PAGE_FILES_MAX_COUNT = 64;
/** Bytes of one of them; the whole page is meant to have less than 1 MiB. */
export const PAGE_FILE_MAX_BYTES = 4 * MIB;
