// Caps of `rubato load`, each with the reason for its value. A run of days must fit into the memory of a laptop.

/** Requests under way at once where nobody asks for another number: each has a connection, and descriptors end. */
export const LOAD_OPEN_DEFAULT_COUNT = 1_024;
/** Most that can be asked for; one process on one core stamps no more streams honestly. */
export const LOAD_OPEN_MAX_COUNT = 16_384;
/** Requests a second: beyond it the generator would measure itself. */
export const LOAD_RATE_MAX_PER_S = 10_000;
/** Longest run: a week. */
export const LOAD_DURATION_MAX_S = 604_800;
/** Requests of one run that are counted. */
export const LOAD_COUNT_MAX = 100_000_000;
/** Classes of one mix; rubato itself has as many labels. */
export const LOAD_CLASSES_MAX_COUNT = 32;
/** Lengths that one list of a mix names. */
export const LOAD_LENGTHS_MAX_COUNT = 1_024;
/** Tokens of one prompt or answer: no model reads more, and the text is made in memory. */
export const LOAD_TOKENS_MAX_COUNT = 1_000_000;

/** Values of one figure of one class that are kept one by one: 512 KiB. Beyond it percentiles are within 0.2 %. */
export const LOAD_EXACT_MAX_COUNT = 65_536;
/** The same of gaps, of which an exchange has hundreds: 8 MiB. */
export const LOAD_EXACT_GAPS_MAX_COUNT = 1_048_576;

/** Arrivals of a recorded trace; each is three numbers in memory. What comes behind them is left out, and told. */
export const LOAD_TRACE_MAX_COUNT = 1_000_000;

/** Steps of one sweep. */
export const LOAD_SWEEP_MAX_COUNT = 64;
/** Exchanges that wait to be found at a peer; more are not compared. */
export const LOAD_PEER_WAITING_MAX_COUNT = 4_096;

/** Requests in a report file for GuideLLM, over all its runs: some 70 MB, which its reader takes in one piece. */
export const LOAD_GUIDELLM_MAX_COUNT = 65_536;
/** Their events with text: its rates of tokens want a moment for each at once, half a gigabyte and some ten seconds. */
export const LOAD_GUIDELLM_EVENTS_MAX_COUNT = 2_097_152;
