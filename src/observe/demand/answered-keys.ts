// Requests with an idempotency key that were answered. Whoever sends the key again says that it is the same request:
// what it asks for is nothing new. Pure but for what it remembers; bounded in time and number.
import { ANSWERED_KEYS_MAX_COUNT, RETRY_BY_KEY_MAX_MS } from '../../base/demand-limits.ts';

/** A try that has ended, as a later one of the same request needs to know it. */
export interface Before {
  readonly id: string;
  readonly endedAtNs: number;
  readonly first: { readonly id: string; readonly openedAtNs: number };
  readonly attempt: number;
  /** It had its whole answer, or a try before it had. */
  readonly wasAnswered: boolean;
}

const MEMORY_NS = RETRY_BY_KEY_MAX_MS * 1e6;

export class AnsweredKeys {
  /** By the hash of the key, the latest answer last. */
  readonly #answered = new Map<string, Before>();
  readonly #maxCount: number;

  constructor(maxCount = ANSWERED_KEYS_MAX_COUNT) {
    this.#maxCount = maxCount;
  }

  add(keyPrint: string | undefined, answered: Before): void {
    if (keyPrint === undefined) return;
    this.#answered.delete(keyPrint);
    this.#answered.set(keyPrint, answered);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > this.#maxCount && oldest !== undefined) this.#answered.delete(oldest);
  }

  /** What was answered under this key before this moment, and not too long before. */
  find(keyPrint: string | undefined, openedAtNs: number): Before | undefined {
    const answered = keyPrint === undefined ? undefined : this.#answered.get(keyPrint);
    if (answered === undefined) return undefined;
    const agoNs = openedAtNs - answered.endedAtNs;
    return agoNs >= 0 && agoNs <= MEMORY_NS ? answered : undefined;
  }
}
