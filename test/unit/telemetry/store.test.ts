// Goal: series are exact, there from the start where they can be, and capped.
// Method: feed handles with integers and read the families back.
import { describe, expect, it } from 'vitest';
import type { MetricSpec } from '../../../src/base/metric-spec.ts';
import { createMetricStore, type MetricStore } from '../../../src/telemetry/store.ts';

const WAIT: MetricSpec = {
  name: 'rubato.wait',
  type: 'histogram',
  unit: 's',
  help: 'A wait.',
  labels: ['part'],
  classed: true,
  bounds: [0.001, 0.0075, 1],
};
const ENDS: MetricSpec = {
  name: 'rubato.ends',
  type: 'counter',
  unit: '{end}',
  help: 'Ends.',
  labels: ['reason'],
  classed: true,
  startAtZero: { reason: ['error', 'timeout'] },
};
const PLAIN: MetricSpec = { name: 'rubato.plain', type: 'counter', unit: '{x}', help: 'x', labels: [], classed: false };
const LEVEL: MetricSpec = {
  name: 'rubato.level',
  type: 'gauge',
  unit: '{x}',
  help: 'x',
  labels: ['phase'],
  classed: false,
};

function newStore(options: { seriesMax?: number; exponential?: boolean; classes?: string[] } = {}): MetricStore {
  const { classes = ['default'], ...rest } = options;
  return createMetricStore({ specs: [WAIT, ENDS, PLAIN, LEVEL], known: { class: classes }, startEpochMs: 1, ...rest });
}

function scalarsOf(store: MetricStore, name: string): Record<string, number> {
  const family = store.collect().find(({ spec }) => spec.name === name);
  return Object.fromEntries((family?.scalars ?? []).map(({ labelValues, value }) => [labelValues.join('/'), value]));
}

function histogramOf(store: MetricStore) {
  const family = store.collect().find(({ spec }) => spec.name === WAIT.name);
  return family?.histograms[0]?.histogram;
}

describe('counters', () => {
  it('are there at 0 for every class and closed value, with the model other', () => {
    expect(scalarsOf(newStore({ classes: ['batch', 'default'] }), 'rubato.ends')).toEqual({
      'batch/other/error': 0,
      'batch/other/timeout': 0,
      'default/other/error': 0,
      'default/other/timeout': 0,
    });
  });

  it('are there at 0 for classes that become known later, and keep what was counted', () => {
    const store = newStore({ classes: ['default'] });
    store.counter(ENDS, { class: 'default', model: 'other', reason: 'error' }).add(3);
    store.know({ class: ['late', 'default'] });
    expect(scalarsOf(store, 'rubato.ends')).toEqual({
      'default/other/error': 3,
      'default/other/timeout': 0,
      'late/other/error': 0,
      'late/other/timeout': 0,
    });
  });

  it('without labels of their own are there at 0 as well', () => {
    expect(scalarsOf(newStore(), 'rubato.plain')).toEqual({ '': 0 });
  });

  it('add up in one series for the same labels, however often the handle is looked up', () => {
    const store = newStore();
    store.counter(ENDS, { class: 'default', model: 'm', reason: 'error' }).add(2);
    store.counter(ENDS, { class: 'default', model: 'm', reason: 'error' }).add(3);
    expect(scalarsOf(store, 'rubato.ends')['default/m/error']).toBe(5);
  });

  it('refuse to shrink', () => {
    expect(() => newStore().counter(PLAIN, {}).add(-1)).toThrow(/only grows/);
  });

  it('that are kept elsewhere are read at collection and are not there twice', () => {
    const store = newStore();
    let count = 7;
    store.observe(PLAIN, () => [{ labels: {}, value: count }]);
    count = 8;
    expect(store.collect().find(({ spec }) => spec === PLAIN)?.scalars).toEqual([{ labelValues: [], value: 8 }]);
  });
});

describe('gauges', () => {
  it('have no series until somebody observes them', () => {
    const store = newStore();
    expect(store.collect().some(({ spec }) => spec === LEVEL)).toBe(false);
    store.observe(LEVEL, () => [{ labels: { phase: 'head' }, value: 3 }]);
    expect(scalarsOf(store, 'rubato.level')).toEqual({ head: 3 });
  });
});

describe('histograms', () => {
  it('count a value that equals a bound in the bucket below it', () => {
    const store = newStore();
    const handle = store.histogram(WAIT, { class: 'default', model: 'm', part: 'queue' });
    for (const value of [0, 1_000_000, 1_000_001, 7_500_000, 7_500_001, 2_000_000_000]) handle.record(value);
    expect([...(histogramOf(store)?.counts ?? [])]).toEqual([2, 2, 1, 1]);
  });

  it('keep count, min, max and the sum to the unit', () => {
    const store = newStore();
    const handle = store.histogram(WAIT, { class: 'default', model: 'm', part: 'queue' });
    for (const value of [123_456_789, 1, 876_543_210]) handle.record(value);
    const histogram = histogramOf(store);
    expect([histogram?.count, histogram?.min, histogram?.max, histogram?.sumInUnits]).toEqual([3, 1, 876_543_210, 1]);
  });

  it('keep the sum exact beyond what a double holds in ns', () => {
    const store = newStore();
    const handle = store.histogram(WAIT, { class: 'default', model: 'm', part: 'queue' });
    // 30 days at a time; their sum, 3,600 days, is 34 times 2^53 ns.
    for (let index = 0; index < 120; index += 1) handle.record(30 * 86_400 * 1e9);
    handle.record(500_000_000);
    expect(histogramOf(store)?.sumInUnits).toBe(120 * 30 * 86_400 + 0.5);
  });

  it('remember the latest traced value of each bucket only', () => {
    const store = newStore();
    const handle = store.histogram(WAIT, { class: 'default', model: 'm', part: 'queue' });
    handle.record(10, { traceId: 'a', spanId: '1' });
    handle.record(20, { traceId: 'b', spanId: '2' });
    handle.record(30);
    expect(histogramOf(store)?.exemplarOf(0)).toMatchObject({ ref: { traceId: 'b', spanId: '2' }, value: 20 });
    expect(histogramOf(store)?.exemplarOf(1)).toBeUndefined();
  });

  it('keep exponential buckets of scale 3 when asked, with clamped ends and zeros apart', () => {
    const store = newStore({ exponential: true });
    const handle = store.histogram(WAIT, { class: 'default', model: 'm', part: 'queue' });
    for (const value of [0, 1, 1_000_000_000, 1_000_000_001, 3_600_000_000_000]) handle.record(value);
    const histogram = histogramOf(store);
    const counts = [...(histogram?.exponentialCounts ?? [])];
    expect(histogram?.zeroCount).toBe(1);
    expect(counts.length).toBe(207);
    // 1 s is 2^0, the upper bound of bucket -1; the first bucket is -133.
    expect([counts[0], counts[132], counts[133], counts[206]]).toEqual([1, 1, 1, 1]);
  });
});

describe('the cap on series', () => {
  it('folds later label sets of a metric into one series and counts each label that was folded', () => {
    const store = newStore({ seriesMax: 6 });
    // Three counters and the reserved ones are there from the start.
    const before = store.collect().reduce((sum, family) => sum + family.scalars.length, 0);
    for (let index = 0; index < 10; index += 1) {
      store.counter(ENDS, { class: `c${index}`, model: `m${index}`, reason: 'error' }).add(1);
    }
    const ends = scalarsOf(store, 'rubato.ends');
    const folded = scalarsOf(store, 'rubato.self.labels_folded');
    expect(before).toBe(6);
    expect(Object.values(ends).reduce((sum, value) => sum + value, 0)).toBe(10);
    expect(ends['other/other/other']).toBe(10);
    expect(folded).toEqual({ class: 10, model: 10, reason: 10, route: 0 });
  });

  it('folds the model alone where its class has a series of all models', () => {
    const store = newStore({ seriesMax: 6 });
    for (let index = 0; index < 10; index += 1) {
      store.counter(ENDS, { class: 'default', model: `m${index}`, reason: 'error' }).add(1);
    }
    expect(scalarsOf(store, 'rubato.ends')).toMatchObject({ 'default/other/error': 10, 'default/other/timeout': 0 });
    expect(scalarsOf(store, 'rubato.self.labels_folded')).toEqual({ class: 0, model: 10, route: 0 });
  });

  it('keeps the series of a histogram that were there before', () => {
    const store = newStore({ seriesMax: 7 });
    const first = { class: 'default', model: 'm', part: 'queue' };
    store.histogram(WAIT, first).record(5);
    store.histogram(WAIT, { ...first, part: 'prefill' }).record(6);
    store.histogram(WAIT, first).record(7);
    const family = store.collect().find(({ spec }) => spec === WAIT);
    expect(family?.histograms.map(({ labelValues, histogram }) => [labelValues.join('/'), histogram.count])).toEqual([
      ['default/m/queue', 2],
      ['other/other/other', 1],
    ]);
  });
});

it('refuses a metric that was not declared to it', () => {
  expect(() => newStore().counter({ ...PLAIN, name: 'rubato.stranger' }, {})).toThrow(/declared/);
});
