// How fast clients send bodies whose length they stated. One that sends next to nothing holds an engine's slot
// for as long as it likes. Time in which we, the engine or `Expect` keep the client waiting does not count,
// and neither does a body in chunks, which may be made while it is sent. Knows requests, no exchanges.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { UPLOAD_RATE_LOOKS_COUNT } from '../base/client-limits.ts';
import { fieldValue } from '../base/fields.ts';

/** What is looked at of a request. */
export interface Sending {
  readonly req: Pick<IncomingMessage, 'complete' | 'rawHeaders' | 'isPaused' | 'socket'>;
  readonly res: Pick<ServerResponse, 'headersSent'>;
  /** It stands in the admission queue: until its turn nobody reads more of it than fits into buffers. */
  readonly isWaiting: boolean;
}

interface Window {
  fromBytes: number;
  lookCount: number;
}

export class UploadRate {
  readonly #windows = new WeakMap<object, Window>();

  /** To be asked once a second. True when the client was too slow, on average, over the last looks in a row. */
  isTooSlow(sending: Sending, minBytesPerSecond: number): boolean {
    const { req } = sending;
    const { bytesRead } = req.socket;
    const window = this.#windows.get(req);
    if (window === undefined || !waitsForClient(sending) || awaitsGoAhead(req, bytesRead - window.fromBytes)) {
      this.#windows.set(req, { fromBytes: bytesRead, lookCount: 0 });
      return false;
    }
    window.lookCount += 1;
    if (window.lookCount < UPLOAD_RATE_LOOKS_COUNT) return false;
    const isTooSlow = bytesRead - window.fromBytes < minBytesPerSecond * UPLOAD_RATE_LOOKS_COUNT;
    this.#windows.set(req, { fromBytes: bytesRead, lookCount: 0 });
    return isTooSlow;
  }
}

function waitsForClient({ req, res, isWaiting }: Sending): boolean {
  // An engine that has begun to answer may be in a conversation.
  if (isWaiting || req.complete || req.isPaused() || res.headersSent) return false;
  return fieldValue(req.rawHeaders, 'content-length') !== undefined;
}

/** The client was told by itself to wait for the engine's `100`, and has not begun since the last look. */
function awaitsGoAhead(req: Sending['req'], receivedBytes: number): boolean {
  return receivedBytes === 0 && fieldValue(req.rawHeaders, 'expect') !== undefined;
}
