// The latest first tokens on each route, to tell whose prompts may have been computed at the same time.
import { FIRST_TOKENS_MAX_COUNT } from '../base/limits.ts';

export interface FirstToken {
  /** Stands for the exchange. */
  readonly request: object;
  /** The request had been given to the upstream's socket; the first token was received. On one clock. */
  readonly sentAtNs: number;
  readonly tokenAtNs: number;
}

export class FirstTokens {
  /** Oldest first. */
  readonly #byRoute = new Map<string, FirstToken[]>();

  add(route: string, token: FirstToken): void {
    const tokens = this.#byRoute.get(route) ?? [];
    this.#byRoute.set(route, tokens);
    tokens.push(token);
    if (tokens.length > FIRST_TOKENS_MAX_COUNT) tokens.shift();
  }

  /**
   * First tokens of others that were under way at some time between this one's sending and its own first
   * token and had none of theirs before: when they came, in ns after its own.
   */
  othersOf(route: string, { request, sentAtNs, tokenAtNs }: FirstToken): number[] {
    const tokens = this.#byRoute.get(route) ?? [];
    return tokens
      .filter((other) => other.request !== request && other.sentAtNs < tokenAtNs && other.tokenAtNs > sentAtNs)
      .map((other) => other.tokenAtNs - tokenAtNs);
  }
}
