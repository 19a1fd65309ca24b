// The caps of the live page, each with the reason for its value. A tab that stands open for days must neither grow
// nor press a sidecar that is down. Imported by browser code: nothing of Node here.

/** Exchanges that ended and are still listed; as many as `/api/streams` answers with. */
export const PAGE_ENDED_MAX_COUNT = 500;
/** Open exchanges that are kept, whatever a beat lists; the feed lists 600. */
export const PAGE_OPEN_MAX_COUNT = 1_000;
/** Bins of one strip, whatever `about` says: 30 s in bins of 50 ms are 600. */
export const PAGE_STRIP_BINS_MAX_COUNT = 2_400;
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
