// TTFT per 1,000 uncached prompt tokens, in ns: what makes prompts of different lengths comparable, as
// prefill follows the tokens that no cache holds. Short prompts are left out: there the fixed part of
// TTFT is most of it, and the quotient says nothing about prefill.
import { type MetricSpec, WAIT_BOUNDS_S } from '../base/metric-spec.ts';
import type { TokenFacts } from '../record/stream-record.ts';

const LEAST_TOKENS = 256;
const TOKENS_PER_1K = 1000;

/** Absent unless the engine stated both the prompt and how much of it was cached. */
export function ttftPer1kNs(ttftNs: number | undefined, { prompt, cached }: TokenFacts): number | undefined {
  if (ttftNs === undefined || prompt === undefined || cached === undefined) return undefined;
  const uncached = prompt - cached;
  return uncached < LEAST_TOKENS ? undefined : Math.round((ttftNs * TOKENS_PER_1K) / uncached);
}

export const TTFT_PER_1K: MetricSpec = {
  name: 'rubato.ttft.per_1k_uncached_tokens',
  type: 'histogram',
  unit: 's',
  help:
    'Time to first token (from the request head received to the first token handed to the kernel for the client) per ' +
    '1,000 prompt tokens that no cache held; only where the engine states both counts and at least 256 are left.',
  labels: ['prompt_bucket'],
  classed: true,
  bounds: WAIT_BOUNDS_S,
};
