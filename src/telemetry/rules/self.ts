// Alerts on rubato itself: that it is there, that traffic comes, and that nothing is lost on the way to the figures.
import type { MetricSpec } from '../../base/metric-spec.ts';
import { EXCHANGES } from '../../measure/duration.ts';
import { EXPORT_DROPPED } from '../export-metrics.ts';
import { CPU_THROTTLED, LOOP_LAG, READER_DETACHED, SHED, TAPE_DROPPED } from '../self-metrics.ts';
import { LABELS_FOLDED } from '../store.ts';
import { rateBy, select } from './promql.ts';
import type { AlertingRule, RuleGroup } from './rule.ts';

/** A relay that turns slower than that adds to gaps what people could see. */
const RELAY_LAG_MAX_S = 0.05;
/** Share of a CPU's time that a quota may take away. */
const THROTTLED_MAX_RATIO = 0.01;

/** Something was lost, and goes on being lost. */
function lost(alert: string, spec: MetricSpec, by: string, says: AlertingRule['annotations']): AlertingRule {
  return {
    alert,
    expr: `${rateBy([by], select(spec), '10m')} > 0`,
    for: '5m',
    labels: { severity: 'ticket' },
    annotations: says,
  };
}

export const selfGroup: RuleGroup = {
  name: 'rubato-self',
  rules: [
    {
      alert: 'RubatoAbsent',
      expr: `absent(${select(EXCHANGES)})`,
      for: '5m',
      labels: { severity: 'page' },
      annotations: {
        summary: 'No rubato is scraped',
        description: 'No series of any rubato is there: it is down, or Prometheus does not reach its admin port.',
      },
    },
    {
      alert: 'RubatoTrafficStopped',
      expr: `sum(rate(${select(EXCHANGES)}[15m])) == 0 and sum(rate(${select(EXCHANGES)}[1h] offset 15m)) > 0`,
      for: '5m',
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'No exchange has ended for a quarter of an hour',
        description: 'There was traffic in the hour before. Clients may go past rubato, or nobody asks.',
      },
    },
    {
      alert: 'RubatoRelayLate',
      expr: `max by (thread) (${select(LOOP_LAG, { thread: '!=main' })}) > ${RELAY_LAG_MAX_S}`,
      for: '5m',
      labels: { severity: 'page' },
      annotations: {
        summary: 'A relay of rubato is late itself',
        description:
          'Turns of {{ $labels.thread }} take up to {{ $value | humanizeDuration }}, and streams wait for them. Give ' +
          'rubato more CPU, or more relays.',
      },
    },
    {
      alert: 'RubatoThrottled',
      expr: `sum(rate(${select(CPU_THROTTLED)}[10m])) > ${THROTTLED_MAX_RATIO}`,
      for: '10m',
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'The CPU quota holds rubato back',
        description: 'Streams wait while its container may not run. Raise the quota, or take it away.',
      },
    },
    lost('RubatoTapeDropped', TAPE_DROPPED, 'kind', {
      summary: 'rubato is too busy to look at all of its traffic',
      description: 'No byte of a stream is lost, but figures are: {{ $labels.kind }} were left out of the tape.',
    }),
    lost('RubatoExportDropped', EXPORT_DROPPED, 'signal', {
      summary: 'rubato cannot deliver its {{ $labels.signal }}',
      description: 'Some never reached their destination. Its log names the place and the reason.',
    }),
    lost('RubatoShedding', SHED, 'reason', {
      summary: 'rubato refuses requests: {{ $labels.reason }}',
      description: 'A limit of its own is reached. Clients get 503 with Retry-After.',
    }),
    lost('RubatoLabelsFolded', LABELS_FOLDED, 'label', {
      summary: 'rubato has too many series',
      description: 'Values of the label {{ $labels.label }} are folded into "other".',
    }),
    {
      alert: 'RubatoReaderDetached',
      expr: `sum(increase(${select(READER_DETACHED)}[1h])) > 0`,
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'A fault inside rubato',
        description: 'A reader or a sink was detached after a fault of its own. Streams go on; its log has the reason.',
      },
    },
  ],
};
