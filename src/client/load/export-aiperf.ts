// One request as a line of AIPerf's `profile_export.jsonl` (its model `MetricRecordInfo`, aiperf 0.13.0), for people
// whose notebooks read that. Our definitions stay ours: a token is generated text, a gap lies between reads. Pure.
import { defined } from '../../measure/defined.ts';
import type { LoadExchange } from './result.ts';

const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;
const WRITER = 'rubato-load';

interface Metric {
  readonly value: number | readonly number[];
  readonly unit: string;
}

export function aiperfLine(exchange: LoadExchange): string {
  const { sentEpochMs, waitNs, headNs, durationNs, outcome } = exchange;
  const startNs = epochNs(sentEpochMs);
  const isOk = outcome === 'ok';
  return JSON.stringify({
    metadata: {
      session_num: exchange.ordinal,
      ...defined({
        x_request_id: exchange.requestId,
        request_ack_ns: headNs === undefined ? undefined : epochNs(sentEpochMs + headNs / NS_PER_MS),
      }),
      turn_index: 0,
      // The moment at which AIPerf's limiter lets a request go is the one at which ours is due.
      credit_issued_ns: epochNs(sentEpochMs - waitNs / NS_PER_MS),
      request_start_ns: startNs,
      request_end_ns: epochNs(sentEpochMs + durationNs / NS_PER_MS),
      worker_id: WRITER,
      record_processor_id: WRITER,
      benchmark_phase: 'profiling',
      was_cancelled: false,
    },
    metrics: isOk ? metricsOf(exchange) : {},
    ...(isOk ? {} : { error: errorOf(exchange) }),
  });
}

function metricsOf(exchange: LoadExchange): Readonly<Record<string, Metric>> {
  const { ttftNs, ttfoNs, tpotNs, gapsNs, outputTokens, promptTokens, durationNs } = exchange;
  return defined({
    request_latency: ms(durationNs),
    time_to_first_token: ms(ttftNs),
    time_to_first_output_token: ms(ttfoNs),
    inter_token_latency: ms(tpotNs),
    inter_chunk_latency:
      gapsNs.length > 0 ? { value: gapsNs.map((gapNs) => gapNs / NS_PER_MS), unit: 'ms' } : undefined,
    output_token_throughput_per_user:
      tpotNs === undefined || tpotNs === 0 ? undefined : { value: NS_PER_S / tpotNs, unit: 'tokens/sec/user' },
    output_sequence_length: tokens(outputTokens),
    input_sequence_length: tokens(promptTokens),
  });
}

function errorOf({ status, outcome, error }: LoadExchange): object {
  return { ...defined({ code: status }), type: outcome, message: error ?? outcome };
}

function ms(lengthNs: number | undefined): Metric | undefined {
  return lengthNs === undefined ? undefined : { value: lengthNs / NS_PER_MS, unit: 'ms' };
}

function tokens(count: number | undefined): Metric | undefined {
  return count === undefined ? undefined : { value: count, unit: 'tokens' };
}

/** A whole number, as the model wants it; to a quarter of a microsecond, for that is all a number holds. */
function epochNs(atEpochMs: number): number {
  return Math.round(atEpochMs * NS_PER_MS);
}
