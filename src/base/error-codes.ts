// Every answer that rubato makes itself: code, status, who is to blame, what to say. Only relay/
// turns them into responses, and each one carries its code in `x-rubato-error`.
import { SHED_RETRY_AFTER_SECONDS } from './client-limits.ts';
import type { WireEnd } from './outcome.ts';

export interface ErrorCode {
  readonly code: `RBT_${string}`;
  /** HTTP status of the answer made by rubato. */
  readonly status: number;
  /** Whose fault it is, as far as the sidecar can tell. */
  readonly blame: 'client' | 'engine' | 'rubato' | 'operator';
  readonly message: string;
  /** Value of `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** By the way the exchange ended; ends that never make an answer of ours are absent. */
export const ERROR_CODES = {
  client_protocol: {
    code: 'RBT_BAD_REQUEST',
    status: 400,
    blame: 'client',
    message: 'The request is not valid HTTP/1.1, so it was not forwarded.',
  },
  connect_error: {
    code: 'RBT_UPSTREAM_CONNECT',
    status: 502,
    blame: 'engine',
    message: 'No connection to the upstream could be made.',
  },
  upstream_closed_before_head: {
    code: 'RBT_UPSTREAM_CLOSED',
    status: 502,
    blame: 'engine',
    message: 'The upstream closed the connection before it sent a response head.',
  },
  upstream_reset_reused: {
    code: 'RBT_UPSTREAM_RESET_REUSED',
    status: 502,
    blame: 'engine',
    message:
      'The upstream closed a kept-alive connection as the request arrived on it. The request was not sent again.',
  },
  upstream_bad_response: {
    code: 'RBT_UPSTREAM_BAD_RESPONSE',
    status: 502,
    blame: 'engine',
    message: 'The upstream sent something that is not a valid HTTP/1.1 response.',
  },
  upload_stalled: {
    code: 'RBT_UPLOAD_STALLED',
    status: 504,
    blame: 'engine',
    message: 'The upstream took no more of the request for as long as is configured.',
  },
  timeout_connect: {
    code: 'RBT_TIMEOUT_CONNECT',
    status: 504,
    blame: 'engine',
    message: 'The configured limit for connecting to the upstream was reached.',
  },
  timeout_head: {
    code: 'RBT_TIMEOUT_HEAD',
    status: 504,
    blame: 'engine',
    message: 'The configured limit for the response head was reached.',
  },
  shed: {
    code: 'RBT_SHED',
    status: 503,
    blame: 'operator',
    message:
      'This rubato has no room for more now: streams, connections, memory, descriptors or the places of this class are ' +
      'at their limit.',
    retryAfterSeconds: SHED_RETRY_AFTER_SECONDS,
  },
  shutdown: {
    code: 'RBT_SHUTDOWN',
    status: 503,
    blame: 'operator',
    message: 'This rubato is shutting down and takes no new requests.',
  },
  internal_error: {
    code: 'RBT_INTERNAL',
    status: 502,
    blame: 'rubato',
    message: 'rubato failed to handle this request. Please report it.',
  },
} as const satisfies Partial<Record<WireEnd, ErrorCode>>;

/** Refusals that have no end of their own in the list above: the exchange ends as `client_protocol`. */
export const NO_ROUTE: ErrorCode = {
  code: 'RBT_NO_ROUTE',
  status: 404,
  blame: 'operator',
  message: 'No configured route matches this request.',
};
export const METHOD_REFUSED: ErrorCode = {
  code: 'RBT_METHOD_REFUSED',
  status: 405,
  blame: 'client',
  message: 'CONNECT and TRACE are not forwarded.',
};
export const HEAD_TOO_LARGE: ErrorCode = {
  code: 'RBT_HEAD_TOO_LARGE',
  status: 431,
  blame: 'client',
  message: 'The head of the request is larger than any request needs, so it was not forwarded.',
};
export const SLOW_REQUEST: ErrorCode = {
  code: 'RBT_SLOW_REQUEST',
  status: 408,
  blame: 'client',
  message: 'The request came too slowly, or not at all.',
};
export const EDGE_LOOP: ErrorCode = {
  code: 'RBT_EDGE_LOOP',
  status: 508,
  blame: 'operator',
  message: 'This request came back to the edge that sent it. The upstream of the gateway must be --listen, not --edge.',
};
export const REFUSALS: readonly ErrorCode[] = [NO_ROUTE, METHOD_REFUSED, HEAD_TOO_LARGE, SLOW_REQUEST, EDGE_LOOP];

/** What a client is told of an end; `reason` may name one of the refusals. */
export function answerFor(wireEnd: WireEnd, reason: string): ErrorCode {
  const refusal = REFUSALS.find(({ code }) => code === reason);
  if (refusal !== undefined) return refusal;
  return wireEnd in ERROR_CODES ? ERROR_CODES[wireEnd as keyof typeof ERROR_CODES] : ERROR_CODES.internal_error;
}
