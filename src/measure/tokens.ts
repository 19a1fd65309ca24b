// Tokens as the engine stated them, and the rate at which they came. What was not stated is absent:
// an unknown count is not a count of 0.
import type { MetricSpec } from '../base/metric-spec.ts';
import type { TokenFacts } from '../record/stream-record.ts';

const NS_PER_SECOND = 1e9;

export const TOKEN_KINDS = ['prompt', 'cached', 'output', 'reasoning'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** The stated counts, as rubato.tokens shows them. */
export function tokenCounts(tokens: TokenFacts): { readonly kind: TokenKind; readonly count: number }[] {
  return TOKEN_KINDS.flatMap((kind) => {
    const count = tokens[kind];
    return count === undefined ? [] : [{ kind, count }];
  });
}

/** Output tokens over the time from the request head received to the last token received. */
export function outputTokensPerSecond(tokens: TokenFacts, lastTokenAtNs: number | undefined): number | undefined {
  if (tokens.output === undefined || lastTokenAtNs === undefined || lastTokenAtNs <= 0) return undefined;
  return (tokens.output * NS_PER_SECOND) / lastTokenAtNs;
}

export const TOKENS: MetricSpec = {
  name: 'rubato.tokens',
  type: 'counter',
  unit: '{token}',
  help: 'Tokens by kind, as the engine stated them; cached ones are part of prompt, reasoning ones part of output.',
  labels: ['kind'],
  classed: true,
  startAtZero: { kind: TOKEN_KINDS },
};
