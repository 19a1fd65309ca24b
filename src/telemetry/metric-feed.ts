// The sink that turns what happens into series of the store. Gaps come fifty times a second for each
// stream, so their handles are looked up by class and model and kept; what happens once an exchange
// looks its series up anew. Decides nothing: which gap is stalled or tainted was decided before.
import type { ExchangeLabels, ExemplarRef, Report, Sink } from '../judge/report.ts';
import { ADMISSION_WAIT } from '../measure/admission-wait.ts';
import { BACKPRESSURE } from '../measure/backpressure.ts';
import { DOUBTS_COUNT, doubtsOf } from '../measure/doubts.ts';
import { EVENTS_COALESCED } from '../measure/coalesced.ts';
import { EXCHANGE_DURATION, EXCHANGES } from '../measure/duration.ts';
import type { Split } from '../measure/figures.ts';
import { GAP, GAP_MAX } from '../measure/gap.ts';
import { NO_FIRST_TOKEN } from '../measure/no-first-token.ts';
import { GAPS, STALLS } from '../measure/stall.ts';
import { GAPS_TAINTED } from '../measure/taint.ts';
import { THINKING } from '../measure/thinking.ts';
import { EVENT_TOKENS, READ_TOKENS, type TokenSteps } from '../measure/token-steps.ts';
import { TOKENS, tokenCounts } from '../measure/tokens.ts';
import { TPOT } from '../measure/tpot.ts';
import { TTFT_PER_1K } from '../measure/ttft-per-1k.ts';
import { NETWORK_PART, networkParts, SPLITS, TTFT_PART, ttftParts } from '../measure/ttft-split.ts';
import { TTFO } from '../measure/ttfo.ts';
import { TTFT } from '../measure/ttft.ts';
import type { MetricSpec } from '../base/metric-spec.ts';
import { innerOnly } from './inner-only.ts';
import type { CounterHandle, HistogramHandle, Labels, MetricStore } from './store.ts';

/** Series of one class and model that are fed while a stream runs. */
interface RunningSeries {
  readonly gapReceived: HistogramHandle;
  readonly gapFlushed: HistogramHandle;
  readonly gapsStalled: CounterHandle;
  readonly gapsSmooth: CounterHandle;
  readonly coalesced: CounterHandle;
}

/** Exchanges are counted wherever they were seen, by route; all else only where it was seen before an engine. */
export function createMetricFeed(store: MetricStore): Sink {
  const streams = innerOnly(createStreamFeed(store));
  return {
    ...streams,
    onReport(report, exemplar) {
      countExchange(store, report, exemplar);
      streams.onReport?.(report, exemplar);
    },
  };
}

function createStreamFeed(store: MetricStore): Sink {
  const running = new Map<string, Map<string, RunningSeries>>();

  function runningOf({ class: className, model }: ExchangeLabels): RunningSeries {
    let models = running.get(className);
    if (models === undefined) running.set(className, (models = new Map()));
    let series = models.get(model);
    if (series === undefined) models.set(model, (series = runningSeries(store, { class: className, model })));
    return series;
  }

  return {
    name: 'metrics',
    onFirstToken(labels, ttftNs, exemplar) {
      const series = { class: labels.class, model: labels.model, prompt_bucket: labels.promptBucket };
      store.histogram(TTFT, series).record(ttftNs, exemplar);
    },
    onFirstVisibleToken(labels, ttfoNs, exemplar) {
      store.histogram(TTFO, { class: labels.class, model: labels.model }).record(ttfoNs, exemplar);
    },
    // oxlint-disable-next-line max-params -- the contract of sinks, called fifty times a second a stream
    onGap(labels, point, gapNs, stalled, exemplar) {
      const series = runningOf(labels);
      if (point === 'flushed') {
        series.gapFlushed.record(gapNs, exemplar);
        return;
      }
      series.gapReceived.record(gapNs, exemplar);
      (stalled ? series.gapsStalled : series.gapsSmooth).add(1);
    },
    onStall(labels, { cause }) {
      store.counter(STALLS, { class: labels.class, model: labels.model, cause }).add(1);
    },
    onTaintedGap(labels, cause) {
      store.counter(GAPS_TAINTED, { class: labels.class, model: labels.model, cause }).add(1);
    },
    onCoalesced(labels, count) {
      runningOf(labels).coalesced.add(count);
    },
    onReport(report, exemplar) {
      countDoubts(store, report);
      countStream(store, report, exemplar);
      countTokens(store, report);
    },
  };
}

function runningSeries(store: MetricStore, labels: Labels): RunningSeries {
  return {
    gapReceived: store.histogram(GAP, { ...labels, point: 'received' }),
    gapFlushed: store.histogram(GAP, { ...labels, point: 'flushed' }),
    gapsStalled: store.counter(GAPS, { ...labels, stalled: 'true' }),
    gapsSmooth: store.counter(GAPS, { ...labels, stalled: 'false' }),
    coalesced: store.counter(EVENTS_COALESCED, labels),
  };
}

/** What every exchange has, stream or not: that it was, and how long it took. */
function countExchange(store: MetricStore, report: Report, exemplar: ExemplarRef | undefined): void {
  const { class: className, model, route } = report.labels;
  const labels = { class: className, model, route, outcome: report.record.end.outcome };
  store.counter(EXCHANGES, labels).add(1);
  const duration = store.histogram(EXCHANGE_DURATION, { ...labels, output_bucket: report.outputBucket });
  duration.record(report.figures.durationNs, exemplar);
}

function countDoubts(store: MetricStore, { record, figures }: Report): void {
  for (const doubt of doubtsOf(record, figures.split)) store.counter(DOUBTS_COUNT, { doubt }).add(1);
}

/** What only a stream has. Each figure stands for itself: an absent one adds no sample, least of all a 0. */
function countStream(store: MetricStore, report: Report, exemplar: ExemplarRef | undefined): void {
  const { figures, record } = report;
  const labels = { class: report.labels.class, model: report.labels.model };
  const sample = (spec: MetricSpec, lengthNs: number | undefined): void => {
    if (lengthNs !== undefined) store.histogram(spec, labels).record(lengthNs, exemplar);
  };
  sample(ADMISSION_WAIT, record.marks.admittedAtNs);
  sample(GAP_MAX, figures.gapsReceived.maxNs);
  sample(TPOT, figures.tpotNs);
  sample(THINKING, figures.thinkingNs);
  if (figures.ttftPer1kNs !== undefined) {
    const bucketed = { ...labels, prompt_bucket: report.labels.promptBucket };
    store.histogram(TTFT_PER_1K, bucketed).record(figures.ttftPer1kNs, exemplar);
  }
  countTokenSteps(store, EVENT_TOKENS, labels, figures.tokenSteps?.perEvent);
  countTokenSteps(store, READ_TOKENS, labels, figures.tokenSteps?.perRead);
  if (record.answer.streamed) sample(BACKPRESSURE, figures.backpressureNs);
  if (figures.noFirstToken !== undefined) {
    store.counter(NO_FIRST_TOKEN, { ...labels, reason: figures.noFirstToken }).add(1);
  }
  if (figures.split !== undefined) countSplit(store, figures.split, labels, exemplar);
}

function countSplit(store: MetricStore, split: Split, labels: Labels, exemplar: ExemplarRef | undefined): void {
  store.counter(SPLITS, { ...labels, basis: split.basis }).add(1);
  for (const { part, basis, partNs } of ttftParts(split)) {
    store.histogram(TTFT_PART, { ...labels, part, basis }).record(partNs, exemplar);
  }
  for (const { part, partNs } of networkParts(split)) {
    store.histogram(NETWORK_PART, { ...labels, part }).record(partNs, exemplar);
  }
}

function countTokenSteps(store: MetricStore, spec: MetricSpec, labels: Labels, steps: TokenSteps | undefined): void {
  if (steps === undefined) return;
  const series = store.histogram(spec, labels);
  for (const [tokens, occurrences] of steps) {
    for (let count = 0; count < occurrences; count += 1) series.record(tokens);
  }
}

function countTokens(store: MetricStore, report: Report): void {
  for (const { kind, count } of tokenCounts(report.record.tokens)) {
    store.counter(TOKENS, { class: report.labels.class, model: report.labels.model, kind }).add(count);
  }
}
