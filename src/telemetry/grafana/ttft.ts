// Dashboard: the time to first token, and which part of the path takes it.
import type { MetricSpec } from '../../base/metric-spec.ts';
import { DEMAND_TTFT } from '../../judge/slo/metrics.ts';
import { ADMISSION_WAIT } from '../../measure/admission-wait.ts';
import { NO_FIRST_TOKEN } from '../../measure/no-first-token.ts';
import { THINKING } from '../../measure/thinking.ts';
import { NETWORK_PART, SPLITS, TTFT_PART } from '../../measure/ttft-split.ts';
import { TTFO } from '../../measure/ttfo.ts';
import { TTFT_PER_1K } from '../../measure/ttft-per-1k.ts';
import { TTFT } from '../../measure/ttft.ts';
import { buckets, quantiles, rates, shares, sums } from './ask.ts';
import { type Dashboard, heatmap, percentiles, type Row, type Target, timeseries } from './panel.ts';

function p95By(spec: MetricSpec, label: 'part' | 'prompt_bucket'): Target {
  return { ask: quantiles(0.95, spec, [label]), legend: `{{${label}}}` };
}

const WHOLE: Row = {
  title: 'The whole',
  panels: [
    timeseries({
      title: 'TTFT by class',
      reads: 'Of streams that came to a first token.',
      unit: 's',
      targets: percentiles(TTFT, ['class']),
    }),
    timeseries({
      title: 'TTFT by class, failures included',
      reads:
        'What failed before its first token counts as infinitely late: a line at the highest bound means that so many failed.',
      unit: 's',
      targets: percentiles(DEMAND_TTFT, ['class']),
    }),
    heatmap({
      title: 'TTFT',
      reads: 'Two bands are two kinds of requests: cached and uncached prompts, say, or a queue that some meet.',
      unit: 's',
      targets: [{ ask: buckets(TTFT), legend: '{{le}}' }],
    }),
    timeseries({
      title: 'TTFT p95 by size of the prompt',
      reads: 'A prefill of 60,000 tokens cannot be had in the time of one of 600: compare like with like.',
      unit: 's',
      height: 9,
      targets: [p95By(TTFT, 'prompt_bucket')],
    }),
  ],
};

const PARTS: Row = {
  title: 'In parts',
  panels: [
    timeseries({
      title: 'Where the time goes: parts of the mean, beside the percentiles',
      reads:
        'The areas are the share of each part in the mean, and together are the mean: only means add up. The lines are ' +
        'percentiles of the whole; far above the areas, a few requests wait much longer than most.',
      unit: 's',
      width: 24,
      height: 10,
      stacked: true,
      targets: [
        { ask: shares(sums(TTFT_PART, ['part']), rates(SPLITS, []), []), legend: '{{part}}' },
        { ask: quantiles(0.5, TTFT, []), legend: 'p50 of the whole', isApart: true },
        { ask: quantiles(0.95, TTFT, []), legend: 'p95 of the whole', isApart: true },
      ],
    }),
    timeseries({
      title: 'Each part, p95',
      reads:
        'Percentiles of parts do not add up to one of the whole. `engine` is there where nobody knows its queue or prefill.',
      unit: 's',
      targets: [p95By(TTFT_PART, 'part')],
    }),
    timeseries({
      title: 'Queue and prefill by what they rest on, p95',
      reads: 'exact: the engine said so of this request. model: an estimate of rubato, with its error in the record.',
      unit: 's',
      targets: [
        {
          ask: quantiles(0.95, TTFT_PART, ['part', 'basis'], { part: '=~queue|prefill' }),
          legend: '{{part}}, {{basis}}',
          needs: ['parts'],
        },
      ],
    }),
    timeseries({
      title: 'How many splits know queue and prefill',
      reads:
        'The share of each basis. `none` leaves the time of the engine in one piece; `rubato doctor` says what to switch on.',
      unit: 'percentunit',
      stacked: true,
      targets: [{ ask: shares(rates(SPLITS, ['basis']), rates(SPLITS, []), []), legend: '{{basis}}' }],
    }),
    timeseries({
      title: 'The network, p95 of its parts',
      reads:
        'upload: a slow or large request. connect: no connection was kept open. wire: the distance. client: a reader that takes no bytes.',
      unit: 's',
      targets: [p95By(NETWORK_PART, 'part')],
    }),
  ],
};

const BESIDE: Row = {
  title: 'Beside it',
  panels: [
    timeseries({
      title: 'TTFT per 1,000 uncached prompt tokens',
      reads: 'The price of a prompt once what a cache held is left out. It rises when prefills wait for each other.',
      unit: 's',
      targets: percentiles(TTFT_PER_1K, ['prompt_bucket'], { of: [0.5, 0.95], needs: ['tokens'] }),
    }),
    timeseries({
      title: 'Time to first visible token',
      reads: 'What a reader waits for; beyond TTFT it holds the thinking.',
      unit: 's',
      targets: percentiles(TTFO, ['class']),
    }),
    timeseries({
      title: 'Thinking',
      reads: 'No fault of the path: the model was at work where nobody sees it.',
      unit: 's',
      targets: percentiles(THINKING, ['class'], { needs: ['reasoning'] }),
    }),
    timeseries({
      title: 'Wait in the admission queue',
      reads: 'rubato made these wait because it was told to; it is in the part `rubato`.',
      unit: 's',
      targets: percentiles(ADMISSION_WAIT, ['class'], { needs: ['admission'] }),
    }),
    timeseries({
      title: 'Streams without a first token',
      reads: 'They are in no percentile of TTFT.',
      unit: 'reqps',
      stacked: true,
      width: 24,
      targets: [{ ask: rates(NO_FIRST_TOKEN, ['class', 'reason']), legend: '{{class}}, {{reason}}' }],
    }),
  ],
};

export const ttft: Dashboard = {
  uid: 'rubato-ttft',
  title: 'rubato / Time to first token',
  description: 'How long do people wait for the first token, and which part of the path takes the time?',
  rows: [WHOLE, PARTS, BESIDE],
};
