// Every cap on OTLP that engines send to `--otlp-listen`, each with the reason for its value. Whoever
// enforces one also counts how often it was hit.

const KIB = 1024;
const MIB = 1024 * KIB;

/** One OTLP request over HTTP, as it comes; batches of the SDKs (512 spans) are below 1 MiB. */
export const OTLP_REQUEST_MAX_BYTES = 8 * MIB;
/** The same unpacked: a collector refuses 20 MiB. */
export const OTLP_DECODED_MAX_BYTES = 16 * MIB;
/** One OTLP message over gRPC, packed or unpacked: what collectors and gRPC itself take by default. */
export const OTLP_GRPC_MESSAGE_MAX_BYTES = 4 * MIB;
/** OTLP bodies in memory at once, all requests together, before they are passed on; later ones get 503. */
export const OTLP_IN_WORK_MAX_BYTES = 64 * MIB;
/** Connections to the OTLP listener; an engine has one or two a process. */
export const OTLP_CONNECTIONS_MAX_COUNT = 64;
/** Calls at once on one gRPC connection; an exporter makes one. With the two caps above it bounds what can be held half. */
export const OTLP_GRPC_STREAMS_MAX_COUNT = 2;
/** Head of an OTLP request, and the time for it; also for the first bytes of a connection. */
export const OTLP_HEAD_MAX_BYTES = 16 * KIB;
export const OTLP_HEAD_TIMEOUT_MS = 10_000;
/** Time for a whole OTLP request over HTTP: exporters give up after 10 s themselves. */
export const OTLP_REQUEST_TIMEOUT_MS = 30_000;
/** Idle time of an OTLP connection: above the 60 s between two exports of metrics. */
export const OTLP_IDLE_MS = 75_000;
/** Life of a gRPC connection, after which it is closed whatever it does; exporters come back by themselves. */
export const OTLP_GRPC_LIFE_MS = 10 * 60_000;
export const OTLP_GRPC_LIFE_GRACE_MS = 10_000;
/** Spans looked at in one request, and attributes looked at in one span. */
export const OTLP_REQUEST_SPANS_MAX_COUNT = 20_000;
export const OTLP_ATTRIBUTES_MAX_COUNT = 256;
/** Fields of one protobuf message below which it is read; a span with more is no span. */
export const OTLP_FIELDS_MAX_COUNT = 4_096;
/** Characters of a span's name and of a kept attribute's value. */
export const OTLP_TEXT_MAX_CHARS = 256;
/** JSON bodies up to this size are read for spans (about 20 ms of the main thread); larger ones only pass. */
export const OTLP_JSON_READ_MAX_BYTES = 2 * MIB;
/** Time for which reading spans may keep the main thread before it lets others in. */
export const OTLP_READ_SLICE_MS = 4;
/**
 * Engine spans kept for exchanges that have not ended. SGLang sends the spans of a prefill when the prefill
 * is over and the stream goes on for minutes, so age alone must not be what they are dropped by.
 */
export const OTLP_SPANS_MAX_COUNT = 50_000;
export const OTLP_SPANS_MAX_BYTES = 48 * MIB;
export const OTLP_SPANS_MAX_AGE_MS = 10 * 60_000;
/** Spans that may belong to one exchange; SGLang makes about ten. */
export const OTLP_JOIN_SPANS_MAX_COUNT = 1_024;
/**
 * Spans that are found by one request id, or below one span. Every exchange that waits looks through them again
 * and again: 50,000 under an id that a client chose kept the main thread for over a second. One of a request is
 * what engines send, so that more of them name nobody; below a span the cap is that of an exchange.
 */
export const OTLP_SPANS_PER_ID_MAX_COUNT = 64;
/** Ended exchanges whose ids are remembered, so that a span of theirs is never given to another one. */
export const OTLP_ENDED_MAX_COUNT = 20_000;
/** Exchanges of a route in a row without a span after which none is waited for, and how often it is tried again. */
export const OTLP_SILENT_MAX_COUNT = 50;
export const OTLP_PROBE_EVERY_COUNT = 20;
/** OTLP payloads that wait for the collector, oldest dropped first, and how many are under way at once. */
export const OTLP_QUEUE_MAX_BYTES = 32 * MIB;
export const OTLP_QUEUE_MAX_COUNT = 4_096;
export const OTLP_SENDS_MAX_COUNT = 4;
/** Wait before a payload that the collector could not take is sent once more, and the most it may ask for. */
export const OTLP_RETRY_MS = 1_000;
export const OTLP_RETRY_MAX_MS = 5_000;
/** Bytes read of a collector's answer. */
export const OTLP_ANSWER_MAX_BYTES = 64 * KIB;
