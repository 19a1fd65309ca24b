// The end of an exchange whose relay has died: nobody tells it, so it is made of what came before. Pure but for
// the clock.
import { nowNs } from '../base/clock.ts';
import type { EndEntry } from '../tape/entries.ts';
import type { ObservedExchange } from './observed-exchange.ts';

/** It was cut, at the moment at which we know. */
export function endOfRelayDied({ opening, chunks, asked }: ObservedExchange): EndEntry {
  return {
    exchange: opening.exchange,
    atNs: nowNs(),
    wireEnd: 'internal_error',
    reason: 'relay died',
    answeredByUs: false,
    chunkCount: chunks.totalCount,
    receivedBytes: chunks.totalBytes,
    deliveredBytes: chunks.flushedBytes,
    requestBytes: asked.byteCount,
  };
}
