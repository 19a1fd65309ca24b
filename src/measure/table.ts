// Every metric that is fed by a measure, in the order in which people read them. Each stands in the
// file of its measure; a new measure is one new file and one line here.
import type { MetricSpec } from '../base/metric-spec.ts';
import { ADMISSION_WAIT } from './admission-wait.ts';
import { BACKPRESSURE } from './backpressure.ts';
import { EVENTS_COALESCED } from './coalesced.ts';
import { DOUBTS_COUNT } from './doubts.ts';
import { EXCHANGE_DURATION, EXCHANGES } from './duration.ts';
import { GAP, GAP_MAX } from './gap.ts';
import { NO_FIRST_TOKEN } from './no-first-token.ts';
import { GAPS, STALLS } from './stall.ts';
import { GAPS_TAINTED } from './taint.ts';
import { THINKING } from './thinking.ts';
import { EVENT_TOKENS, READ_TOKENS } from './token-steps.ts';
import { TOKENS } from './tokens.ts';
import { TPOT } from './tpot.ts';
import { TTFT_PER_1K } from './ttft-per-1k.ts';
import { NETWORK_PART, SPLITS, TTFT_PART } from './ttft-split.ts';
import { TTFO } from './ttfo.ts';
import { TTFT } from './ttft.ts';

export const METRICS: readonly MetricSpec[] = [
  TTFT,
  TTFO,
  THINKING,
  TTFT_PER_1K,
  TTFT_PART,
  NETWORK_PART,
  ADMISSION_WAIT,
  GAP,
  GAP_MAX,
  GAPS,
  GAPS_TAINTED,
  STALLS,
  TPOT,
  EXCHANGE_DURATION,
  EXCHANGES,
  NO_FIRST_TOKEN,
  TOKENS,
  EVENT_TOKENS,
  READ_TOKENS,
  EVENTS_COALESCED,
  BACKPRESSURE,
  SPLITS,
  DOUBTS_COUNT,
];
