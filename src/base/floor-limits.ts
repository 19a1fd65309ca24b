// The caps on the floor of decode steps, beside the others in limits.ts and under the same rule: each with the
// reason for its value.

/** Steps of one simulation: p99 stands on the 2,000 slowest, enough that a share of 0.9 % and one of 1.1 % differ. */
export const SIMULATED_STEPS_COUNT = 200_000;
/** Largest sizes that are asked for: far beyond any engine, and small enough that no product leaves 2^53 by much. */
export const FLOOR_TOKENS_MAX_COUNT = 16 * 1024 * 1024;
export const FLOOR_BATCH_MAX_COUNT = 1024 * 1024;
/** Accelerators of one engine: eight in a host, and few split a layer over more than two hosts. */
export const TENSOR_PARALLEL_MAX_COUNT = 128;
/** Tokens drafted for one pass; engines stop paying off at about ten. */
export const DRAFT_TOKENS_MAX_COUNT = 64;
/** Models and accelerators of one's own. */
export const FLOOR_ENTRIES_MAX_COUNT = 64;
/** Recent gaps remembered of a route, to know its median step: some seconds of a busy engine. */
export const FLOOR_GAPS_MAX_COUNT = 2_048;
/** Age at which a gap or a look at the batch no longer speaks for now. */
export const FLOOR_WINDOW_MS = 60_000;
/** Time between two looks at who is in the batch. Each walks the open exchanges once. */
export const FLOOR_LOOK_MS = 1_000;
/** Gaps below which a median says nothing of the step. */
export const FLOOR_GAPS_LEAST_COUNT = 20;
/** Exchanges of a route whose context is asked for at one look; the mean of so many is that of all. */
export const FLOOR_LOOK_CONTEXTS_MAX_COUNT = 512;
