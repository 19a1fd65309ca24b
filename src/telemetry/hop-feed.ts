// The sink that counts what two sights of an exchange say of the hop between them. Decides nothing.
import { HOP_EXCHANGES, HOP_HOLD, HOP_UNPAIRED } from '../judge/hop/metrics.ts';
import type { Sink } from '../judge/report.ts';
import type { MetricStore } from './store.ts';

export function createHopFeed(store: MetricStore): Sink {
  return {
    name: 'hop metrics',
    onReport({ record, hop: verdict, unpaired, labels }, exemplar) {
      if (unpaired !== undefined) store.counter(HOP_UNPAIRED, { hop: unpaired.hop, reason: unpaired.reason }).add(1);
      const hop = record.hop?.name;
      if (hop === undefined) return;
      store.counter(HOP_EXCHANGES, { hop, verdict: verdict?.word ?? 'none' }).add(1);
      if (verdict?.holdMaxNs === undefined) return;
      const series = { class: labels.class, model: labels.model, hop };
      store.histogram(HOP_HOLD, series).record(verdict.holdMaxNs, exemplar);
    },
  };
}
