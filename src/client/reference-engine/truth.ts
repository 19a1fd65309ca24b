// What the engine really did, request by request, for whoever wants to know how well a measurement
// of it agrees. All moments from this process's one monotonic clock (base/clock.ts).
import { REFERENCE_TRUTH_MAX_COUNT } from '../../base/limits.ts';
import type { GapParts } from './gap-parts.ts';

export type TruthEnd = 'complete' | 'aborted' | 'refused' | 'cut';

export interface RequestTruth {
  readonly requestId: string;
  readonly kind: 'modelled' | 'script';
  /** The request's head was received. */
  readonly arrivedAtNs: number;
  /** Its body was whole and the engine began to wait for a slot. */
  submittedAtNs?: number;
  /** The first step that had a piece of its prompt began: the queue ended, the prefill began. */
  prefillAtNs?: number;
  /** When each position was computed, by the scheduler's own clock; the first is the end of the prefill. */
  readonly tokenAtNs: number[];
  /** What lay before each token but the first, mechanic by mechanic; tokens of one step share an entry. */
  readonly gaps: GapParts[];
  /** When it was thrown out of its slot; absent when it never was. */
  preemptedAtNs?: number[];
  /** The head was given to the socket. */
  headAtNs?: number;
  /** Each write: when it was due, and the stamp taken right before the socket got the bytes. */
  readonly writes: { readonly dueAtNs: number[]; readonly writtenAtNs: number[]; readonly bytes: number[] };
  promptTokens?: number;
  /** Of these, tokens found in the prefix cache; absent without such a cache. */
  cachedTokens?: number;
  /** Tokens planned, all choices together. */
  outputTokens?: number;
  end?: TruthEnd;
  endAtNs?: number;
}

/** The truths of the latest requests, by id. An id that comes again replaces the older one. */
export class TruthLog {
  readonly #byId = new Map<string, RequestTruth>();
  /** Truths that made room for newer ones. */
  droppedCount = 0;

  open(requestId: string, kind: RequestTruth['kind'], arrivedAtNs: number): RequestTruth {
    const truth: RequestTruth = {
      requestId,
      kind,
      arrivedAtNs,
      tokenAtNs: [],
      gaps: [],
      writes: { dueAtNs: [], writtenAtNs: [], bytes: [] },
    };
    this.#byId.delete(requestId);
    this.#byId.set(requestId, truth);
    if (this.#byId.size > REFERENCE_TRUTH_MAX_COUNT) {
      const [oldest] = this.#byId.keys();
      if (oldest !== undefined) this.#byId.delete(oldest);
      this.droppedCount += 1;
    }
    return truth;
  }

  get(requestId: string): RequestTruth | undefined {
    return this.#byId.get(requestId);
  }

  all(): RequestTruth[] {
    return [...this.#byId.values()];
  }
}
