// Goodput: exchanges and output tokens per second that kept every objective, and their share of all that was asked
// for. Numerator and denominator are both recorded. Retries are load beyond it, and an alert when they are much of it.
import { DEMAND_EXCHANGES, DEMAND_TOKENS, GOOD_EXCHANGES, GOOD_TOKENS, GOOD_UNKNOWN } from '../../judge/slo/metrics.ts';
import { EXCHANGES } from '../../measure/duration.ts';
import { RETRIES } from '../../judge/retry-metrics.ts';
import { ratio, rateBy, recorded, select } from './promql.ts';
import type { AlertingRule, RecordingRule, RuleGroup } from './rule.ts';

const BY = ['class'] as const;
const WINDOWS = ['5m', '1h'] as const;

const COUNTED = [DEMAND_EXCHANGES, GOOD_EXCHANGES, GOOD_UNKNOWN, DEMAND_TOKENS, GOOD_TOKENS];
const SHARES = [
  { good: GOOD_EXCHANGES, all: DEMAND_EXCHANGES },
  { good: GOOD_TOKENS, all: DEMAND_TOKENS },
];

const RATES: readonly RecordingRule[] = WINDOWS.flatMap((window) =>
  COUNTED.map((spec) => ({ record: recorded(BY, spec, `rate${window}`), expr: rateBy(BY, select(spec), window) })),
);

const RATIOS: readonly RecordingRule[] = WINDOWS.flatMap((window) =>
  SHARES.map(({ good, all }) => ({
    record: recorded(BY, good, `ratio_rate${window}`),
    expr: ratio(rateBy(BY, select(good), window), `(${rateBy(BY, select(all), window)} > 0)`),
  })),
);

/** One exchange in five tries again what failed: failures begin to feed themselves. */
const RETRIES_MAX_RATIO = 0.2;

const RETRY_STORM: AlertingRule = {
  alert: 'RubatoRetryStorm',
  expr: `${ratio(rateBy(BY, select(RETRIES), '10m'), `(${rateBy(BY, select(EXCHANGES), '10m')} > 0)`)}\n> ${RETRIES_MAX_RATIO}`,
  for: '10m',
  labels: { severity: 'ticket' },
  annotations: {
    summary: 'Many requests of {{ $labels.class }} try again what failed',
    description:
      '{{ $value | humanizePercentage }} of the exchanges are retries. They are load that nobody asked for: see what ' +
      'fails first, and have clients wait longer between tries.',
  },
};

export const goodputGroup: RuleGroup = {
  name: 'rubato-goodput',
  interval: '1m',
  rules: [...RATES, ...RATIOS, RETRY_STORM],
};
