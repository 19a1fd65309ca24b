// Whether connections to one upstream may be used again at once. Engines exist that promise to keep a
// connection and close it behind each streamed answer (llama.cpp's server, build 11434): the next request
// then meets a connection that ends, cannot be sent twice, and fails though nothing was wrong. So an
// upstream has to show that it means it. Until then a connection first rests for so long that its end
// would have been heard of. Knows moments, no sockets.
import { UPSTREAM_REST_MS } from '../base/limits.ts';

const REST_NS = UPSTREAM_REST_MS * 1e6;

export class ReuseTrust {
  #shown = false;

  /** The upstream has answered twice on one connection, and closed none behind an answer since. */
  get shown(): boolean {
    return this.#shown;
  }

  /** May a connection that was given back at this moment carry a request now? */
  allows(releasedAtNs: number, atNs: number): boolean {
    return this.#shown || atNs - releasedAtNs >= REST_NS;
  }

  /** A connection that was used again carried its answer to the end. */
  kept(): void {
    this.#shown = true;
  }

  /** The upstream ended a connection that it had promised to keep. After a rest that is its good right. */
  ended(releasedAtNs: number, atNs: number): void {
    if (atNs - releasedAtNs < REST_NS) this.#shown = false;
  }
}
