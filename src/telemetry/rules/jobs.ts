// Batch jobs: what they bring, and an alert on those that missed what their class promises.
import { JOB_EXCHANGES, JOB_OBJECTIVE, JOB_TOKENS } from '../../judge/job/metrics.ts';
import { ratio, rateBy, recorded, select } from './promql.ts';
import type { RuleGroup } from './rule.ts';

export const jobGroup: RuleGroup = {
  name: 'rubato-jobs',
  interval: '1m',
  rules: [
    { record: recorded(['class'], JOB_TOKENS, 'rate5m'), expr: rateBy(['class'], select(JOB_TOKENS), '5m') },
    {
      record: recorded(['class'], JOB_EXCHANGES, 'valid_ratio_rate1h'),
      expr: ratio(
        rateBy(['class'], select(JOB_EXCHANGES, { kind: 'valid' }), '1h'),
        `(${rateBy(['class'], select(JOB_EXCHANGES), '1h')} > 0)`,
      ),
    },
    {
      alert: 'RubatoJobMissed',
      expr: `sum by (class, objective) (increase(${select(JOB_OBJECTIVE, { met: 'false' })}[1h])) > 0`,
      labels: { severity: 'ticket' },
      annotations: {
        summary: 'A batch job of {{ $labels.class }} missed its {{ $labels.objective }}',
        description:
          'At least one job that ended in the last hour did. /api/jobs of rubato names it, with what it needed and got.',
      },
    },
  ],
};
