// Caps of what recognises retries and follows batch jobs, each with the reason for its value.

/** Failed tries that are remembered for the retry to come: two minutes of an engine that fails 80 requests a second. */
export const FAILED_TRIES_MAX_COUNT = 10_000;
/** A try failed → a request with the same body is no retry of it any more. Clients wait 0.5 to 60 s between tries. */
export const RETRY_BY_BODY_MAX_MS = 120_000;
/** The same by an idempotency key, which nobody sends by chance. */
export const RETRY_BY_KEY_MAX_MS = 600_000;
/** Answered requests that had an idempotency key, remembered for whoever sends it again: 16 a second for ten minutes. */
export const ANSWERED_KEYS_MAX_COUNT = 10_000;
/** Longest idempotency key that is looked at; longer ones are no keys. */
export const IDEMPOTENCY_KEY_MAX_CHARS = 512;
/** Tries that a client can state; SDKs make 2 to 10. */
export const STATED_TRIES_MAX_COUNT = 1_000;

// --- batch jobs -----------------------------------------------------------------------------------

/** Batch jobs followed at once; exchanges of further ones are followed as exchanges alone. */
export const JOBS_OPEN_MAX_COUNT = 1_000;
/** Ended jobs that `/api/jobs` shows. */
export const JOBS_RECENT_MAX_COUNT = 200;
/** Ended jobs whose late exchanges are still known as theirs; as many as can be open. */
export const JOBS_LATE_MAX_COUNT = 1_000;
/** Characters of a job's id. */
export const JOB_ID_MAX_CHARS = 64;
/** Documents of a job that a client may state. */
export const JOB_SIZE_MAX_COUNT = 100_000_000;
/** A job of a class without deadline ends when nothing of it was under way for so long; so does memory of late ones. */
export const JOB_IDLE_MAX_MS = 600_000;
/** The same while an exchange of it is open; no answer takes so long. */
export const JOB_PENDING_MAX_MS = 6 * 3_600_000;
/** A deadline passed → its job is judged: exchanges that ended in time may still wait for their evidence. */
export const JOB_SETTLE_MS = 10_000;
/** How often deadlines are looked at. */
export const JOB_LOOK_EVERY_MS = 1_000;
