// Goal: what is open now is counted by phase, and every class is there although nothing is open.
// Method: sources as plain values.
import { expect, it } from 'vitest';
import { ACTIVE, observeSelf, SELF_METRICS } from '../../../src/telemetry/self-metrics.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';

it('counts open exchanges by class, model and phase', () => {
  const store = createMetricStore({ specs: SELF_METRICS, known: { class: ['batch'] }, startEpochMs: 1 });
  observeSelf(
    store,
    {
      openExchanges: () => [
        { class: 'batch', model: 'm', phase: 'stream' },
        { class: 'batch', model: 'm', phase: 'stream' },
        { class: 'batch', model: 'other', phase: 'head' },
      ],
      loopLagNs: () => [],
      clockStepCount: () => 0,
      cpuThrottledNs: () => undefined,
      tapeDropped: () => [],
      shed: () => ({ streams: 2, descriptors: 0 }),
      readerDetachedCount: () => 0,
      exports: () => [],
      upstreamSurplusCount: () => 0,
      refusedCount: () => 0,
      foldedModelCount: () => 0,
      settledEarlyCount: () => 0,
      otlp: () => undefined,
      calibrations: () => ({}),
      cpuNs: () => 0,
    },
    () => ['batch'],
  );
  const active = store.collect().find(({ spec }) => spec === ACTIVE);
  expect(active?.scalars.map(({ labelValues, value }) => [...labelValues, value])).toEqual([
    ['batch', 'm', 'stream', 2],
    ['batch', 'other', 'head', 1],
    ['batch', 'other', 'silent', 0],
    ['batch', 'other', 'stream', 0],
    ['batch', 'other', 'token', 0],
    ['batch', 'other', 'turn', 0],
  ]);
});
