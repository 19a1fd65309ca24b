// The caps of the live page, each with the reason for its value. A tab that stands open for days must neither grow
// nor press a sidecar that is down. Imported by browser code: nothing of Node here.

/** Connection lost → the first try to get it back, and the longest wait between two tries. */
export const PAGE_RETRY_FIRST_MS = 500;
export const PAGE_RETRY_MAX_MS = 10_000;
/** Last event → the connection counts as lost. Above the time after which a sidecar says that it is busy (5 s). */
export const PAGE_SILENCE_MAX_MS = 15_000;
/** Between two things told to a screen reader: what is newer waits, and is told together. */
export const PAGE_TELL_MS = 5_000;
/** Time for which a restart of the sidecar is said. */
export const PAGE_RESTART_SAID_MS = 120_000;
/** Values in the list of a filter; model names come from requests and have no end. */
export const PAGE_CHOICES_MAX_COUNT = 100;
