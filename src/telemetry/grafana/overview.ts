// Dashboard: what streams do, by class. The page to open first; every other one answers what this one asks.
import { DEMAND_EXCHANGES, DEMAND_GAP_MAX, DEMAND_TTFT, GOOD_EXCHANGES } from '../../judge/slo/metrics.ts';
import { EXCHANGES, EXCHANGE_DURATION } from '../../measure/duration.ts';
import { GAP } from '../../measure/gap.ts';
import { NO_FIRST_TOKEN } from '../../measure/no-first-token.ts';
import { GAPS, STALLS } from '../../measure/stall.ts';
import { TOKENS } from '../../measure/tokens.ts';
import { TPOT } from '../../measure/tpot.ts';
import { TTFT } from '../../measure/ttft.ts';
import { ACTIVE } from '../self-metrics.ts';
import { gauges, increases, quantiles, rangeQuantiles, rates, shares } from './ask.ts';
import { type Dashboard, percentiles, type Row, stat, table, timeseries } from './panel.ts';

const GOOD_SHARE = { warn: 0.99, bad: 0.95, isBelow: true } as const;
/** One gap in a hundred is where the 99th percentile becomes a stall. */
const STALL_SHARE = { warn: 0.005, bad: 0.01 } as const;

const NOW: Row = {
  title: 'Now',
  panels: [
    stat({
      title: 'Exchanges under way',
      reads: 'All phases together.',
      unit: 'short',
      targets: [{ ask: gauges('sum', ACTIVE, []), legend: 'open' }],
    }),
    stat({
      title: 'Exchanges ended',
      reads: 'However they ended.',
      unit: 'reqps',
      targets: [{ ask: rates(EXCHANGES, []), legend: 'ended' }],
    }),
    stat({
      title: 'TTFT p95, failures included',
      reads: 'What failed before its first token counts as infinitely late, so that an outage does not look fast.',
      unit: 's',
      targets: [{ ask: quantiles(0.95, DEMAND_TTFT, []), legend: 'p95' }],
    }),
    stat({
      title: 'Worst gap p95, failures included',
      reads: 'Of the longest silence of each stream. What failed at any time counts as infinitely long.',
      unit: 's',
      targets: [{ ask: quantiles(0.95, DEMAND_GAP_MAX, []), legend: 'p95' }],
    }),
    stat({
      title: 'Gaps that are stalls',
      reads: 'From 1 % on, the 99th percentile of the gaps is a stall.',
      unit: 'percentunit',
      limits: STALL_SHARE,
      targets: [{ ask: shares(rates(GAPS, [], { stalled: 'true' }), rates(GAPS, [])), legend: 'stalled' }],
    }),
    stat({
      title: 'Exchanges that kept every objective',
      reads: 'Of the whole time that is looked at. Retries are not in it.',
      unit: 'percentunit',
      limits: GOOD_SHARE,
      targets: [
        {
          ask: shares(increases(GOOD_EXCHANGES, []), increases(DEMAND_EXCHANGES, [])),
          legend: 'good',
          needs: ['objectives'],
        },
      ],
    }),
  ],
};

const CLASSES: Row = {
  title: 'By class',
  panels: [
    table({
      title: 'Classes, over the whole time that is looked at',
      reads: 'One line a class. A column is empty where a class has no such figure.',
      unit: 's',
      targets: [
        { ask: increases(EXCHANGES, ['class']), legend: 'Exchanges', unit: 'short' },
        { ask: rangeQuantiles(0.5, TTFT, ['class']), legend: 'TTFT p50' },
        { ask: rangeQuantiles(0.95, TTFT, ['class']), legend: 'TTFT p95' },
        { ask: rangeQuantiles(0.99, DEMAND_TTFT, ['class']), legend: 'TTFT p99, failures included' },
        { ask: rangeQuantiles(0.5, GAP, ['class'], { point: 'received' }), legend: 'Gap p50' },
        { ask: rangeQuantiles(0.99, GAP, ['class'], { point: 'received' }), legend: 'Gap p99' },
        {
          ask: shares(increases(GAPS, ['class'], { stalled: 'true' }), increases(GAPS, ['class'])),
          legend: 'Stalled gaps',
          unit: 'percentunit',
        },
        {
          ask: increases(TOKENS, ['class'], { kind: 'output' }),
          legend: 'Output tokens',
          unit: 'short',
          needs: ['tokens'],
        },
        {
          ask: shares(increases(GOOD_EXCHANGES, ['class']), increases(DEMAND_EXCHANGES, ['class'])),
          legend: 'Good',
          unit: 'percentunit',
          needs: ['objectives'],
        },
      ],
    }),
  ],
};

const COURSE: Row = {
  title: 'Over time',
  panels: [
    timeseries({
      title: 'TTFT by class',
      reads: 'Of streams that came to a first token; the panel of all demand is in the dashboard of objectives.',
      unit: 's',
      targets: percentiles(TTFT, ['class']),
    }),
    timeseries({
      title: 'Gaps by class, as received',
      reads: 'p50 is the pace of the text, p99 what makes it stutter.',
      unit: 's',
      targets: percentiles(GAP, ['class'], { of: [0.5, 0.99], matchers: { point: 'received' } }),
    }),
    timeseries({
      title: 'Exchanges by outcome',
      reads: 'Anything but ok has a reason of its own; the README names each.',
      unit: 'reqps',
      stacked: true,
      targets: [{ ask: rates(EXCHANGES, ['outcome']), legend: '{{outcome}}' }],
    }),
    timeseries({
      title: 'Exchanges under way by what they wait for',
      reads: 'head: for the response head. token: for the first token. silent: for the end of a stall.',
      unit: 'short',
      stacked: true,
      targets: [{ ask: gauges('sum', ACTIVE, ['phase']), legend: '{{phase}}' }],
    }),
    timeseries({
      title: 'Stalls by cause',
      reads: 'The README says what each cause means and what helps.',
      unit: 'cps',
      stacked: true,
      targets: [{ ask: rates(STALLS, ['cause']), legend: '{{cause}}' }],
    }),
    timeseries({
      title: 'Streams without a first token',
      reads: 'They are in no percentile of TTFT, and so are counted here.',
      unit: 'reqps',
      stacked: true,
      targets: [{ ask: rates(NO_FIRST_TOKEN, ['reason']), legend: '{{reason}}' }],
    }),
    timeseries({
      title: 'Tokens',
      reads: 'Cached ones are part of prompt, reasoning ones part of output.',
      unit: 'short',
      axis: 'tokens a second',
      targets: [{ ask: rates(TOKENS, ['kind']), legend: '{{kind}}', needs: ['tokens'] }],
    }),
    timeseries({
      title: 'Time per output token by class',
      reads: 'One value an exchange; a stall in it is spread over all tokens, so look at gaps for those.',
      unit: 's',
      targets: percentiles(TPOT, ['class'], { needs: ['tokens'] }),
    }),
    timeseries({
      title: 'Duration of exchanges that ended well, by class',
      reads: 'It goes with the length of the answer; compare it within one output bucket only.',
      unit: 's',
      targets: percentiles(EXCHANGE_DURATION, ['class'], { of: [0.5, 0.95], matchers: { outcome: 'ok' } }),
    }),
    timeseries({
      title: 'Duration p95 by length of the answer',
      reads: 'Output tokens in buckets; unknown where the engine states no count.',
      unit: 's',
      targets: [
        { ask: quantiles(0.95, EXCHANGE_DURATION, ['output_bucket'], { outcome: 'ok' }), legend: '{{output_bucket}}' },
      ],
    }),
  ],
};

export const overview: Dashboard = {
  uid: 'rubato-overview',
  title: 'rubato / Overview',
  description: 'What do the streams of each class do?',
  rows: [NOW, CLASSES, COURSE],
};
