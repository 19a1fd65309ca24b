// The latest first tokens on each route, to tell whose prompts may have been computed at the same time.
import { FIRST_TOKENS_MAX_COUNT } from '../base/limits.ts';

export interface FirstToken {
  /** The exchange's. */
  readonly id: string;
  /** The request had been given to the upstream's socket; the first token was received. On one clock. */
  readonly sentAtNs: number;
  readonly tokenAtNs: number;
}

interface Kept extends FirstToken {
  /** Absent while it goes on. */
  endedAtNs?: number;
}

export class FirstTokens {
  /** Oldest first. */
  readonly #byRoute = new Map<string, Kept[]>();

  add(route: string, token: FirstToken): void {
    const tokens = this.#byRoute.get(route) ?? [];
    this.#byRoute.set(route, tokens);
    tokens.push({ ...token });
    if (tokens.length > FIRST_TOKENS_MAX_COUNT) tokens.shift();
  }

  /** The exchange is over. */
  end(route: string, id: string, endedAtNs: number): void {
    const token = this.#byRoute.get(route)?.findLast((each) => each.id === id);
    if (token !== undefined) token.endedAtNs = endedAtNs;
  }

  /** Exchanges that ended at this moment or later. */
  endedSince(route: string, atNs: number): number {
    const tokens = this.#byRoute.get(route) ?? [];
    return tokens.filter(({ endedAtNs }) => endedAtNs !== undefined && endedAtNs >= atNs).length;
  }

  /**
   * First tokens of others that were under way at some time between this one's sending and its own first
   * token and had none of theirs before: when they came, in ns after its own.
   */
  othersOf(route: string, { id, sentAtNs, tokenAtNs }: FirstToken): number[] {
    const tokens = this.#byRoute.get(route) ?? [];
    return tokens
      .filter((other) => other.id !== id && other.sentAtNs < tokenAtNs && other.tokenAtNs > sentAtNs)
      .map((other) => other.tokenAtNs - tokenAtNs);
  }
}
