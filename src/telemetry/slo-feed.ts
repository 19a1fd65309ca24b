// The sink that counts verdicts of objectives and goodput. Decides nothing: what was kept was judged before.
// Series of configured objectives are there at 0 from the start, or an alert on them would never fire.
import { OBJECTIVES_BY_MODEL_MAX_COUNT } from '../base/objective-limits.ts';
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
import { LABELS_FOLDED, OTHER, type Labels, type MetricStore } from './store.ts';

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
  const placeOf = createPlaces(store);
  return {
    name: 'objectives',
    know,
    onReport(report, exemplar) {
      const { slo, labels } = report;
      if (slo === undefined) return;
      const series = { class: labels.class, model: labels.model };
      countObjectives(store, slo, (objective) => placeOf(series, objective));
      countGoodput(store, slo, { tokens: report.record.tokens.output, series });
      countDemand(store, report, exemplar);
    },
  };
}

type Series = Readonly<Record<'class' | 'model', string>>;

/** The labels under which an objective is counted: beyond a cap the model is left out, never class or objective. */
function createPlaces(store: MetricStore): (series: Series, objective: string) => Labels {
  const own = new Set<string>();
  return (series, objective) => {
    if (series.model === OTHER) return { ...series, objective };
    const key = `${series.class}\n${series.model}\n${objective}`;
    if (own.has(key) || own.size < OBJECTIVES_BY_MODEL_MAX_COUNT) {
      own.add(key);
      return { ...series, objective };
    }
    store.counter(LABELS_FOLDED, { label: 'model' }).add(1);
    return { ...series, model: OTHER, objective };
  };
}

function countObjectives(store: MetricStore, { objectives }: SloVerdict, placeOf: (objective: string) => Labels): void {
  for (const { name, met, gaps } of objectives) {
    if (gaps === undefined) store.counter(SLO_EXCHANGES, { ...placeOf(name), met }).add(1);
    else countGaps(store, gaps, placeOf(name));
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
