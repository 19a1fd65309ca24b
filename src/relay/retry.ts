// When a request may be sent a second time. A kept connection can end at the very moment in which it is
// used again (RFC 9112 §9.3.1), and then nobody knows whether the engine has begun to work. So only
// requests that mean to change nothing are sent again, once, and never when a byte of an answer came.

/** Methods whose repetition costs an engine nothing: safe ones (RFC 9110 §9.2.1) that engines know. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface Attempt {
  readonly method: string;
  readonly hasBody: boolean;
  /** The connection carried an exchange before. */
  readonly reused: boolean;
  /** A byte came back on it. */
  readonly answered: boolean;
  /** This is the second attempt already. */
  readonly retried: boolean;
}

export function mayRetry({ method, hasBody, reused, answered, retried }: Attempt): boolean {
  return reused && !answered && !retried && !hasBody && REPEATABLE.has(method);
}
