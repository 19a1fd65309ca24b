// Goal: what is known of a route's floor is shown in the unit its name says, and what is not has no series.
// Method: states as plain values, rendered as Prometheus reads them.
import { expect, test } from 'vitest';
import type { FloorState } from '../../../src/judge/floor/live.ts';
import { FLOOR_METRICS, observeFloors } from '../../../src/telemetry/floor-metrics.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';

const NAMED = { route: 'chat', model: 'm', hardware: 'h', tensorParallelCount: 1, mode: 'roofline' } as const;

function samplesOf(...states: readonly FloorState[]): string[] {
  const store = createMetricStore({ specs: FLOOR_METRICS, known: { route: ['chat'] }, startEpochMs: 1 });
  observeFloors(store, () => states);
  return renderMetrics(store.collect(), {}, 'text')
    .split('\n')
    .filter((line) => line.startsWith('rubato_floor'));
}

test('all that is known is shown', () => {
  const seen = { basis: 'seen', batchCount: 2.5, contextTokens: 1234.4, floorNs: 15_051_081 } as const;
  expect(samplesOf({ ...NAMED, ...seen, stepNs: 24e6, timesFloor: 1.5946, bandwidthRatio: 0.6271 })).toEqual([
    'rubato_floor_step_seconds{route="chat"} 0.015051081',
    'rubato_floor_measured_step_seconds{route="chat"} 0.024',
    'rubato_floor_times_ratio{route="chat"} 1.5946',
    'rubato_floor_bandwidth_ratio{route="chat"} 0.6271',
    'rubato_floor_batch{route="chat"} 2.5',
    'rubato_floor_context{route="chat"} 1234',
  ]);
});

test('what is not known has no series', () => {
  expect(samplesOf(NAMED)).toEqual([]);
  expect(samplesOf()).toEqual([]);
});
