// Notices a request that comes back to the edge that sent it: a gateway whose upstream is the edge, where it
// should be the main listener, would go round until every place is taken. Known by the span that went to the
// hop, so only where rubato takes part in traces. Knows nothing of exchanges.
import type { TraceIds } from '../tape/entries.ts';

export class LoopWatch {
  /** By the span that went out: the listener it went from. Of exchanges that are open, at edges only. */
  readonly #listeners = new Map<string, number>();

  /** The caller of this request is an exchange of the same edge. Several edges in a row are no loop. */
  isBack(listener: number, ids: TraceIds | undefined): boolean {
    return listener > 0 && ids?.parentSpanId !== undefined && this.#listeners.get(ids.parentSpanId) === listener;
  }

  /** Gives what is to be forgotten at the end of the exchange; undefined where there is nothing. */
  note(listener: number, ids: TraceIds | undefined): string | undefined {
    if (listener === 0 || ids === undefined) return undefined;
    this.#listeners.set(ids.clientSpanId, listener);
    return ids.clientSpanId;
  }

  forget(spanId: string | undefined): void {
    if (spanId !== undefined) this.#listeners.delete(spanId);
  }
}
