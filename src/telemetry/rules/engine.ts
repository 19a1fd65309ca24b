// Alerts on what engines publish of themselves: that they are there, that their KV cache has room, and that they do
// not throw requests out of their batch.
import { ENGINE_KV_USAGE, ENGINE_PREEMPTIONS, ENGINE_UP } from '../engine-metrics.ts';
import { rateBy, select } from './promql.ts';
import type { RuleGroup } from './rule.ts';

const KV_FULL_RATIO = 0.9;

export const engineGroup: RuleGroup = {
  name: 'rubato-engine',
  rules: [
    {
      alert: 'RubatoEngineMetricsGone',
      expr: `${select(ENGINE_UP.spec)} == 0`,
      for: '5m',
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'The metrics of the engine behind {{ $labels.route }} do not come',
        description:
          'rubato looks for them and gets nothing, so queue and prefill may be unknown. The engine may be down; ' +
          '`rubato doctor` says what it answers.',
      },
    },
    {
      alert: 'RubatoPreemptions',
      expr: `${rateBy(['route'], select(ENGINE_PREEMPTIONS.spec), '10m')} * 60 > 0`,
      for: '5m',
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'The engine behind {{ $labels.route }} throws requests out of its batch',
        description:
          '{{ $value | humanize }} a minute lose their KV cache and are computed anew, which stalls them for long. ' +
          'Give the cache more memory, or let fewer requests run at once.',
      },
    },
    {
      alert: 'RubatoKvCacheNearlyFull',
      expr: `max by (route) (${select(ENGINE_KV_USAGE.spec)}) > ${KV_FULL_RATIO}`,
      for: '10m',
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'The KV cache of the engine behind {{ $labels.route }} is nearly full',
        description:
          '{{ $value | humanizePercentage }} are in use. Preemptions come next: cap the batch, shorten contexts, or ' +
          'give the cache more memory.',
      },
    },
  ],
};
