// The caps on polling engines' own metrics, beside the others in limits.ts and under the same rule: each
// with the reason for its value.

const MIB = 1024 * 1024;

/** Least time between two scheduled looks at an engine's metrics: each costs the engine some work. */
export const ENGINE_METRICS_INTERVAL_LEAST_MS = 500;
/** Time for one look; an engine that needs longer is too busy to be asked. */
export const POLL_TIMEOUT_MS = 5_000;
/** Bytes of one page of metrics, decoded; the largest pages met (many models and ranks) are about 2 MiB. */
export const POLL_BODY_MAX_BYTES = 8 * MIB;
/** Bytes of one list of finished requests: 2,000 at about 1 KiB. It is parsed in one go, so it stays small. */
export const PERF_METRICS_BODY_MAX_BYTES = 2 * MIB;
/** Characters of one line of metrics; a longer one is skipped. Help texts and label sets stay far below. */
export const METRICS_LINE_MAX_CHARS = 16 * 1024;
/** Samples kept of one page: the wanted names of 8 models on 64 ranks fit. */
export const METRICS_SAMPLES_MAX_COUNT = 8_192;
/** Least time between two looks at a target that ends of exchanges ask for. */
export const POLL_ON_DEMAND_EVERY_MS = 500;
/** Time before metrics that were not found are looked for again. */
export const METRICS_SEARCH_AGAIN_MS = 5 * 60_000;
/** Successful looks remembered of one target, to find the two that stand around an exchange. */
export const POLLS_KEPT_COUNT = 64;
/** Ends of exchanges remembered of one target, to know which fell between two looks. */
export const ENDS_KEPT_COUNT = 4_096;
/** Finished requests of TensorRT-LLM's list that no exchange has asked for yet, and how long they are kept. */
export const PERF_ENTRIES_MAX_COUNT = 10_000;
export const PERF_ENTRIES_KEPT_MS = 30_000;
/** GPUs that are told apart; more are not shown. */
export const GPUS_MAX_COUNT = 64;
