// Why an exchange that should have brought tokens has no TTFT sample. Every such exchange counts once:
// streams that fail or are cancelled must not vanish from the picture.
import { NO_FIRST_TOKEN_REASONS, type NoFirstTokenReason, type WireEnd } from '../base/outcome.ts';
import type { MetricSpec } from '../base/metric-spec.ts';
import type { StreamRecord } from '../record/stream-record.ts';

/** What an end on the wire means for a token that had not reached the client. */
const REASON_BY_WIRE: Readonly<Record<WireEnd, NoFirstTokenReason>> = {
  complete: 'no_output',
  client_abort: 'canceled',
  client_stalled: 'timeout',
  client_protocol: 'error',
  upload_stalled: 'timeout',
  connect_error: 'error',
  upstream_closed_before_head: 'error',
  upstream_reset_reused: 'error',
  upstream_bad_response: 'error',
  upstream_aborted: 'error',
  timeout_connect: 'timeout',
  timeout_head: 'timeout',
  timeout_idle: 'timeout',
  timeout_total: 'timeout',
  shed: 'error',
  shutdown: 'error',
  internal_error: 'error',
};

/**
 * The reason for a record that has no TTFT; undefined for exchanges that owed no token (answers that are not
 * streams). `tokenSeen`: a first token was received, but no sample could be taken of its delivery.
 */
export function noFirstTokenReason(record: StreamRecord, tokenSeen: boolean): NoFirstTokenReason | undefined {
  const { answer, response, doubts } = record;
  const { wire } = record.end;
  const failed = (response.status ?? 0) >= 400;
  if (!owesTokens(record, failed)) return undefined;
  const byWire = REASON_BY_WIRE[wire];
  // The engine's own verdict comes before the client's leaving, which then is its consequence.
  if (wire === 'complete' || wire === 'client_abort') {
    if (failed || answer.errorType !== undefined) return 'error';
  }
  const lost = doubts.includes('tape_bytes') || doubts.includes('tape_chunks');
  // A token that came and of a complete answer was delivered: only its stamps are missing.
  if (tokenSeen) return lost || wire === 'complete' ? 'tape' : byWire;
  if (answer.unreadable !== undefined || isUnknownStream(record)) return 'unreadable';
  return lost ? 'tape' : byWire;
}

/** A stream that no dialect could read: it may have been full of tokens. */
function isUnknownStream({ answer }: StreamRecord): boolean {
  return answer.streamed && answer.dialect === 'opaque';
}

/** A stream owes tokens; so does the answer to a request for a stream, until it turns out to be something else. */
function owesTokens({ answer, request, response }: StreamRecord, failed: boolean): boolean {
  if (answer.streamed) return true;
  if (request.stream !== true) return false;
  return failed || response.status === undefined || answer.unreadable !== undefined;
}

export const NO_FIRST_TOKEN: MetricSpec = {
  name: 'rubato.no_first_token',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges that owed tokens and have no sample in rubato.ttft, by reason.',
  labels: ['reason'],
  classed: true,
  startAtZero: { reason: NO_FIRST_TOKEN_REASONS },
};
