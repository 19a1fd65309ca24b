// Goal: GuideLLM's report says what was measured by its own definitions, says nothing where nothing is known, and
// keeps no secret. Method: exchanges whose figures can be reckoned by hand; its own loader reads the file in test/real.
import { describe, expect, test } from 'vitest';
import { LOAD_GUIDELLM_MAX_COUNT } from '../../../../src/base/load-limits.ts';
import { GuidellmReport } from '../../../../src/client/load/guidellm/report.ts';
import type { LoadOptions } from '../../../../src/client/load/options.ts';
import type { LoadExchange } from '../../../../src/client/load/result.ts';
import { targetOf } from '../../../../src/client/probe/apis.ts';
import { sampleExchange, sampleResult } from './samples.ts';

const MS = 1e6;
const START_MS = 1_700_000_000_000;
const START_S = START_MS / 1e3;

const EXCHANGE = sampleExchange({
  sentAtNs: 500 * MS,
  waitNs: 500 * MS,
  sentEpochMs: START_MS + 500,
  status: 200,
  ttftNs: 250 * MS,
  ttfoNs: 500 * MS,
  lastTextNs: 1_000 * MS,
  tpotNs: 250 * MS,
  durationNs: 1_500 * MS,
  eventCount: 6,
  textEventCount: 4,
  plannedPromptTokens: 40,
  plannedOutputTokens: 8,
  promptTokens: 50,
  outputTokens: 4,
});
const { ttftNs: _t, ttfoNs: _o, lastTextNs: _l, tpotNs: _p, promptTokens: _q, outputTokens: _r, ...BARE } = EXCHANGE;
const FAILED: LoadExchange = { ...BARE, outcome: 'error_http', status: 503, eventCount: 0, textEventCount: 0 };

const OPTIONS: LoadOptions = {
  target: targetOf(new URL('http://user:pass-word@engine:8000/v1?token=query-secret'), undefined),
  model: 'm',
  key: 'key-secret',
  fields: { 'x-own': 'field-secret' },
  extraBody: { user: 'body-secret' },
  tls: { caPem: undefined, insecure: false },
  silenceMaxMs: 60_000,
  requestMaxMs: undefined,
  fresh: false,
  classes: [
    {
      name: 'chat',
      share: 1,
      promptTokens: { kind: 'uniform', least: 40, most: 40 },
      outputTokens: { kind: 'uniform', least: 8, most: 8 },
    },
  ],
  classHeader: 'x-traffic-class',
  specs: new Map(),
  schedule: { kind: 'open', arrivals: { kind: 'poisson', perSecond: 2 } },
  scheduleText: 'Poisson arrivals, 2 requests/s',
  concurrency: 16,
  warmupMs: 0,
  durationMs: 30_000,
  count: undefined,
  drainMs: 60_000,
  seed: 7,
  withIds: false,
  signal: new AbortController().signal,
  listener: {},
};

const RESULT = sampleResult({
  schedule: 'Poisson arrivals, 2 requests/s',
  startedAtEpochMs: START_MS,
  measuredNs: 2_000 * MS,
  unsentCount: 2,
  openCount: 1,
  generator: { late: { count: 0, neverCount: 0 }, warnings: ['late'] },
});

type Json = Readonly<Record<string, unknown>>;
interface Benchmark {
  readonly [part: string]: Json;
  readonly metrics: Readonly<
    Record<string, { readonly successful: Json; readonly errored: Json; readonly total: Json }>
  >;
}
interface Report {
  readonly config: { readonly spec: Json };
  readonly benchmarks: readonly Benchmark[];
}

interface Given {
  readonly options?: Partial<LoadOptions>;
  readonly exchanges?: readonly LoadExchange[];
  readonly step?: Readonly<Record<string, string>>;
}

function textOf(...runs: readonly Given[]): string {
  const report = new GuidellmReport('9.9.9');
  for (const { options: given = {}, exchanges = [EXCHANGE], step = {} } of runs) {
    const benchmark = report.begin({ ...OPTIONS, ...given });
    for (const exchange of exchanges) benchmark.add(exchange);
    report.end({ benchmark, result: RESULT, step });
  }
  return [...(report.pieces() ?? [])].join('');
}
const reportOf = (...runs: readonly Given[]): Report => JSON.parse(textOf(...runs)) as Report;

describe('a report', () => {
  test('has lengths in the units and by the definitions of GuideLLM', () => {
    const { metrics } = reportOf({}).benchmarks[0] as Benchmark;
    const medians = Object.fromEntries(
      Object.entries(metrics).map(([name, one]) => [name, one?.successful?.['median']]),
    );
    expect(medians).toMatchObject({
      request_latency: 1.5,
      request_dispatch_delay: 0.5,
      request_scheduled_latency: 2,
      turn_predecessor_delay: 0,
      time_to_first_token_ms: 250,
      time_to_first_output_token_ms: 500,
      // (last token - sent) / 4 tokens, and (last token - first token) / 3.
      time_per_output_token_ms: 250,
      inter_token_latency_ms: 250,
      prompt_token_count: 50,
      output_token_count: 4,
      total_token_count: 54,
      request_streaming_iterations_count: 6,
    });
    expect(metrics['inter_token_latency_ms']?.successful['count']).toBe(3);
    // Four tokens over the two seconds that were measured.
    expect(metrics['output_tokens_per_second']?.total['mean']).toBeCloseTo(2, 3);
  });

  test('has the moments of a request in seconds since the epoch', () => {
    const { requests } = reportOf({}).benchmarks[0] as Benchmark;
    const [request] = (requests?.['successful'] ?? []) as readonly { readonly info: { readonly timings: Json } }[];
    expect(request?.info.timings).toEqual({
      targeted_start: START_S,
      resolve_start: START_S + 0.5,
      request_start: START_S + 0.5,
      first_token_iteration: START_S + 0.75,
      first_output_token_iteration: START_S + 1,
      last_token_iteration: START_S + 1.5,
      request_iterations: 6,
      token_iterations: 4,
      request_end: START_S + 2,
      resolve_end: START_S + 2,
    });
  });

  test('keeps a failure apart, and what it never had is no 0', () => {
    const { metrics, ...benchmark } = reportOf({ exchanges: [EXCHANGE, FAILED] }).benchmarks[0] as Benchmark;
    expect(metrics['request_totals']).toEqual({ successful: 1, incomplete: 0, errored: 1, total: 2 });
    expect(metrics['time_to_first_token_ms']?.errored['count']).toBe(0);
    expect(metrics['time_to_first_token_ms']?.total).toMatchObject({ count: 1, min: 250 });
    expect(metrics['request_latency']?.total['count']).toBe(2);
    expect(benchmark['requests']?.['errored']).toMatchObject([
      { info: { status: 'errored', error: 'error_http 503' }, time_to_first_token_ms: null, output_tokens: null },
    ]);
    expect(benchmark['scheduler_state']).toMatchObject({ errored_requests: 1, cancelled_requests: 1 });
  });

  test('does not take events for tokens where the engine states none', () => {
    const { outputTokens: _, ...unstated } = EXCHANGE;
    const { metrics } = reportOf({ exchanges: [unstated] }).benchmarks[0] as Benchmark;
    const counts = [
      'output_token_count',
      'inter_token_latency_ms',
      'output_tokens_per_second',
      'time_to_first_token_ms',
    ];
    expect(counts.map((name) => metrics[name]?.total['count'])).toEqual([0, 0, 0, 1]);
    expect(metrics['text']).toMatchObject({ tokens: { output: null, total: null } });
  });

  test('keeps the key, the query and what the user adds to itself', () => {
    expect(textOf({})).not.toMatch(/secret|pass-word/);
  });

  test('says how the load was sent, in the words that its reader knows', () => {
    const closed = { schedule: { kind: 'closed' } } as const;
    const specOf = (...given: readonly Partial<LoadOptions>[]): Json =>
      reportOf(...given.map((options) => ({ options }))).config.spec;
    expect(specOf({ count: 5, durationMs: 604_800_000 })).toMatchObject({
      backend: { kind: 'openai_http', target: 'http://engine:8000', request_format: '/v1/chat/completions' },
      profile: { kind: 'poisson', rate: [2], max_concurrency: 16 },
      constraints: [{ kind: 'max_requests', count: 5 }],
      data: [{ kind: 'synthetic_text', prompt_tokens: 40, output_tokens: 8, output_tokens_max: 8 }],
      seed: { value: 7 },
    });
    expect(specOf({ ...closed, concurrency: 2 }, { ...closed, concurrency: 4 })).toMatchObject({
      profile: { kind: 'concurrent', streams: [2, 4] },
      constraints: [{ kind: 'max_duration', seconds: 30 }],
    });
    // With a warm-up a count is not that of the whole run, and a duration is longer by it.
    expect(specOf({ count: 5, warmupMs: 2_500 })).toMatchObject({
      profile: { warmup: { value: 2.5, mode: 'duration' } },
      constraints: [{ kind: 'max_duration', seconds: 32.5 }],
    });
    const gamma = { schedule: { kind: 'open', arrivals: { kind: 'gamma', perSecond: 2, shape: 0.5 } } } as const;
    expect(specOf(gamma)).toMatchObject({ profile: { kind: 'replay', schedule_turn: 'timestamp' } });
  });

  test('is whole only where a trace was sent to its end', () => {
    const isCut = (schedule: LoadOptions['schedule']): unknown =>
      reportOf({ options: { schedule } }).benchmarks[0]?.['scheduler_metrics']?.['dataset_incomplete'];
    // One request was counted, and one is open.
    const trace = (count: number) => Array.from({ length: count }, (_, index) => ({ atNs: index }));
    expect(isCut({ kind: 'recorded', recorded: trace(2) })).toBe(false);
    expect(isCut({ kind: 'recorded', recorded: trace(3) })).toBe(true);
    expect(isCut({ kind: 'closed' })).toBe(true);
  });

  test('has no schedule to be late for in a closed loop', () => {
    const { metrics } = reportOf({ options: { schedule: { kind: 'closed' } } }).benchmarks[0] as Benchmark;
    expect([metrics['request_dispatch_delay'], metrics['root_dispatch_delay']]).toEqual([null, null]);
  });

  test('has a benchmark for each step of a sweep, which says what set it apart', () => {
    const { benchmarks } = reportOf(
      { step: { 'max-num-seqs': '8' } },
      { step: { 'max-num-seqs': '16' }, exchanges: [] },
    );
    expect(benchmarks.map(({ config }) => [config?.['run_index'], config?.['environment']])).toMatchObject([
      [0, { 'max-num-seqs': '8', unsent_requests: 2 }],
      [1, { 'max-num-seqs': '16' }],
    ]);
    expect(new Set(benchmarks.map(({ config }) => config?.['run_id'])).size).toBe(1);
  });

  test('is none where nothing was counted', () => expect(textOf({ exchanges: [] })).toBe(''));

  test('takes no more requests than fit, and counts the others', () => {
    const report = new GuidellmReport('9.9.9');
    const benchmark = report.begin(OPTIONS);
    for (let ordinal = 0; ordinal < LOAD_GUIDELLM_MAX_COUNT + 3; ordinal += 1) benchmark.add(FAILED);
    report.end({ benchmark, result: RESULT, step: {} });
    expect([benchmark.requests.length, report.leftOutCount]).toEqual([LOAD_GUIDELLM_MAX_COUNT, 3]);
  });
});
