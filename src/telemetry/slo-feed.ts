// The sink that counts verdicts of objectives and goodput. Decides nothing: what was kept was judged before.
// Series of configured objectives are there at 0 from the start, or an alert on them would never fire.
import {
  DEMAND_EXCHANGES,
  DEMAND_GAP_MAX,
  DEMAND_TOKENS,
  DEMAND_TTFT,
  GOOD_EXCHANGES,
  GOOD_TOKENS,
  GOOD_UNKNOWN,
  SLO_EXCHANGES,
  SLO_GAPS,
} from '../judge/slo/metrics.ts';
import { MET_WORDS, type GapTally, type SloVerdict } from '../judge/slo/verdict.ts';
import type { ExemplarRef, Report, Sink } from '../judge/report.ts';
import type { ClassSpec } from '../record/traffic-class.ts';
import { OTHER, type Labels, type MetricStore } from './store.ts';

export interface SloFeed extends Sink {
  /** These classes have these objectives from now on. */
  know(classes: readonly ClassSpec[]): void;
}

export function createSloFeed(store: MetricStore, classes: readonly ClassSpec[]): SloFeed {
  const know: SloFeed['know'] = (known) => {
    for (const { name, objectives = [] } of known) {
      for (const { name: objective, kind } of objectives) {
        const spec = kind === 'gap_pooled' ? SLO_GAPS : SLO_EXCHANGES;
        for (const met of MET_WORDS) store.counter(spec, { class: name, model: OTHER, objective, met });
      }
    }
  };
  know(classes);
  return {
    name: 'objectives',
    know,
    onReport(report, exemplar) {
      const { slo, labels } = report;
      if (slo === undefined) return;
      const series = { class: labels.class, model: labels.model };
      countObjectives(store, slo, series);
      countGoodput(store, slo, { tokens: report.record.tokens.output, series });
      countDemand(store, report, exemplar);
    },
  };
}

function countObjectives(store: MetricStore, { objectives }: SloVerdict, series: Labels): void {
  for (const { name: objective, met, gaps } of objectives) {
    if (gaps === undefined) store.counter(SLO_EXCHANGES, { ...series, objective, met }).add(1);
    else countGaps(store, gaps, { ...series, objective });
  }
}

function countGaps(store: MetricStore, { within, beyond, unknown }: GapTally, series: Labels): void {
  store.counter(SLO_GAPS, { ...series, met: 'true' }).add(within);
  store.counter(SLO_GAPS, { ...series, met: 'false' }).add(beyond);
  store.counter(SLO_GAPS, { ...series, met: 'unknown' }).add(unknown);
}

interface Goods {
  /** Output tokens as the engine stated them. */
  readonly tokens: number | undefined;
  readonly series: Labels;
}

function countGoodput(store: MetricStore, { good }: SloVerdict, { tokens = 0, series }: Goods): void {
  if (good === undefined) return;
  store.counter(DEMAND_EXCHANGES, series).add(1);
  store.counter(DEMAND_TOKENS, series).add(tokens);
  if (good === 'unknown') store.counter(GOOD_UNKNOWN, series).add(1);
  if (good !== 'true') return;
  store.counter(GOOD_EXCHANGES, series).add(1);
  store.counter(GOOD_TOKENS, series).add(tokens);
}

/** Series that are not of survivors only. */
function countDemand(store: MetricStore, report: Report, exemplar: ExemplarRef | undefined): void {
  const { figures, slo, labels } = report;
  const series = { class: labels.class, model: labels.model };
  const { ttftNs, gapsReceived } = figures;
  const bucketed = { ...series, prompt_bucket: labels.promptBucket };
  if (ttftNs !== undefined) store.histogram(DEMAND_TTFT, bucketed).record(ttftNs, exemplar);
  else if (slo?.never === 'first_token') store.histogram(DEMAND_TTFT, bucketed).recordNever();
  if (slo?.never !== undefined) store.histogram(DEMAND_GAP_MAX, series).recordNever();
  else if (gapsReceived.maxNs !== undefined)
    store.histogram(DEMAND_GAP_MAX, series).record(gapsReceived.maxNs, exemplar);
}
