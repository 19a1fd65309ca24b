// Caps of the probe, each with the reason for its value.

/** A list of models: thousands of names of a hosted catalogue fit in. */
export const PROBE_LIST_MAX_BYTES = 4 * 1024 * 1024;

/** Streams of one run: enough for percentiles, too few to be a load test by accident. */
export const PROBE_COUNT_MAX = 1_000;

/** At once; what asks for more is a load test. */
export const PROBE_CONCURRENCY_MAX = 64;

/** A saved run that is compared with: a thousand streams with their figures. */
export const PROBE_FILE_MAX_BYTES = 64 * 1024 * 1024;
