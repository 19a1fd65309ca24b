// Goal: the table of metrics is complete and consistent.
// Method: the list of names stands here a second time; each declaration is checked for what its type
// cannot say.
import { expect, test } from 'vitest';
import { METRICS } from '../../../src/measure/table.ts';

test('the metrics fed by measures', () => {
  expect(METRICS.map(({ name, type, unit, labels }) => `${name} ${type} ${unit} ${labels.join()}`)).toEqual([
    'rubato.ttft histogram s prompt_bucket',
    'rubato.ttfo histogram s ',
    'rubato.thinking histogram s ',
    'rubato.ttft.per_1k_uncached_tokens histogram s prompt_bucket',
    'rubato.ttft.part histogram s part,basis',
    'rubato.network.part histogram s part',
    'rubato.admission.wait histogram s ',
    'rubato.gap histogram s point',
    'rubato.gap.max histogram s ',
    'rubato.gaps counter {gap} stalled',
    'rubato.gaps.tainted counter {gap} cause',
    'rubato.stalls counter {stall} cause',
    'rubato.tpot histogram s ',
    'rubato.exchange.duration histogram s outcome,route,output_bucket',
    'rubato.exchanges counter {exchange} outcome,route',
    'rubato.no_first_token counter {exchange} reason',
    'rubato.tokens counter {token} kind',
    'rubato.event.tokens histogram {token} ',
    'rubato.read.tokens histogram {token} ',
    'rubato.events.coalesced counter {event} ',
    'rubato.backpressure histogram s ',
    'rubato.splits counter {exchange} basis',
    'rubato.doubts counter {exchange} doubt',
  ]);
});

test('every histogram has rising bounds, fit for what it measures', () => {
  const histograms = METRICS.filter(({ type }) => type === 'histogram');
  for (const { name, bounds = [] } of histograms) {
    expect(bounds.length, name).toBeGreaterThan(10);
    expect(
      bounds.toSorted((a, b) => a - b),
      name,
    ).toEqual(bounds);
    expect(new Set(bounds).size, name).toBe(bounds.length);
    expect(bounds.at(-1), name).toBeGreaterThanOrEqual(60);
  }
  expect(METRICS.filter(({ bounds }) => bounds !== undefined)).toEqual(histograms);
});

test('every counter starts at 0 for every value of its closed labels', () => {
  for (const { name, type, labels, startAtZero = {} } of METRICS) {
    // Routes are named by configuration; whoever starts the counters knows them.
    const closed = type === 'counter' ? labels.filter((label) => label !== 'route') : [];
    expect(Object.keys(startAtZero), name).toEqual(closed);
  }
});

test('every help is a sentence, and that of a duration names its two events', () => {
  for (const { name, unit, help } of METRICS) {
    expect(help, name).toMatch(/^[A-Z].*\.$/);
    if (unit === 's') expect(help, name).toMatch(/[ (](from|between) .* (to|and) /);
  }
});
