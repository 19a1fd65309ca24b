// Every cap of the process in one place, each with the reason for its value. Whoever enforces a cap
// also counts how often it was hit.

const KIB = 1024;
const MIB = 1024 * KIB;

// --- tape ---------------------------------------------------------------------------------------

/** Bytes of one relay's ring; two seconds of a blocked main thread at 20,000 chunks/s fit. A power of two. */
export const TAPE_BYTES = 16 * MIB;
/** Free share of the ring below which the bytes of chunks are left out (stamps stay). */
export const TAPE_DROP_BYTES_BELOW_RATIO = 1 / 4;
/** Free share of the ring below which chunks and flushes are left out (marks and ends stay). */
export const TAPE_DROP_CHUNKS_BELOW_RATIO = 1 / 8;
/** Ends that found the ring full and wait for room; more are lost and counted. */
export const TAPE_END_BACKLOG_COUNT = 10_000;
/** Bytes of one head (request or response) that go on the tape; longer heads are cut. */
export const TAPE_HEAD_BYTES = 64 * KIB;

// --- request copy -------------------------------------------------------------------------------

/** A request body up to this size is copied whole, to learn model, stream flag and prompt size. */
export const REQUEST_COPY_WHOLE_BYTES = 256 * KIB;
/** Of a larger body the first and the last so many bytes are copied. */
export const REQUEST_COPY_EDGE_BYTES = 64 * KIB;

// --- relay --------------------------------------------------------------------------------------

/** Head size accepted from clients and engines; both sides of the peers lie between 16 and 60 KiB. */
export const HEAD_MAX_BYTES = 64 * KIB;
/** Informational (1xx) answers to one request before the engine counts as broken. */
export const INFORMATIONAL_MAX_COUNT = 8;
/** Bytes of chunk extensions or trailers in one answer before the engine counts as broken. */
export const CHUNK_LINE_MAX_BYTES = 16 * KIB;
/** Bytes queued towards a client in user space before we stop reading from the engine. */
export const CLIENT_QUEUE_BYTES = 64 * KIB;
/** Time a client may take for a request head; Node's own 60 s checked each 30 s invites slow-loris. */
export const CLIENT_HEAD_TIMEOUT_MS = 10_000;
/** Idle time of a client connection between requests: above the usual 60 s of load balancers. */
export const CLIENT_KEEP_ALIVE_MS = 75_000;
/** Idle time of an engine connection we keep for reuse: below uvicorn's and vLLM's 5 s. */
export const UPSTREAM_KEEP_ALIVE_MS = 4_000;
/** Idle engine connections kept for reuse by one relay; more are closed. */
export const UPSTREAM_IDLE_MAX_COUNT = 1_024;
/** TCP keep-alive probes on both sides find peers that vanished without a word. */
export const TCP_KEEP_ALIVE_MS = 15_000;
/** How far back the smallest TCP handshake (the floor of the part `wire`) is looked for. */
export const WIRE_FLOOR_WINDOW_MS = 10 * 60_000;

// --- record -------------------------------------------------------------------------------------

/** Chunks of one exchange kept with their stamps (1.5 h at 50 chunks/s); later ones count in totals only. */
export const CHUNK_LOG_MAX_COUNT = 262_144;
/** Events of one exchange kept. */
export const EVENT_LOG_MAX_COUNT = 262_144;
/** Intervals of blocked client socket kept per exchange. */
export const BLOCKED_MAX_COUNT = 1_024;
/** Characters of any name taken from the wire (model, response id, error type) kept in a record. */
export const NAME_MAX_CHARS = 128;
/** Choices (`n`) of one answer that are told apart; later ones are counted together. */
export const CHOICES_MAX_COUNT = 128;

// --- stream -------------------------------------------------------------------------------------

/** Bytes of one event the parser holds before it skips to the next blank line. */
export const EVENT_MAX_BYTES = 1 * MIB;
/** Bytes of a non-streamed answer read for its usage. */
export const JSON_ANSWER_MAX_BYTES = 1 * MIB;
/** Bytes a compressed answer may grow to on the copy, per exchange; beyond it is marked unreadable. */
export const DECODED_MAX_BYTES = 64 * MIB;
/** Decoded bytes per encoded byte beyond which a copy is taken for a decompression bomb. */
export const DECODED_MAX_RATIO = 100;

// --- labels -------------------------------------------------------------------------------------

/** Traffic classes, `default` included. */
export const CLASSES_MAX_COUNT = 32;
/** Model names that get a label of their own; later ones are `other`. */
export const MODELS_MAX_COUNT = 20;
/** Series of one process; later label sets fold into `other`. */
export const SERIES_MAX_COUNT = 20_000;

// --- telemetry ----------------------------------------------------------------------------------

/** Chunks listed one by one on the span `rubato.chunks`; later ones count in totals only. */
export const SPAN_CHUNKS_MAX_COUNT = 8_192;
/** Events on a span: first token, stalls, cut. */
export const SPAN_EVENTS_MAX_COUNT = 16;
/** Bytes of finished spans waiting for export. */
export const SPAN_QUEUE_BYTES = 32 * MIB;
/** Bytes of spans sent in one request; collectors refuse 20 MiB, Tempo 16 MiB. */
export const SPAN_BATCH_BYTES = 2 * MIB;
/** Finished exchanges remembered for /api/streams. */
export const RECENT_MAX_COUNT = 200;
/** Exchanges open at once that the observer follows; more are forwarded all the same. */
export const ROSTER_MAX_COUNT = 20_000;
/** Bytes waiting to be written to the record file. */
export const RECORD_QUEUE_BYTES = 32 * MIB;
/** Size at which the record file is rotated, and how many old ones are kept. */
export const RECORD_FILE_BYTES = 256 * MIB;
export const RECORD_FILES_KEPT_COUNT = 4;
