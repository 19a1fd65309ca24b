// When a kept connection to one upstream may be used again. Three things speak against doing so at once.
// Engines exist that promise to keep a connection and close it behind each streamed answer (llama.cpp's server,
// build 11434): the next request then meets a connection that ends, and fails though nothing was wrong. Bytes
// that no request asked for (a forged or a doubled answer) would be taken for the answer to the next request.
// And what reaches the wrong client is worse than what confuses a client with itself. Knows moments, no sockets.
import { UPSTREAM_DISTRUST_MS, UPSTREAM_REST_MS } from '../base/limits.ts';

const REST_NS = UPSTREAM_REST_MS * 1e6;
const DISTRUST_NS = UPSTREAM_DISTRUST_MS * 1e6;

export class ReuseTrust {
  /** Undefined: nothing is known yet. */
  #keepsWord: boolean | undefined;
  #distrustedUntilNs = -Infinity;

  /** The upstream has closed no connection right behind an answer, or has answered twice on one since. */
  get keepsWord(): boolean {
    return this.#keepsWord ?? true;
  }

  /** May connections be kept at all? Not for a while after one had bytes on it that no request asked for. */
  keeps(atNs: number): boolean {
    return atNs >= this.#distrustedUntilNs;
  }

  /** May a connection given back at this moment carry a request of another client? Its end would have been heard of. */
  hasRested(releasedAtNs: number, atNs: number): boolean {
    return atNs - releasedAtNs >= REST_NS;
  }

  /** A connection that was used again carried its answer to the end. */
  kept(): void {
    this.#keepsWord = true;
  }

  /** The upstream is of a kind that is known to close in spite of its promise. What it showed itself counts more. */
  doubt(): void {
    this.#keepsWord ??= false;
  }

  /** The upstream ended a connection that it had promised to keep. After a rest that is its good right. */
  ended(releasedAtNs: number, atNs: number): void {
    if (!this.hasRested(releasedAtNs, atNs)) this.#keepsWord = false;
  }

  /** Bytes came that no request asked for. */
  surplus(atNs: number): void {
    this.#distrustedUntilNs = atNs + DISTRUST_NS;
  }
}
