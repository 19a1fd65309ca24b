// What spans and metrics must say alike about an exchange: what kind of failure it was, if any.
import type { Outcome } from '../base/outcome.ts';
import type { StreamRecord } from '../record/stream-record.ts';

/**
 * Ends that are nobody's failure. A client that leaves does so on purpose as far as we can know; the
 * conventions say that a deliberate cancellation is no error.
 */
const NO_FAILURE: ReadonlySet<Outcome> = new Set(['ok', 'client_abort']);

/** Failures of the client: our side as a server did what it could. */
const CLIENT_FAILURES: ReadonlySet<Outcome> = new Set(['client_protocol', 'client_stalled']);

/**
 * `error.type` of an exchange: the status for an HTTP error, else the outcome, which is a closed set.
 * Absent on success, and when the client simply left.
 */
export function errorTypeOf(record: StreamRecord): string | undefined {
  const { outcome } = record.end;
  if (NO_FAILURE.has(outcome)) return undefined;
  const { status } = record.response;
  return outcome === 'error_http' && status !== undefined ? String(status) : outcome;
}

/** Whether the span of our side as a server is an error; a 4xx is the client's doing. */
export function isServerError(record: StreamRecord): boolean {
  const { outcome } = record.end;
  if (errorTypeOf(record) === undefined || CLIENT_FAILURES.has(outcome)) return false;
  const { status } = record.response;
  return outcome !== 'error_http' || status === undefined || status >= 500;
}

/** Whether the span of our side as a client is an error: there a 4xx is one as well. */
export function isClientError(record: StreamRecord): boolean {
  return errorTypeOf(record) !== undefined && !CLIENT_FAILURES.has(record.end.outcome);
}
