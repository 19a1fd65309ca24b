// Goal: what an engine publishes is shown under its route, in the unit its name says, and what it does
// not publish has no series.
// Method: states as plain values, rendered as Prometheus reads them and as OTLP sends them.
import { expect, it } from 'vitest';
import type { EngineState } from '../../../src/judge/engine-state.ts';
import { ENGINE_METRICS, type EngineSources, observeEngines } from '../../../src/telemetry/engine-metrics.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';

const FULL: EngineState = {
  route: 'chat',
  engine: 'vllm',
  up: true,
  ageNs: 1_500_000_000,
  runningCount: 3,
  waitingCount: 2,
  kvUsedRatio: 0.8125,
  preemptedCount: 7,
  window: {
    windowNs: 5_000_000_000,
    queueMeanNs: 41_500_000,
    prefillMeanNs: 125_000_000,
    stepMeanNs: 12_500_000,
    prefixHitRatio: 0.5,
    draftAcceptedRatio: 0.75,
    generatedPerSecond: 0.4,
  },
};

function samplesOf(sources: Partial<EngineSources>): string[] {
  const store = createMetricStore({ specs: ENGINE_METRICS, known: { route: ['chat'] }, startEpochMs: 1 });
  observeEngines(store, { states: () => [], gpus: () => undefined, faults: () => [], ...sources });
  return renderMetrics(store.collect(), {}, 'text')
    .split('\n')
    .filter(
      (line) => line !== '' && !line.startsWith('#') && !line.startsWith('rubato_self') && !line.startsWith('target'),
    );
}

it('shows everything an engine publishes', () => {
  expect(samplesOf({ states: () => [FULL] })).toEqual([
    'rubato_engine_up{route="chat"} 1',
    'rubato_engine_metrics_age_seconds{route="chat"} 1.5',
    'rubato_engine_running{route="chat"} 3',
    'rubato_engine_waiting{route="chat"} 2',
    'rubato_engine_kv_usage_ratio{route="chat"} 0.8125',
    'rubato_engine_preemptions_total{route="chat"} 7',
    'rubato_engine_queue_window_mean_seconds{route="chat"} 0.0415',
    'rubato_engine_prefill_window_mean_seconds{route="chat"} 0.125',
    'rubato_engine_step_window_mean_seconds{route="chat"} 0.0125',
    'rubato_engine_prefix_cache_window_hit_ratio{route="chat"} 0.5',
    'rubato_engine_speculation_window_accepted_ratio{route="chat"} 0.75',
    'rubato_engine_generation_window_rate{route="chat"} 0.4',
  ]);
});

it('shows of a silent engine only that it is', () => {
  expect(samplesOf({ states: () => [{ route: 'chat', up: false }] })).toEqual(['rubato_engine_up{route="chat"} 0']);
  expect(samplesOf({})).toEqual([]);
});

it('shows GPUs by their index, and polls that failed by their reason', () => {
  const gpu = {
    gpu: '0',
    activeRatio: 0.75,
    tensorActiveRatio: 0.125,
    dramActiveRatio: 0.875,
    memoryUsedBytes: 1024,
    powerWatts: 412.345,
  };
  const lines = samplesOf({
    gpus: () => ({ gpus: [gpu, { gpu: '1', activeRatio: 1 }], ageNs: 2e9 }),
    faults: () => [{ route: 'chat', fault: 'timeout', count: 4 }],
  });
  expect(lines).toEqual([
    'rubato_engine_poll_faults_total{route="chat",reason="timeout"} 4',
    'rubato_gpu_activity_ratio{gpu="0"} 0.75',
    'rubato_gpu_activity_ratio{gpu="1"} 1',
    'rubato_gpu_tensor_activity_ratio{gpu="0"} 0.125',
    'rubato_gpu_dram_activity_ratio{gpu="0"} 0.875',
    'rubato_gpu_memory_used_bytes{gpu="0"} 1024',
    'rubato_gpu_power_watts{gpu="0"} 412.345',
    'rubato_gpu_metrics_age_seconds 2',
  ]);
});
