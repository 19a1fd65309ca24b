// The latest first tokens on each route, to tell whose prompts may have been computed at the same time.
import { FIRST_TOKENS_MAX_COUNT } from '../base/limits.ts';
import type { Neighbour } from '../evidence/calibration.ts';

export interface FirstToken {
  /** The exchange's. */
  readonly id: string;
  /** The request had been given to the upstream's socket; the first token was received. On one clock. */
  readonly sentAtNs: number;
  readonly tokenAtNs: number;
  /** Prompt tokens, as far as they were known then. */
  readonly tokens: number | undefined;
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

  /** Others that were without a first token at some time between this one's sending and its own first token. */
  neighboursOf(route: string, { id, sentAtNs, tokenAtNs }: Omit<FirstToken, 'tokens'>): Neighbour[] {
    const tokens = this.#byRoute.get(route) ?? [];
    return tokens
      .filter((other) => other.id !== id && other.sentAtNs < tokenAtNs && other.tokenAtNs > sentAtNs)
      .map((other) => ({ tokenAfterNs: other.tokenAtNs - tokenAtNs, tokens: other.tokens }));
  }
}
