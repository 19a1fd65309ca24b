// What an exchange says of an earlier try of the same request, as plain data. A retry asks for nothing new, so it is
// never counted as demand again. Neither keys nor bodies stand here, only which exchange it was and how one knows.

/** How a retry was recognised, the surest sign first. */
export const RETRY_SIGNS = [
  'idempotency_key', // the same key as a try before it, whatever came of that one
  'body', // the same method, path, credentials and body as a try before it that failed
  'stated', // its client says so, and no try before it is known here
] as const;
export type RetrySign = (typeof RETRY_SIGNS)[number];

export interface RetryFacts {
  readonly sign: RetrySign;
  /** Which try of its request this is: 2 for the first retry. At least so many, where tries were not seen here. */
  readonly attempt: number;
  /** The exchange that was tried before it; absent when `stated`. */
  readonly of?: string;
  /** A try before it had its whole answer; its client may not have got it. */
  readonly wasAnswered?: true;
  /** The exchange that was tried first; absent when `stated`. */
  readonly first?: string;
  /** The first try was opened → this one was. */
  readonly sinceFirstNs?: number;
}
