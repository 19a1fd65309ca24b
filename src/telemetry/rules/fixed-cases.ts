// Unit tests of all other rules: each alert fires once and, in a case that is nearly the same, does not.
import { JOB_OBJECTIVE } from '../../judge/job/metrics.ts';
import { PREFILL_STEP_RATIO } from '../../judge/causes/metrics.ts';
import { RETRIES } from '../../judge/retry-metrics.ts';
import { DEMAND_EXCHANGES, GOOD_EXCHANGES } from '../../judge/slo/metrics.ts';
import type { MetricSpec } from '../../base/metric-spec.ts';
import { EXCHANGES } from '../../measure/duration.ts';
import { GAPS, STALLS } from '../../measure/stall.ts';
import { TTFT } from '../../measure/ttft.ts';
import { ENGINE_KV_USAGE, ENGINE_PREEMPTIONS, ENGINE_UP } from '../engine-metrics.ts';
import { EXPORT_DROPPED } from '../export-metrics.ts';
import { CPU_THROTTLED, LOOP_LAG, READER_DETACHED, SHED, TAPE_DROPPED } from '../self-metrics.ts';
import { LABELS_FOLDED } from '../store.ts';
import { type Case, type Fires, grows } from './case.ts';
import { type Matchers, recorded, select } from './promql.ts';
import type { InputSeries } from './rule.ts';

const SAMPLES = 60;
const CHAT = { class: 'chat', model: 'm' };
const ROUTE = { route: 'main' };

function series(spec: MetricSpec, labels: Matchers, values: string): InputSeries {
  return { series: select(spec, labels), values };
}

function growing(spec: MetricSpec, labels: Matchers, by: number): InputSeries {
  return series(spec, labels, grows(by, SAMPLES));
}

/** An alert, the series with which it fires, and those with which it does not. */
interface Pair {
  readonly fires: Fires;
  readonly loud: readonly InputSeries[];
  readonly still: readonly InputSeries[];
}

function casesOf({ fires, loud, still }: Pair): Case[] {
  const { alert } = fires;
  return [
    { name: `${alert} fires`, series: loud, at: '50m', fires: [fires] },
    { name: `${alert} does not fire`, series: still, at: '50m', quiet: [alert] },
  ];
}

/** Gaps a minute of which so many stalled, of one cause. */
function gaps(perMinute: number, stalled: number): InputSeries[] {
  return [
    growing(GAPS, { ...CHAT, stalled: 'true' }, stalled),
    growing(GAPS, { ...CHAT, stalled: 'false' }, perMinute - stalled),
    growing(STALLS, { ...CHAT, cause: 'host' }, stalled),
  ];
}

const STALL_PAIRS: readonly Pair[] = [
  {
    fires: { alert: 'RubatoStalls', labels: { class: 'chat' }, says: '5%' },
    loud: gaps(600, 30),
    still: gaps(600, 3),
  },
  {
    fires: { alert: 'RubatoStallsOfCause', labels: { class: 'chat', cause: 'host' }, says: '5%' },
    loud: gaps(600, 30),
    // All of them stall, and they are too few to say so.
    still: gaps(6, 6),
  },
  {
    fires: { alert: 'RubatoPrefillInSteps', labels: ROUTE, says: '30%' },
    loud: [series(PREFILL_STEP_RATIO, ROUTE, `0.3x${SAMPLES}`)],
    still: [series(PREFILL_STEP_RATIO, ROUTE, `0.1x${SAMPLES}`)],
  },
];

const ENGINE_PAIRS: readonly Pair[] = [
  {
    fires: { alert: 'RubatoEngineMetricsGone', labels: ROUTE },
    loud: [series(ENGINE_UP.spec, ROUTE, `0x${SAMPLES}`)],
    still: [series(ENGINE_UP.spec, ROUTE, `1x${SAMPLES}`)],
  },
  {
    fires: { alert: 'RubatoPreemptions', labels: ROUTE, says: '6' },
    loud: [growing(ENGINE_PREEMPTIONS.spec, ROUTE, 6)],
    still: [series(ENGINE_PREEMPTIONS.spec, ROUTE, `40x${SAMPLES}`)],
  },
  {
    fires: { alert: 'RubatoKvCacheNearlyFull', labels: ROUTE, says: '95%' },
    loud: [series(ENGINE_KV_USAGE.spec, ROUTE, `0.95x${SAMPLES}`)],
    still: [series(ENGINE_KV_USAGE.spec, ROUTE, `0.85x${SAMPLES}`)],
  },
];

function jobs(met: string): InputSeries[] {
  return [series(JOB_OBJECTIVE, { class: 'batch', objective: 'deadline', met }, '0x30 1x30')];
}

const EXCHANGE_LABELS = { ...CHAT, route: 'main', outcome: 'ok' };

/** Retries a minute of so many exchanges. */
function retries(count: number): InputSeries[] {
  return [growing(RETRIES, { ...CHAT, reason: 'body' }, count), growing(EXCHANGES, EXCHANGE_LABELS, 64)];
}

const RETRY_PAIRS: readonly Pair[] = [
  {
    fires: { alert: 'RubatoRetryStorm', labels: { class: 'chat' }, says: '50%' },
    loud: retries(32),
    still: retries(8),
  },
];

/** A counter of losses: it grows, or it grew long ago. */
function loss(alert: string, spec: MetricSpec, labels: Matchers): Pair {
  return { fires: { alert, labels }, loud: [growing(spec, labels, 1)], still: [series(spec, labels, `7x${SAMPLES}`)] };
}

const SELF_PAIRS: readonly Pair[] = [
  { fires: { alert: 'RubatoAbsent' }, loud: [], still: [growing(EXCHANGES, EXCHANGE_LABELS, 1)] },
  {
    fires: { alert: 'RubatoTrafficStopped' },
    loud: [series(EXCHANGES, EXCHANGE_LABELS, `${grows(60, 20)} 1200+0x40`)],
    // Nobody ever asked for anything.
    still: [series(EXCHANGES, EXCHANGE_LABELS, `0x${SAMPLES}`)],
  },
  {
    fires: { alert: 'RubatoRelayLate', labels: { thread: 'relay-0' }, says: '200ms' },
    loud: [series(LOOP_LAG, { thread: 'relay-0' }, `0.2x${SAMPLES}`)],
    // The main thread may be busy: no stream waits for it.
    still: [series(LOOP_LAG, { thread: 'main' }, `2x${SAMPLES}`)],
  },
  {
    fires: { alert: 'RubatoThrottled' },
    loud: [growing(CPU_THROTTLED, {}, 6)],
    still: [growing(CPU_THROTTLED, {}, 0.06)],
  },
  loss('RubatoTapeDropped', TAPE_DROPPED, { kind: 'bytes' }),
  loss('RubatoExportDropped', EXPORT_DROPPED, { signal: 'traces' }),
  loss('RubatoShedding', SHED, { reason: 'streams' }),
  loss('RubatoLabelsFolded', LABELS_FOLDED, { label: 'model' }),
  loss('RubatoReaderDetached', READER_DETACHED, {}),
];

const JOB_PAIRS: readonly Pair[] = [
  {
    fires: { alert: 'RubatoJobMissed', labels: { class: 'batch', objective: 'deadline' } },
    loud: jobs('false'),
    still: jobs('true'),
  },
];

/** What is recorded, to the digit. */
const VALUES: Case = {
  name: 'goodput has its denominator, and a percentile is of all buckets together',
  at: '30m',
  series: [
    growing(GOOD_EXCHANGES, CHAT, 40),
    growing(DEMAND_EXCHANGES, CHAT, 80),
    ...['0.75', '1', '+Inf'].flatMap((bound, index) =>
      ['m', 'n'].map((model) => ({
        series: select(TTFT, { class: 'chat', model, prompt_bucket: '0-256' }, 'bucket').replace(
          '}',
          `,le="${bound}"}`,
        ),
        values: grows(index === 0 ? 0 : 64, SAMPLES),
      })),
    ),
  ],
  values: [
    { name: recorded(['class'], GOOD_EXCHANGES, 'ratio_rate5m'), value: 0.5 },
    { name: recorded(['class'], TTFT, 'p50_rate5m'), value: 0.875 },
  ].map(({ name, value }) => ({
    expr: name,
    eval_time: '30m',
    exp_samples: [{ labels: `${name}{class="chat"}`, value }],
  })),
};

export const FIXED_CASES: readonly Case[] = [
  VALUES,
  ...[...STALL_PAIRS, ...ENGINE_PAIRS, ...JOB_PAIRS, ...RETRY_PAIRS, ...SELF_PAIRS].flatMap(casesOf),
];
