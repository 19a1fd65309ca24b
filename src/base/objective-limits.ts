// Caps of objectives and goodput, each with the reason for its value; others stand in limits.ts.

/** Objectives of one class, its preset's included; each is a label value, judged once an exchange. */
export const OBJECTIVES_MAX_COUNT = 16;
/** Prompt buckets, or finish reasons, that one objective names. */
export const OBJECTIVE_WORDS_MAX_COUNT = 16;
/** Largest limit of an objective: whoever promises an hour promises nothing that a stream can keep. */
export const OBJECTIVE_MAX_MS = 3_600_000;
/** Longest deadline of a batch job: a week. */
export const JOB_DEADLINE_MAX_S = 604_800;
/** Largest token count that can bound an objective; no model reads or writes as much at once. */
export const OBJECTIVE_TOKENS_MAX_COUNT = 100_000_000;
/** Largest limit that a client can ask for by header. */
export const ASKED_MAX_MS = 3_600_000;
/**
 * Objectives of one class and model that have series of their own, three each. Products of 32 classes, 16 objectives and
 * 20 models would take the room of all other metrics; later ones count for all models together.
 */
export const OBJECTIVES_BY_MODEL_MAX_COUNT = 2_000;
/** Time over which goodput and attainment are told beside those since the start, and the slots it is cut into. */
export const GOODPUT_WINDOW_MS = 300_000;
export const GOODPUT_SLOTS_COUNT = 30;
/** Different objectives of one class whose counts a process tells, those of earlier configurations included. */
export const OBJECTIVES_TOLD_MAX_COUNT = 48;
/** Recent exchanges and gaps of one class and prompt bucket, of which /api/summary tells percentiles. */
export const SUMMARY_BUCKET_EXCHANGES_MAX_COUNT = 512;
export const SUMMARY_BUCKET_GAPS_MAX_COUNT = 4_096;
/** Prompt buckets of one class in /api/summary: as many as edges can make, and some of an earlier configuration. */
export const SUMMARY_BUCKETS_MAX_COUNT = 20;
