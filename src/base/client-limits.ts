// Caps on what clients may cost, beside those that are keys of the configuration (max-streams,
// max-connections, max-rss, upload-rate-min). Whoever enforces one counts how often it was hit.

const KIB = 1024;

/** Streams and connections by default: what one process on two cores serves with room to spare. */
export const STREAMS_DEFAULT_COUNT = 10_000;
export const CONNECTIONS_DEFAULT_COUNT = 20_000;
/** Largest value of either: ports and descriptors end long before. */
export const CLIENTS_MAX_COUNT = 1_000_000;
/** Connections over the limit that are told so; of a flood beyond them none gets an answer. */
export const OVERFLOW_MAX_COUNT = 1_000;
/** They are no more than this share of the limit, so that there are descriptors for them. */
export const OVERFLOW_MAX_RATIO = 0.25;
/** Time in which a connection over the limit can ask, so that the refusal is the answer to its request. */
export const OVERFLOW_WAIT_MS = 1_000;
/** When a client that was refused for want of room may come again; where places turn over slowly, later. */
export const SHED_RETRY_AFTER_SECONDS = 1;
/** The latest that it is told: clients of the OpenAI SDKs heed a hint up to a minute. */
export const RETRY_AFTER_MAX_SECONDS = 60;
/** Places that came free lately, by which that is reckoned: some rounds of a usual batch. */
export const TURNOVER_MAX_COUNT = 64;
/** Share of the container's memory from which new requests are refused, where nothing else is configured. */
export const RSS_OF_CONTAINER_RATIO = 0.85;
/** Least value of `max-rss`: the process has 120 to 150 MiB of its own before the first client. */
export const RSS_LEAST_BYTES = 256 * KIB * KIB;
/** Descriptors of one client: its connection, the engine's, and its share of those that are being refused. */
export const DESCRIPTORS_OF_CLIENT_COUNT = 2.25;
/** Descriptors of the process itself (45 at rest), of its files, and of connections that rest. */
export const DESCRIPTORS_RESERVED_COUNT = 128;
/** Least speed of a body whose length was stated, in bytes a second: a tenth of a modem's. */
export const UPLOAD_RATE_DEFAULT_BYTES = 1 * KIB;
/** Looks in a row, one a second, over which that speed is averaged; counted, so that our own pauses are no looks. */
export const UPLOAD_RATE_LOOKS_COUNT = 10;
/** Time between two looks of a relay at its clients and its memory. */
export const ADMISSION_LOOK_MS = 1_000;
/** Time between summaries of what was refused for want of room, in the log. */
export const SHED_LOG_EVERY_MS = 60_000;
/** Time between two looks at the files of the listener's certificate, beside being told of changes. */
export const TLS_FILES_LOOK_MS = 10_000;
/** After a change, time for the other file of the pair to follow. */
export const TLS_FILES_SETTLE_MS = 250;
/** Most requests of a class that may wait in the admission queue of one route: each holds a connection. */
export const ADMISSION_WAITING_MAX_COUNT = 10_000;
/** Longest wait there: whoever waits longer has given up. */
export const ADMISSION_WAIT_MAX_MS = 600_000;
/** Streams open at once on one connection of HTTP/2, as clients are told: Go's default. */
export const H2_STREAMS_MAX_COUNT = 250;
/**
 * What a client may send of one body before the engine has taken of it: HTTP/2's own default. Sent in frames of a byte
 * each, what lies here takes a hundred times as much memory.
 */
export const H2_STREAM_WINDOW_BYTES = 64 * KIB;
/** The same for all bodies of a connection, which nobody holds: a stream that is not read does not count here. */
export const H2_CONNECTION_WINDOW_BYTES = 4 * KIB * KIB;
/** Streams that a client may reset at once, and on average (CVE-2023-44487): nghttp2's own; then GOAWAY. */
export const H2_RESET_BURST_COUNT = 1_000;
export const H2_RESETS_PER_SECOND = 33;
/** Bad frames, and streams beyond the bound, of one connection before it is closed. */
export const H2_REFUSED_MAX_COUNT = 100;
/** MiB that one connection may hold in Node's HTTP/2 itself: heads, and frames that wait for the socket. */
export const H2_SESSION_MAX_MIB = 64;
