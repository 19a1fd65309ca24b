// Dashboard: the pace of text once it flows, what breaks it, and who breaks it.
import { PREFILL_STEP_RATIO } from '../../judge/causes/metrics.ts';
import { DEMAND_GAP_MAX } from '../../judge/slo/metrics.ts';
import { BACKPRESSURE } from '../../measure/backpressure.ts';
import { EVENTS_COALESCED } from '../../measure/coalesced.ts';
import { GAP, GAP_MAX } from '../../measure/gap.ts';
import { GAPS, STALLS } from '../../measure/stall.ts';
import { GAPS_TAINTED } from '../../measure/taint.ts';
import { EVENT_TOKENS, READ_TOKENS } from '../../measure/token-steps.ts';
import { FLOOR_METRICS } from '../floor-metrics.ts';
import { ACTIVE } from '../self-metrics.ts';
import { buckets, gauges, increases, named, rates, shares } from './ask.ts';
import { bars, type Dashboard, heatmap, percentiles, type Row, type Target, timeseries } from './panel.ts';

const FLOOR_STEP = named(FLOOR_METRICS, 'rubato.floor.step');
const FLOOR_MEASURED = named(FLOOR_METRICS, 'rubato.floor.measured_step');

const STALL_SHARE = { warn: 0.005, bad: 0.01 } as const;
const PREFILL_SHARE = { bad: 0.2 } as const;

function gapsAt(point: 'received' | 'flushed'): Target[] {
  return percentiles(GAP, ['class'], { matchers: { point } });
}

const PACE: Row = {
  title: 'Pace',
  panels: [
    heatmap({
      title: 'Gaps as received from the engine',
      reads:
        'The brightest band is the decode step. A second one at twice its height is steps that also read a prompt; a ' +
        'band near 0 is text that came in bunches, which the gaps above it paid for.',
      unit: 's',
      targets: [{ ask: buckets(GAP, { point: 'received' }), legend: '{{le}}' }],
    }),
    heatmap({
      title: 'Gaps as handed on to the client',
      reads:
        'Should look as the one beside it. What differs was made here: by rubato, or by a client that took no bytes.',
      unit: 's',
      targets: [{ ask: buckets(GAP, { point: 'flushed' }), legend: '{{le}}' }],
    }),
    timeseries({
      title: 'Gaps as received, by class',
      reads: 'Of all gaps of all streams together; a stream with many gaps counts for more.',
      unit: 's',
      targets: gapsAt('received'),
    }),
    timeseries({
      title: 'Gaps as handed on, by class',
      reads: 'The same where the kernel had taken the bytes for the client.',
      unit: 's',
      targets: gapsAt('flushed'),
    }),
    timeseries({
      title: 'Worst gap of a stream, by class',
      reads: 'One value a stream: what people remember of it.',
      unit: 's',
      targets: percentiles(GAP_MAX, ['class']),
    }),
    timeseries({
      title: 'Worst gap of a stream, failures included',
      reads:
        'A stream that failed counts as an infinitely long gap: a line at the highest bound means that so many failed.',
      unit: 's',
      targets: percentiles(DEMAND_GAP_MAX, ['class']),
    }),
  ],
};

const STALLED: Row = {
  title: 'Stalls',
  panels: [
    timeseries({
      title: 'Gaps that are stalls, by class',
      reads: 'From 1 % on, the 99th percentile of the gaps is a stall.',
      unit: 'percentunit',
      limits: STALL_SHARE,
      targets: [
        {
          ask: shares(rates(GAPS, ['class'], { stalled: 'true' }), rates(GAPS, ['class'])),
          legend: '{{class}}',
        },
      ],
    }),
    timeseries({
      title: 'Stalls by cause',
      reads: 'unknown is an honest answer: the evidence left more than one.',
      unit: 'cps',
      stacked: true,
      targets: [{ ask: rates(STALLS, ['cause']), legend: '{{cause}}' }],
    }),
    bars({
      title: 'Stalls by cause, over the whole time that is looked at',
      reads: 'Cure the longest bar first; the README says how.',
      unit: 'short',
      targets: [{ ask: increases(STALLS, ['cause']), legend: '{{cause}}' }],
    }),
    timeseries({
      title: 'Streams that are silent now',
      reads: 'Stalls that still go on; they are counted as stalls once they are over.',
      unit: 'short',
      stacked: true,
      targets: [{ ask: gauges('sum', ACTIVE, ['class'], { phase: 'silent' }), legend: '{{class}}' }],
    }),
    timeseries({
      title: 'Decode steps that also read a prompt',
      reads:
        'From 20 % on, streams go at the pace of other people’s prompts. A smaller token budget a step helps, at the price of TTFT.',
      unit: 'percentunit',
      limits: PREFILL_SHARE,
      targets: [{ ask: gauges('max', PREFILL_STEP_RATIO, ['route']), legend: '{{route}}', needs: ['steps'] }],
    }),
    timeseries({
      title: 'The decode step beside its floor',
      reads: 'The floor is what the hardware allows; 1.25 times as long is good, much more is not the memory.',
      unit: 's',
      targets: [
        { ask: gauges('max', FLOOR_MEASURED, ['route']), legend: '{{route}} measured', needs: ['floor'] },
        { ask: gauges('max', FLOOR_STEP, ['route']), legend: '{{route}} floor', needs: ['floor'] },
      ],
    }),
  ],
};

const DOUBT: Row = {
  title: 'Bunches, slow clients, and what cannot be trusted',
  panels: [
    timeseries({
      title: 'Events that came with an earlier one',
      reads: 'Several in one read make one gap. Many of them are speculation, or a hop that holds text.',
      unit: 'cps',
      targets: [{ ask: rates(EVENTS_COALESCED, ['class']), legend: '{{class}}' }],
    }),
    timeseries({
      title: 'Tokens of one event, and of one read',
      reads: 'p50 above 1 is speculation where the event has them, and bunching where only the read has.',
      unit: 'short',
      axis: 'tokens',
      targets: [
        ...percentiles(EVENT_TOKENS, [], { of: [0.5, 0.99], word: 'event', needs: ['running count'] }),
        ...percentiles(READ_TOKENS, [], { of: [0.5, 0.99], word: 'read', needs: ['running count'] }),
      ],
    }),
    timeseries({
      title: 'Time in which a client took no bytes, of a stream',
      reads: 'A reader or a network behind rubato that is slower than the engine.',
      unit: 's',
      targets: percentiles(BACKPRESSURE, ['class']),
    }),
    timeseries({
      title: 'Gaps whose ends cannot be trusted',
      reads: 'They are in no percentile. More than a few in a hundred: give rubato more CPU.',
      unit: 'cps',
      stacked: true,
      targets: [{ ask: rates(GAPS_TAINTED, ['cause']), legend: '{{cause}}' }],
    }),
  ],
};

export const gaps: Dashboard = {
  uid: 'rubato-gaps',
  title: 'rubato / Gaps and stalls',
  description: 'How evenly does text flow, what breaks it, and who breaks it?',
  rows: [PACE, STALLED, DOUBT],
};
