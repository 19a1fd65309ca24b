// Goodput: exchanges and output tokens per second that kept every objective, and their share of all that was asked
// for. Numerator and denominator are both recorded.
import { DEMAND_EXCHANGES, DEMAND_TOKENS, GOOD_EXCHANGES, GOOD_TOKENS, GOOD_UNKNOWN } from '../../judge/slo/metrics.ts';
import { ratio, rateBy, recorded, select } from './promql.ts';
import type { RecordingRule, RuleGroup } from './rule.ts';

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

export const goodputGroup: RuleGroup = { name: 'rubato-goodput', interval: '1m', rules: [...RATES, ...RATIOS] };
