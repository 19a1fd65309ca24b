// What an engine's own page of aggregates is told of an answer at each of its stages.
import type { Observed } from './metrics-page.ts';
import type { RequestTruth } from './truth.ts';

/** The answer as far as it has come; lengths that have not ended are 0, and no row reads them yet. */
export function observedOf(truth: RequestTruth): Observed {
  const { arrivedAtNs, submittedAtNs, prefillAtNs, tokenAtNs, promptTokens = 0, cachedTokens = 0 } = truth;
  const from = prefillAtNs ?? arrivedAtNs;
  // A job that starts in the moment in which it is submitted is told of before that moment is noted.
  const submitted = submittedAtNs ?? from;
  const [first = from] = tokenAtNs;
  const last = tokenAtNs.at(-1) ?? first;
  return {
    frontNs: submitted - arrivedAtNs,
    queueNs: from - submitted,
    prefillNs: first - from,
    generationNs: last - first,
    totalNs: last - arrivedAtNs,
    tokenCount: tokenAtNs.length,
    promptTokens,
    cachedTokens,
    outputTokens: truth.outputTokens ?? 0,
    gapNs: last - (tokenAtNs.at(-2) ?? last),
  };
}
