// The closed sets that say how an exchange ended. The position in each list is its number on the
// tape, so new names go to the end.

/** Ends that need no look at the body. */
const ENDS_ON_THE_WIRE = [
  'client_abort',
  'client_stalled',
  'client_protocol',
  'upload_stalled',
  'connect_error',
  'upstream_closed_before_head',
  'upstream_reset_reused',
  'upstream_bad_response',
  'upstream_aborted',
  'timeout_connect',
  'timeout_head',
  'timeout_idle',
  'timeout_total',
  'shed',
  'shutdown',
  'internal_error',
] as const;

/** Who ended an exchange and how. */
export const OUTCOMES = ['ok', 'incomplete', 'error_inband', 'error_http', ...ENDS_ON_THE_WIRE] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How far an exchange had come when it ended. */
export const PHASES = ['before_head', 'before_token', 'mid_stream', 'after_finish'] as const;
export type Phase = (typeof PHASES)[number];

/** Why an exchange has no TTFT sample. */
export const NO_FIRST_TOKEN_REASONS = ['canceled', 'error', 'timeout', 'no_output', 'tape', 'unreadable'] as const;
export type NoFirstTokenReason = (typeof NO_FIRST_TOKEN_REASONS)[number];

/**
 * What the relay itself knows of an end, before anybody read the body: `complete` means that the
 * answer ended as its framing promised.
 */
export const WIRE_ENDS = ['complete', ...ENDS_ON_THE_WIRE] as const;
export type WireEnd = (typeof WIRE_ENDS)[number];

/** How the length of an answer's body is known. `conflict`: both a length and chunking were stated. */
export const FRAMINGS = ['none', 'length', 'chunked', 'close_delimited', 'conflict', 'upgrade'] as const;
export type Framing = (typeof FRAMINGS)[number];
