// Every cap of the process in one place, each with the reason for its value; those of polling stand in
// poll-limits.ts and those of OTLP from engines in otlp-limits.ts beside it. Whoever enforces a cap also counts how often it was hit.

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

/** The wall clock counts as stepped when it moves by more than this; NTP slews by at most 0.5 ms a second. */
export const CLOCK_STEP_MIN_MS = 50;
/** How often the wall clock and the CPU quota are looked at. */
export const TIME_WATCH_MS = 250;
/** How often at most the log tells of a stepped clock, or of a quota that holds the process back. */
export const TIME_WATCH_LOG_EVERY_MS = 60_000;
/** Largest bound of a stamp's error that is told, as it fits 32 bits; this one means "so much or more". */
export const ERROR_BOUND_MAX_NS = 0xffff_ffff;

// --- request copy -------------------------------------------------------------------------------

/** A request body up to this size is copied whole, to learn model, stream flag and prompt size. */
export const REQUEST_COPY_WHOLE_BYTES = 256 * KIB;
/** Of a larger body the first and the last so many bytes are copied. */
export const REQUEST_COPY_EDGE_BYTES = 64 * KIB;
/** Bytes that a compressed request may decode to on the copy; of a longer one only the first part is looked at. */
export const REQUEST_DECODED_MAX_BYTES = 1 * MIB;
/** Plain top-level fields of a request that rules of traffic classes can look at; real requests have about 20. */
export const REQUEST_FIELDS_MAX_COUNT = 64;

// --- relay --------------------------------------------------------------------------------------

/** Head size accepted from clients and engines; both sides of the peers lie between 16 and 60 KiB. */
export const HEAD_MAX_BYTES = 64 * KIB;
/** Fields of one request head; more is an attack on whoever has to look them up. */
export const FIELDS_MAX_COUNT = 2_000;
/** Fields that one `Connection` field may name as hop-by-hop. */
export const NOMINATIONS_MAX_COUNT = 32;
/** Informational (1xx) answers to one request before the engine counts as broken. */
export const INFORMATIONAL_MAX_COUNT = 8;
/** Bytes of one chunk's size line, or of all trailers, before the engine counts as broken. */
export const CHUNK_LINE_MAX_BYTES = 16 * KIB;
/** Time a client may take for a request head; Node's own 60 s checked each 30 s invites slow-loris. */
export const CLIENT_HEAD_TIMEOUT_MS = 10_000;
/** The same while the process goes down, looked at once a second: nobody starts a request to one that ends. */
export const HALF_HEAD_DRAIN_MS = 500;
/** Requests that may wait on one client connection for the answers before them; nobody pipelines so many. */
export const PIPELINED_MAX_COUNT = 128;
/** Time in which a client can still read our last answer while it sends on; then its connection is closed. */
export const LINGER_MS = 1_000;
/** Idle time of a client connection between requests: above the usual 60 s of load balancers. */
export const CLIENT_KEEP_ALIVE_MS = 75_000;
/** Idle time of an engine connection we keep for reuse: below uvicorn's and vLLM's 5 s. */
export const UPSTREAM_KEEP_ALIVE_MS = 4_000;
/** Rest of an engine connection before another client's request: a busy engine's close was heard of up to 100 ms late. */
export const UPSTREAM_REST_MS = 250;
/** How long no connection of an upstream is kept after one had bytes on it that no request asked for. */
export const UPSTREAM_DISTRUST_MS = 10 * 60_000;
/** Idle engine connections kept for reuse by one relay; more are closed. */
export const UPSTREAM_IDLE_MAX_COUNT = 1_024;
/** TCP keep-alive probes on both sides find peers that vanished without a word. */
export const TCP_KEEP_ALIVE_MS = 15_000;
/** Addresses of one name that are kept; answers with more are of networks, not of one upstream. */
export const NAME_ADDRESSES_MAX_COUNT = 32;
/** Bytes of the system's files about names that are looked at; lists of blocked hosts have megabytes. */
export const NAME_FILE_MAX_BYTES = 1 * MIB;
/** Time for a name server to answer, doubled at each further try, and how often all of them are tried. */
export const DNS_TRY_MS = 1_000;
export const DNS_TRIES_COUNT = 2;
/** A name is looked up anew when its answer has run out, but neither more often nor more seldom than this. */
export const NAME_REFRESH_MIN_MS = 5_000;
export const NAME_REFRESH_MAX_MS = 60_000;
/** A name that nobody has used for so long is looked up as seldom as may be. */
export const NAME_USED_MS = 10 * 60_000;
/** When an upstream cannot be reached its name is looked up at once, but no sooner than this after the last time. */
export const NAME_RETRY_MIN_MS = 500;
/** An address that has not answered for so long is left for the next one (RFC 8305 §5). */
export const NEXT_ADDRESS_AFTER_MS = 250;
/** An address to which no connection came about is tried last for so long. */
export const ADDRESS_FAILED_MS = 30_000;
/** TLS sessions kept for each upstream; a burst of new connections uses one each. */
export const TLS_SESSIONS_MAX_COUNT = 8;
/** How far back the smallest TCP handshake (the floor of the part `wire`) is looked for. */
export const WIRE_FLOOR_WINDOW_MS = 10 * 60_000;

// --- record -------------------------------------------------------------------------------------

/** Chunks of one exchange kept with their stamps (1.5 h at 50 chunks/s); later ones count in totals only. */
export const CHUNK_LOG_MAX_COUNT = 262_144;
/** Events of one exchange kept. */
export const EVENT_LOG_MAX_COUNT = 262_144;
/** Intervals of blocked client socket kept per exchange. */
export const BLOCKED_MAX_COUNT = 1_024;
/** Pauses of the relay's thread kept per exchange; later ones no longer name the cause of a tainted gap. */
export const PAUSES_MAX_COUNT = 1_024;
/** Stalls listed one by one in the figures of an exchange, the longest; all are counted. */
export const STALLS_LISTED_MAX_COUNT = 16;
/** Characters of any name taken from the wire (model, response id, error type) kept in a record. */
export const NAME_MAX_CHARS = 128;
/** Choices (`n`) of one answer that are told apart; later ones are counted together. */
export const CHOICES_MAX_COUNT = 128;

// --- stream -------------------------------------------------------------------------------------

/** Bytes of one event the parser holds before it skips to the next blank line. */
export const EVENT_MAX_BYTES = 1 * MIB;
/** Bytes of an event that is kept to know others like it: one of the longest known with a token in it has 700. */
export const LIKE_EVENT_MAX_BYTES = 4 * KIB;
/** Events kept in turn of which none was followed by one like it, before a stream is taken to have none. */
export const LIKE_EVENT_TRIES_MAX_COUNT = 4;
/** Bytes of one frame of an Amazon event stream: as in AWS's own library (aws-c-event-stream); longer is no frame. */
export const AWS_FRAME_MAX_BYTES = 24 * MIB;
/** Bytes looked through for the next frame after a loss; each place costs a look, and these are no frames then. */
export const AWS_SEEK_MAX_BYTES = 4 * MIB;
/** Bytes of a non-streamed answer read for its usage. */
export const JSON_ANSWER_MAX_BYTES = 1 * MIB;
/** Bytes a compressed answer may grow to on the copy, per exchange; beyond it is marked unreadable. */
export const DECODED_MAX_BYTES = 64 * MIB;
/** Decoded bytes per encoded byte beyond which a copy is taken for a decompression bomb. */
export const DECODED_MAX_RATIO = 100;
/** Decoded bytes below which the ratio is not looked at: a few repeated short events beat any ratio. */
export const DECODED_RATIO_FREE_BYTES = 1 * MIB;
/** Log2 of the zstd window a copy may need: the 8 MiB to which RFC 9659 binds this content coding. */
export const ZSTD_WINDOW_MAX_LOG2 = 23;
/** Bytes of prompt, and of answer, kept of one exchange when asked to keep text at all. */
export const CAPTURED_TEXT_MAX_BYTES = 64 * KIB;
/** Different kinds of deltas told apart in one answer; the Responses API has about 15. */
export const DELTA_NAMES_MAX_COUNT = 64;
/** Characters of an error's type kept in a record. */
export const ERROR_TYPE_MAX_CHARS = 64;
/** Characters of a finish reason kept in a record. */
export const FINISH_REASON_MAX_CHARS = 32;

// --- calibration --------------------------------------------------------------------------------

/** Models of all routes that are calibrated; the one not seen for longest makes room. */
export const CALIBRATED_MODELS_MAX_COUNT = 64;
/** Idle exchanges remembered of each: a fit of so many costs well below 1 ms. */
export const CALIBRATION_SAMPLES_MAX_COUNT = 256;
/** Exchanges of a model, and of these idle ones, before anything is estimated. */
export const CALIBRATION_SEEN_LEAST_COUNT = 30;
export const CALIBRATION_IDLE_LEAST_COUNT = 12;
/** Beginnings of prompts remembered of each model, at up to six lengths each. */
export const PREFIXES_MAX_COUNT = 4_096;
/** First tokens remembered of each route, to know whose prompts were computed together; routes are capped. */
export const FIRST_TOKENS_MAX_COUNT = 512;
/** Requests whose bytes and tokens are remembered of each model and kind of script. */
export const PROMPT_RATIO_SAMPLES_MAX_COUNT = 32;

// --- labels -------------------------------------------------------------------------------------

/** Traffic classes, `default` included. */
export const CLASSES_MAX_COUNT = 32;
/** Model names that get a label of their own; later ones are `other`. */
export const MODELS_MAX_COUNT = 20;
/** Models without a label that are told apart to be counted; at 128 characters each they take at most 4 MiB. */
export const MODELS_FOLDED_MAX_COUNT = 16_384;
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
/** The same while little waits: putting 300 KiB into bytes takes the main thread 3 ms, and 96 KiB one. */
export const SPAN_SLICE_BYTES = 96 * KIB;
/** Finished exchanges remembered for /api/streams. */
export const RECENT_MAX_COUNT = 200;
/** Different numbers about time and load kept of one answer; the engines known state at most 25. */
export const STATEMENTS_MAX_COUNT = 64;
/** Pairs of route and model of which the engine is remembered. */
export const ENGINE_MEMORY_MAX_COUNT = 256;
/** Characters of a statement's path; the longest of the engines known has 58. */
export const STATEMENT_PATH_MAX_CHARS = 64;
/** Such paths kept ready-made; all engines known together have about 150. */
export const STATEMENT_PATHS_CACHED_COUNT = 1_024;
/** Keys looked at in one object of statements; more is no engine's word but a flood. */
export const STATEMENT_KEYS_MAX_COUNT = 256;
/** Members read of one list in a response head (`Server-Timing`, load reports); browsers show about ten. */
export const HEAD_LIST_MAX_COUNT = 32;
/** Characters of an engine's version kept in a record. */
export const ENGINE_VERSION_MAX_CHARS = 32;
/** Ended exchanges that wait for evidence from elsewhere at the same time; more are settled without. */
export const UNSETTLED_MAX_COUNT = 10_000;
/** Rows of chunk and event logs among them; a usual stream has about a thousand. */
export const RECENT_ROWS_MAX_COUNT = 500_000;
/** Exchanges open at once that the observer follows; more are forwarded all the same. */
export const ROSTER_MAX_COUNT = 20_000;
/** Bytes waiting to be written to the record file. */
export const RECORD_QUEUE_BYTES = 32 * MIB;
/** Size at which the record file is rotated, and how many old ones are kept. */
export const RECORD_FILE_BYTES = 256 * MIB;
export const RECORD_FILES_KEPT_COUNT = 4;
/** Bytes in one write to the record file: large enough to be cheap, small enough to be soon over. */
export const RECORD_WRITE_BYTES = 1 * MIB;
/** Records gather so long before they are written: a write costs as much for one line as for fifty. */
export const RECORD_GATHER_MS = 50;
/** Wait before the record file is tried again after a fault (full or read-only disk), doubled up to the second. */
export const RECORD_RETRY_FIRST_MS = 1_000;
export const RECORD_RETRY_MAX_MS = 60_000;
/** Time for the last flush of each sink at shutdown: with a dead collector the process ends within 2 s all the same. */
export const FLUSH_MAX_MS = 1_500;
/** Failed exports in a row after which only probes are sent, and the time between probes. */
export const EXPORT_FAILURES_BEFORE_PROBING_COUNT = 3;
export const EXPORT_PROBE_MS = 30_000;
/** Share by which the time between probes varies, so that many sidecars do not probe in step. */
export const EXPORT_PROBE_JITTER_RATIO = 0.2;
/** Time between summary lines while an export, or the record file, keeps failing. */
export const FAILURE_LOG_EVERY_MS = 60_000;
/** Points in one metrics request: at about 400 bytes each it stays below gRPC's default of 4 MiB. */
export const METRICS_BATCH_MAX_COUNT = 5_000;
/** Recent exchanges per class that `/api/summary` looks at. */
export const SUMMARY_EXCHANGES_MAX_COUNT = 1_024;
/** Recent gaps per class that `/api/summary` looks at. */
export const SUMMARY_GAPS_MAX_COUNT = 16_384;

/** A slice of the diagnosis: long enough for its gaps to have a median, short enough to see a burst. */
export const DIAGNOSIS_SLICE_MS = 10_000;
/** Slices that a diagnosis looks at: ten minutes. Each costs 3.4 KiB a route. */
export const DIAGNOSIS_SLICES_COUNT = 60;
/** Times as long before it that it is compared with. */
export const DIAGNOSIS_BEFORE_BLOCKS_COUNT = 5;

// --- log ----------------------------------------------------------------------------------------

/** Bytes of log lines waiting for a slow stderr. */
export const LOG_QUEUE_BYTES = 1 * MIB;
/** Wait before a line is tried again on a pipe whose reader is slow. */
export const LOG_RETRY_MS = 50;
/** Tries at the last flush before waiting lines are given up. */
export const LOG_FLUSH_RETRY_MAX_COUNT = 100;
/** Characters of one text field of a log line. */
export const LOG_FIELD_MAX_CHARS = 512;

// --- client -------------------------------------------------------------------------------------

/** Request body the reference engine takes; larger ones are refused. Long contexts are a few MiB. */
export const REFERENCE_BODY_MAX_BYTES = 64 * MIB;
/** Tokens of one answer of the reference engine, all choices together; more are cut off as `length`. */
export const REFERENCE_OUTPUT_MAX_TOKENS = 65_536;
/** Requests that may wait in the reference engine; later ones get 503. */
export const REFERENCE_WAITING_MAX_COUNT = 10_000;
/** Requests of which the reference engine remembers what it really did; older ones are forgotten. */
export const REFERENCE_TRUTH_MAX_COUNT = 1_000;
/** Finished requests that wait in the reference engine's ring to be read; the oldest make room. */
export const REFERENCE_PERF_ENTRIES_MAX_COUNT = 1_000;
/** Body bytes of one answer our own client keeps; a longer answer is cut off and says so. */
export const CLIENT_ANSWER_MAX_BYTES = 64 * MIB;
/** Last words of a hop that we started, told when it does not come up; servers say what is wrong in their last lines. */
export const HOP_LAST_WORDS_CHARS = 4_096;
/** Exchanges our own client has open at once; an open-loop load beyond it counts what it left out. */
export const CLIENT_OPEN_MAX_COUNT = 4_096;
/** Finished exchanges the demo's summary is made of; the latest are kept. */
export const DEMO_REPORTS_MAX_COUNT = 5_000;

// --- configuration ------------------------------------------------------------------------------

/** Relay threads on one port; each costs a thread and a tape, and more than cores help nobody. */
export const RELAYS_MAX_COUNT = 64;
/** Routes; they are tried one after the other for each request, and each is a label value. */
export const ROUTES_MAX_COUNT = 64;
/** Different routes over all configurations of one process: each keeps its number on the tapes. */
export const ROUTE_NUMBERS_MAX_COUNT = 65_536;
/** Rules of one class; they are tried one after the other for each request. */
export const CLASS_RULES_MAX_COUNT = 64;
/** Host names the admin port answers to. */
export const ALLOWED_HOSTS_MAX_COUNT = 64;
/** Edges of a bucket label; each makes one more label value. */
export const BUCKET_EDGES_MAX_COUNT = 12;
/** Largest value of `stall-ms`: a silence longer than an hour is no stall but a dead stream. */
export const STALL_MAX_MS = 3_600_000;
/** Smallest size at which a record file may be rotated; a smaller one would turn over every few exchanges. */
export const RECORD_FILE_LEAST_BYTES = 1 * MIB;
