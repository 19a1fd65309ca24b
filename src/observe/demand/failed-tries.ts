// Requests that failed, remembered for the retry to come. A retry has the same idempotency key or the same body as
// a try that had failed before the retry was opened. What runs at the same time, or has the same body as a success,
// asks for something new: many want several answers to one prompt. Each failed try has one retry at most. A key that
// was answered is known too. Pure but for what it remembers; bounded in time and number.
import { FAILED_TRIES_MAX_COUNT, RETRY_BY_BODY_MAX_MS, RETRY_BY_KEY_MAX_MS } from '../../base/demand-limits.ts';
import type { RetryFacts } from '../../record/retry-facts.ts';
import { AnsweredKeys, type Before } from './answered-keys.ts';

/** An exchange that ended, as far as it matters here. Moments on the clock that all threads share. */
export interface EndedTry {
  readonly id: string;
  readonly openedAtNs: number;
  readonly endedAtNs: number;
  /** It brought no whole answer: failed, refused, timed out or left by its client. */
  readonly failed: boolean;
  readonly keyPrint?: string;
  readonly bodyPrint?: string;
  /** Tries before this one, as the client says. */
  readonly statedRetries?: number;
}

/** A try that failed and was not tried again yet. */
interface Failed extends Before {
  readonly prints: readonly string[];
}

interface Found {
  readonly sign: 'idempotency_key' | 'body';
  readonly before: Before;
  readonly failed?: Failed;
}

const NS_PER_MS = 1e6;

export class FailedTries {
  /** In the order in which they ended. */
  readonly #tries = new Set<Failed>();
  readonly #byPrint = new Map<string, Failed[]>();
  readonly #answered = new AnsweredKeys();
  readonly #maxCount: number;
  /** Tries forgotten before their time, because too many failed. */
  forgottenCount = 0;

  constructor(maxCount = FAILED_TRIES_MAX_COUNT) {
    this.#maxCount = maxCount;
  }

  get size(): number {
    return this.#tries.size;
  }

  /** Takes an exchange that has ended, each once; tells what it was a retry of. */
  ended(tried: EndedTry): RetryFacts | undefined {
    const { statedRetries: stated = 0 } = tried;
    const found = this.#find(tried);
    if (found?.failed !== undefined) this.#forget(found.failed);
    const attempt = Math.max((found?.before.attempt ?? 0) + 1, stated + 1);
    const first = found?.before.first ?? { id: tried.id, openedAtNs: tried.openedAtNs };
    const { id, endedAtNs } = tried;
    const wasAnswered = found?.before.wasAnswered ?? false;
    if (tried.failed) this.#remember(tried, { first, attempt, wasAnswered });
    else this.#answered.add(tried.keyPrint, { id, endedAtNs, first, attempt, wasAnswered: true });
    if (found !== undefined) {
      const { sign, before } = found;
      const sinceFirstNs = tried.openedAtNs - first.openedAtNs;
      const retry = { sign, attempt, of: before.id, first: first.id, sinceFirstNs };
      return wasAnswered ? { ...retry, wasAnswered } : retry;
    }
    return stated > 0 ? { sign: 'stated', attempt } : undefined;
  }

  /** `failed` is absent where the try before was answered. */
  #find({ openedAtNs, keyPrint, bodyPrint }: EndedTry): Found | undefined {
    const byKey = this.#latest(keyPrint, openedAtNs, RETRY_BY_KEY_MAX_MS);
    if (byKey !== undefined) return { sign: 'idempotency_key', before: byKey, failed: byKey };
    const answered = this.#answered.find(keyPrint, openedAtNs);
    if (answered !== undefined) return { sign: 'idempotency_key', before: answered };
    const byBody = this.#latest(bodyPrint, openedAtNs, RETRY_BY_BODY_MAX_MS);
    return byBody === undefined ? undefined : { sign: 'body', before: byBody, failed: byBody };
  }

  /** The try that failed last before this moment, and not too long before. */
  #latest(print: string | undefined, openedAtNs: number, maxMs: number): Failed | undefined {
    if (print === undefined) return undefined;
    const isInTime = ({ endedAtNs }: Failed): boolean =>
      endedAtNs <= openedAtNs && openedAtNs - endedAtNs <= maxMs * NS_PER_MS;
    return this.#byPrint.get(print)?.findLast(isInTime);
  }

  #remember({ id, endedAtNs, keyPrint, bodyPrint }: EndedTry, place: Omit<Before, 'id' | 'endedAtNs'>): void {
    const prints = [keyPrint, bodyPrint].filter((print) => print !== undefined);
    if (prints.length === 0) return;
    this.#expire(endedAtNs);
    const [oldest] = this.#tries;
    if (oldest !== undefined && this.#tries.size >= this.#maxCount) {
      this.#forget(oldest);
      this.forgottenCount += 1;
    }
    const failed: Failed = { id, endedAtNs, ...place, prints };
    this.#tries.add(failed);
    for (const print of prints) {
      const same = this.#byPrint.get(print);
      if (same === undefined) this.#byPrint.set(print, [failed]);
      else same.push(failed);
    }
  }

  /** A request that lasts long may still look for a try that failed before it was opened, but not for older ones. */
  #expire(atNs: number): void {
    for (const failed of this.#tries) {
      if (atNs - failed.endedAtNs <= 2 * RETRY_BY_KEY_MAX_MS * NS_PER_MS) return;
      this.#forget(failed);
    }
  }

  #forget(failed: Failed): void {
    this.#tries.delete(failed);
    for (const print of failed.prints) {
      const left = (this.#byPrint.get(print) ?? []).filter((other) => other !== failed);
      if (left.length === 0) this.#byPrint.delete(print);
      else this.#byPrint.set(print, left);
    }
  }
}
