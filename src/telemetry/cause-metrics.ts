// The share of steps that carry prefill, read at each collection from who estimates it.
import { PREFILL_STEP_RATIO } from '../judge/causes/metrics.ts';
import type { MetricStore } from './store.ts';

export interface CauseSources {
  /** By route; routes of which nothing can be said are left out. */
  prefillStepRatios(): readonly { readonly route: string; readonly ratio: number }[];
}

const MILLIONTHS = 1e6;

export function observeCauses(store: MetricStore, sources: CauseSources): void {
  store.observe(PREFILL_STEP_RATIO, () =>
    sources
      .prefillStepRatios()
      .map(({ route, ratio }) => ({ labels: { route }, value: Math.round(ratio * MILLIONTHS) })),
  );
}
