// Stalls: their share of the gaps by who made them, and alerts on them and on prompts read in the steps of others.
// One gap in a hundred is where the 99th percentile stops being a usual step and becomes a stall.
import { PREFILL_STEP_RATIO } from '../../judge/causes/metrics.ts';
import { GAPS, STALLS } from '../../measure/stall.ts';
import { ratio, rateBy, recorded, select } from './promql.ts';
import type { RuleGroup } from './rule.ts';

const CLIFF_RATIO = 0.01;
/** One step in five reads a prompt: long below the limit of a stall, streams go at the pace of other people's prompts. */
const PREFILL_MAX_RATIO = 0.2;
/** Gaps in ten minutes from which a share of them says something. */
const LEAST_GAPS_RATE = 2;

const SHARE = recorded(['class'], GAPS, 'stalled_ratio_rate10m');
const CAUSE_SHARE = recorded(['class', 'cause'], STALLS, 'gap_ratio_rate10m');
const RATE = recorded(['class'], GAPS, 'rate10m');

export const stallGroup: RuleGroup = {
  name: 'rubato-stalls',
  interval: '1m',
  rules: [
    { record: RATE, expr: rateBy(['class'], select(GAPS), '10m') },
    {
      record: SHARE,
      expr: ratio(rateBy(['class'], select(GAPS, { stalled: 'true' }), '10m'), `(${RATE} > 0)`),
    },
    {
      record: CAUSE_SHARE,
      expr: `${rateBy(['class', 'cause'], select(STALLS), '10m')}\n/ on (class) group_left ()\n(${RATE} > 0)`,
    },
    {
      alert: 'RubatoStalls',
      expr: `${SHARE} > ${CLIFF_RATIO} and ${RATE} >= ${LEAST_GAPS_RATE}`,
      for: '10m',
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'Streams of {{ $labels.class }} stall',
        description:
          '{{ $value | humanizePercentage }} of the gaps are stalls, more than one in a hundred: the 99th percentile ' +
          'of the gaps is a stall now. RubatoStallsOfCause says who makes them.',
      },
    },
    {
      alert: 'RubatoStallsOfCause',
      expr: `${CAUSE_SHARE} > ${CLIFF_RATIO} and on (class) ${RATE} >= ${LEAST_GAPS_RATE}`,
      for: '10m',
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'Streams of {{ $labels.class }} stall: {{ $labels.cause }}',
        description:
          '{{ $value | humanizePercentage }} of the gaps are stalls of the cause {{ $labels.cause }}. The README of ' +
          'rubato says what each cause means and what helps.',
      },
    },
    {
      alert: 'RubatoPrefillInSteps',
      expr: `max by (route) (${select(PREFILL_STEP_RATIO)}) > ${PREFILL_MAX_RATIO}`,
      for: '10m',
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'Prompts slow the streams of {{ $labels.route }} down',
        description:
          '{{ $value | humanizePercentage }} of the decode steps also read a prompt. Lower the token budget of a step ' +
          '(first tokens then come later), cache prefixes, or prefill elsewhere.',
      },
    },
  ],
};
