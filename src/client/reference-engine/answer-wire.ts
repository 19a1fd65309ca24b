// Gives the head, the pieces and the end of one answer to the client's socket, each at once, and
// writes down when. Knows no content and decides no moment.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { nowNs } from '../../base/clock.ts';
import { OnceEnd } from '../../base/once-end.ts';
import type { RequestTruth, TruthEnd } from './truth.ts';

export class AnswerWire {
  readonly truth: RequestTruth;
  readonly #response: ServerResponse;
  readonly #end: OnceEnd<TruthEnd>;

  /** `onEnd` is called exactly once, also when the client leaves first. */
  constructor(response: ServerResponse, truth: RequestTruth, onEnd: (end: TruthEnd) => void) {
    this.truth = truth;
    this.#response = response;
    this.#end = new OnceEnd((end) => {
      truth.end = end;
      truth.endAtNs = nowNs();
      onEnd(end);
    });
    // A connection that closes after a clean end is only an echo of it.
    response.on('close', () => this.#end.end('aborted'));
    // The client may have left while its request was still being read.
    if (response.destroyed) this.#end.end('aborted');
  }

  get ended(): boolean {
    return this.#end.ended;
  }

  head(status: number, headers: OutgoingHttpHeaders): void {
    if (this.ended || this.#response.headersSent) return;
    this.truth.headAtNs = nowNs();
    this.#response.writeHead(status, { ...headers, 'x-request-id': this.truth.requestId });
    this.#response.flushHeaders();
  }

  /** Writes now what was due then. The stamp is taken before, so no client can have read earlier. */
  write(bytes: string | Uint8Array, dueAtNs: number): void {
    if (this.ended) return;
    const { writes } = this.truth;
    writes.dueAtNs.push(dueAtNs);
    writes.bytes.push(typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.byteLength);
    writes.writtenAtNs.push(nowNs());
    this.#response.write(bytes);
    // Node keeps a response's bytes corked until the tick ends; with many streams in one step the
    // first would wait for the last. Uncorking by hand gives them to the kernel now.
    this.#response.socket?.uncork();
  }

  /** An answer in one piece, with its length stated. */
  whole(status: number, headers: OutgoingHttpHeaders, body: string, end: TruthEnd): void {
    if (this.ended) return;
    this.truth.headAtNs ??= nowNs();
    const length = Buffer.byteLength(body);
    const fields = { ...headers, 'content-length': length, 'x-request-id': this.truth.requestId };
    this.#response.writeHead(status, fields);
    this.#response.end(body);
    this.#end.end(end);
  }

  finish(): void {
    if (this.ended) return;
    this.#response.end();
    this.#end.end('complete');
  }

  /** Destroys the connection in the middle of the body. */
  cut(): void {
    if (this.ended) return;
    this.#end.end('cut');
    this.#response.destroy();
  }
}
