// Goal: what a report says is in the series, to the unit, and both routes out of the store agree.
// Method: feed reports with known moments; compare series, scrape text and OTLP points as integers.
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../../src/measure/table.ts';
import { createGenAiFeed, type ClientMetricNames } from '../../../src/telemetry/gen-ai-feed.ts';
import { innerOnly } from '../../../src/telemetry/inner-only.ts';
import { createMetricFeed } from '../../../src/telemetry/metric-feed.ts';
import { prometheusLabel, prometheusName } from '../../../src/telemetry/names.ts';
import { createMetricProducer } from '../../../src/telemetry/otlp-metrics.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { observeSelf, SELF_METRICS } from '../../../src/telemetry/self-metrics.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { parsePrometheus, sumOf, type Sample } from '../../support/prometheus.ts';
import { read } from '../../support/record-builder.ts';
import { LABELS, reportOf, tell, TRACE, usualStream } from './reports.ts';

function setUp(clientMetrics: ClientMetricNames = 'off', exponential = false) {
  const genAi = createGenAiFeed({ provider: 'vllm', clientMetrics });
  const store = createMetricStore({
    specs: [...METRICS, ...genAi.specs, ...SELF_METRICS],
    known: { class: ['interactive', 'default'], route: ['default'] },
    startEpochMs: 1_796_000_000_000,
    exponential,
  });
  const sinks = [createMetricFeed(store), innerOnly(genAi.sink(store))];
  const samples = (): Sample[] => parsePrometheus(renderMetrics(store.collect(), {}, 'text'));
  return { store, samples, tell: (report: Parameters<typeof tell>[1]) => sinks.forEach((sink) => tell(sink, report)) };
}

describe('the feed', () => {
  it('puts one sample of each kind for a stream of 40 tokens', () => {
    const { samples, tell: feed } = setUp();
    feed(reportOf({ ...usualStream(40), tokens: { prompt: 12, output: 40, basis: 'usage' } }));
    const all = samples();
    const count = (name: string, labels = {}): number | undefined => sumOf(all, name, { model: 'm', ...labels });
    expect(count('rubato_ttft_seconds_count')).toBe(1);
    expect(count('rubato_ttfo_seconds_count')).toBe(1);
    expect(count('rubato_gap_seconds_count', { point: 'received' })).toBe(39);
    expect(count('rubato_gap_seconds_count', { point: 'flushed' })).toBe(39);
    expect(count('rubato_gap_seconds_sum', { point: 'received' })).toBe(0.78);
    expect(count('rubato_gaps_total', { stalled: 'false' })).toBe(39);
    expect(count('rubato_gap_max_seconds_count')).toBe(1);
    expect(count('rubato_tpot_seconds_sum')).toBe(0.02);
    expect(count('rubato_exchanges_total', { outcome: 'ok', route: 'default' })).toBe(1);
    expect(count('rubato_exchange_duration_seconds_count', { output_bucket: '0-64' })).toBe(1);
    expect(count('rubato_tokens_total', { kind: 'prompt' })).toBe(12);
    expect(count('rubato_tokens_total', { kind: 'output' })).toBe(40);
    expect(count('rubato_tokens_total', { kind: 'reasoning' })).toBeUndefined();
    expect(count('rubato_splits_total', { basis: 'none' })).toBe(1);
    expect(count('rubato_backpressure_seconds_count')).toBe(1);
  });

  it('counts what was seen before a hop as an exchange of its own route, and its figures nowhere', () => {
    const { samples, tell: feed } = setUp('v0.1');
    const spec = { ...usualStream(40), tokens: { prompt: 12, output: 40, basis: 'usage' } } as const;
    feed(reportOf(spec));
    const before = samples();
    feed(reportOf(spec, { edge: 'gateway' }, { route: 'edge:gateway', edge: 'gateway' }));
    const after = samples();
    const key = ({ name, labels }: Sample): string => `${name} ${JSON.stringify(labels)}`;
    const known = new Map(before.map((sample) => [key(sample), sample.value]));
    const changed = after.filter((sample) => sample.value !== known.get(key(sample)));
    expect([...new Set(changed.map(({ name }) => name))].toSorted()).toEqual([
      'rubato_exchange_duration_seconds_bucket',
      'rubato_exchange_duration_seconds_count',
      'rubato_exchange_duration_seconds_sum',
      'rubato_exchanges_total',
    ]);
    expect(changed.every(({ labels }) => labels['route'] === 'edge:gateway')).toBe(true);
    expect(sumOf(after, 'rubato_exchanges_total', { outcome: 'ok', route: 'edge:gateway' })).toBe(1);
  });

  it('lets the parts of TTFT sum to TTFT', () => {
    const { samples, tell: feed } = setUp();
    feed(reportOf({ ...usualStream(2), marks: { uploadEndAtNs: 7_000_001, requestSentAtNs: 9_000_003 } }));
    const parts = samples().filter(({ name }) => name === 'rubato_ttft_part_seconds_sum');
    const ttftNs = Math.round((sumOf(samples(), 'rubato_ttft_seconds_sum') ?? 0) * 1e9);
    expect(parts.reduce((sum, { value }) => sum + Math.round(value * 1e9), 0)).toBe(ttftNs);
    expect(parts.map(({ labels }) => `${labels['part']}/${labels['basis']}`)).toEqual([
      'engine/remainder',
      'network/measured',
      'rubato/measured',
    ]);
  });

  it('counts a stalled gap as a stall with an unknown cause', () => {
    const { samples, tell: feed } = setUp();
    feed(reportOf({ reads: [read(10, 'text'), read(20, 'text'), read(400, 'text finish'), read(400, 'done')] }));
    expect(sumOf(samples(), 'rubato_gaps_total', { stalled: 'true' })).toBe(1);
    expect(sumOf(samples(), 'rubato_stalls_total', { cause: 'unknown' })).toBe(1);
  });

  it('gives an exchange without a token a reason and no sample of TTFT', () => {
    const { samples, tell: feed } = setUp();
    feed(reportOf({ wire: 'client_abort', reads: [read(10, 'role')] }));
    expect(sumOf(samples(), 'rubato_no_first_token_total', { reason: 'canceled', model: 'm' })).toBe(1);
    expect(sumOf(samples(), 'rubato_ttft_seconds_count')).toBeUndefined();
  });

  it('gives an answer that is no stream nothing but duration, tokens and outcome', () => {
    const { samples, tell: feed } = setUp();
    const answer = { streamed: false, eventCounts: {} };
    feed(
      reportOf({ reads: [read(30, '')], answer, tokens: { output: 9 }, response: { mediaType: 'application/json' } }),
    );
    const named = samples().filter(({ labels, name }) => labels['model'] === 'm' && !name.endsWith('_bucket'));
    const names = new Set(named.map(({ name }) => name));
    expect([...names].filter((name) => name.startsWith('rubato_')).sort()).toEqual([
      'rubato_exchange_duration_seconds_count',
      'rubato_exchange_duration_seconds_sum',
      'rubato_exchanges_total',
      'rubato_tokens_total',
    ]);
  });

  it('points from a bucket to the trace, on OpenMetrics only', () => {
    const { store, tell: feed } = setUp();
    feed(reportOf(usualStream(3), { trace: TRACE }));
    const exemplar = `# {trace_id="${TRACE.traceId}",span_id="${TRACE.serverSpanId}"} 0.100025 `;
    const openMetrics = renderMetrics(store.collect(), {}, 'openmetrics').split('\n');
    expect(
      openMetrics.filter((line) => line.startsWith('rubato_ttft_seconds_bucket') && line.includes(exemplar)),
    ).toHaveLength(1);
    expect(renderMetrics(store.collect(), {}, 'text')).not.toContain('trace_id');
  });
});

it('tainted gaps are counted by cause, and coalesced events, without a sample', () => {
  const { store, samples } = setUp();
  const feed = createMetricFeed(store);
  feed.onTaintedGap?.(LABELS, 'gc');
  feed.onTaintedGap?.(LABELS, 'backpressure');
  feed.onTaintedGap?.(LABELS, 'gc');
  feed.onCoalesced?.(LABELS, 3);
  expect(sumOf(samples(), 'rubato_gaps_tainted_total', { cause: 'gc' })).toBe(2);
  expect(sumOf(samples(), 'rubato_gaps_tainted_total')).toBe(3);
  expect(sumOf(samples(), 'rubato_events_coalesced_total')).toBe(3);
  expect(sumOf(samples(), 'rubato_gap_seconds_count')).toBe(0);
});

describe('the metrics of the GenAI conventions', () => {
  it('have one sample each for a good stream, with the names of the conventions', () => {
    const { samples, tell: feed } = setUp();
    feed(reportOf({ ...usualStream(10), tokens: { output: 10, basis: 'usage' } }));
    const labels = { gen_ai_operation_name: 'chat', gen_ai_provider_name: 'vllm', gen_ai_request_model: 'm' };
    expect(sumOf(samples(), 'gen_ai_server_time_to_first_token_seconds_count', labels)).toBe(1);
    expect(sumOf(samples(), 'gen_ai_server_time_per_output_token_seconds_sum', labels)).toBe(0.02);
    expect(sumOf(samples(), 'gen_ai_server_request_duration_seconds_count', labels)).toBe(1);
    expect(samples().some(({ name }) => name.startsWith('gen_ai_client'))).toBe(false);
  });

  it('give a failure its error type on the duration and no time to first token', () => {
    const { samples, tell: feed } = setUp();
    feed(reportOf({ wire: 'upstream_aborted', reads: [read(10, 'text')] }));
    expect(sumOf(samples(), 'gen_ai_server_request_duration_seconds_count', { error_type: 'upstream_aborted' })).toBe(
      1,
    );
    expect(sumOf(samples(), 'gen_ai_server_time_to_first_token_seconds_count')).toBeUndefined();
  });

  it.each([
    ['v1.41', 'gen_ai_client_operation_time_to_first_chunk_seconds_count', 'gen_ai_client_token_usage_sum'],
    [
      'v0.1',
      'gen_ai_client_inference_time_to_first_chunk_seconds_count',
      'gen_ai_client_inference_usage_output_tokens_total',
    ],
  ] as const)('of the client side have the names of %s', (version, firstChunk, tokens) => {
    const { samples, tell: feed } = setUp(version);
    feed(reportOf({ ...usualStream(10), tokens: { output: 10, basis: 'usage' } }));
    expect(sumOf(samples(), firstChunk)).toBe(1);
    expect(sumOf(samples(), tokens)).toBe(10);
  });

  it('leave alone what is no inference', () => {
    const { samples, tell: feed } = setUp();
    feed(
      reportOf({ reads: [read(1, '')], request: { path: '/v1/models', method: 'GET' }, answer: { streamed: false } }),
    );
    expect(samples().some(({ name }) => name.startsWith('gen_ai'))).toBe(false);
  });
});

describe('the two routes', () => {
  it('agree on every counter, gauge, count, sum and bucket', async () => {
    const { store, samples, tell: feed } = setUp('v1.41');
    for (let index = 0; index < 20; index += 1) {
      feed(
        reportOf(
          { ...usualStream(5 + index), tokens: { output: 5 + index, basis: 'usage' } },
          {},
          { model: `m${index % 3}` },
        ),
      );
    }
    observeSelf(
      store,
      {
        openExchanges: () => [{ class: 'default', model: 'm0', phase: 'stream' }],
        loopLagNs: () => [{ thread: 'main', lagNs: 1_500_000 }],
        clockStepCount: () => 2,
        cpuThrottledNs: () => 1_500_000_000,
        tapeDropped: () => [{ kind: 'bytes', count: 4 }],
        shed: () => ({ streams: 2, descriptors: 0 }),
        readerDetachedCount: () => 2,
        exports: () => [
          { signal: 'traces', droppedCount: 3, rest: { takenCount: 10, exportedCount: 5, queuedCount: 2 } },
          { signal: 'logs', droppedCount: 1 },
        ],
        upstreamSurplusCount: () => 0,
        refusedCount: () => 4,
        foldedModelCount: () => 7,
        settledEarlyCount: () => 1,
        otlp: () => undefined,
        calibrations: () => ({ estimated: 3, learning: 30 }),
        cpuNs: () => 2_500_000_000,
      },
      () => ['interactive', 'default'],
    );
    expect(await otlpSamples(store)).toEqual(asRecord(samples().filter(({ name }) => name !== 'target_info')));
  });

  it('agree on count and sum when OTLP is exponential', async () => {
    const { store, samples, tell: feed } = setUp('off', true);
    feed(reportOf(usualStream(30)));
    const { resourceMetrics } = await createMetricProducer(store, { exponential: true }).collect();
    const gap = resourceMetrics.scopeMetrics[0]?.metrics.find(({ descriptor }) => descriptor.name === 'rubato.gap');
    const point = gap?.dataPoints.find(({ attributes }) => attributes['point'] === 'received')?.value;
    expect(point).toMatchObject({ scale: 3, count: 29, sum: 0.58, zeroCount: 0, positive: { bucketCounts: [29] } });
    expect(sumOf(samples(), 'rubato_gap_seconds_count', { point: 'received' })).toBe(29);
  });
});

/** The producer's points as a Collector would write them out for Prometheus. */
async function otlpSamples(store: Parameters<typeof createMetricProducer>[0]): Promise<Record<string, number>> {
  const { resourceMetrics } = await createMetricProducer(store, { exponential: false }).collect();
  const samples: Sample[] = [];
  for (const metric of resourceMetrics.scopeMetrics[0]?.metrics ?? []) {
    const type = metric.dataPointType === 0 ? 'histogram' : metric.dataPointType === 2 ? 'gauge' : 'counter';
    const name = prometheusName({ name: metric.descriptor.name, unit: metric.descriptor.unit, type });
    for (const { attributes, value } of metric.dataPoints) {
      const labels = Object.fromEntries(
        Object.entries(attributes).map(([key, text]) => [prometheusLabel(key), String(text)]),
      );
      if (typeof value === 'number') {
        samples.push({ name, labels, value });
        continue;
      }
      if (!('buckets' in value)) throw new Error('an explicit histogram was expected');
      let cumulative = 0;
      for (const [index, count] of value.buckets.counts.entries()) {
        cumulative += count;
        const bound = value.buckets.boundaries[index];
        const le = bound === undefined ? '+Inf' : String(bound);
        samples.push({ name: `${name}_bucket`, labels: { ...labels, le }, value: cumulative });
      }
      samples.push({ name: `${name}_sum`, labels, value: value.sum ?? -1 });
      samples.push({ name: `${name}_count`, labels, value: value.count });
    }
  }
  return asRecord(samples);
}

function asRecord(samples: readonly Sample[]): Record<string, number> {
  const keyOf = ({ name, labels: { le, ...rest } }: Sample): string => {
    // OTLP has numbers for bounds; how they are written out is another test.
    const bound = le === undefined || le === '+Inf' ? {} : { le: String(Number(le)) };
    return `${name} ${le === '+Inf' ? 'all ' : ''}${JSON.stringify(Object.entries({ ...rest, ...bound }).sort())}`;
  };
  const entries = samples.map((sample) => [keyOf(sample), sample.value] as const);
  expect(new Set(entries.map(([key]) => key)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}
