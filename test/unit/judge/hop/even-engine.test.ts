// Goal: where an engine is as even as a clock, and so many events are so much time, a hop is still told apart by when
// it gives out what it has; pairs of events are a rule, and a long way is none.
// Method: rhythms of engines through hops of arithmetic.
import { describe, expect, test } from 'vitest';
import { judgeHop } from '../../../../src/judge/hop/judge-hop.ts';
import { byCount, bursty, byTimer, hopRecord, steady, type HopSpec } from './records.ts';

const said = (spec: HopSpec) => judgeHop(hopRecord(spec));

describe('an engine that is even', () => {
  test.each([1.5, 3, 5, 7])('a timer that is %d ms behind its beat is a timer', (phaseMs) => {
    const spec = { hop: byTimer(400, phaseMs), innerOpenedMs: 3 };
    expect(said({ ...spec, pieces: steady(20, 125) })).toMatchObject({ word: 'holds', way: 'timer' });
    expect(said({ ...spec, pieces: bursty(40, 72) })).toMatchObject({ word: 'holds', way: 'timer' });
  });

  test.each([3, 5, 10])('%d events at a time are a size', (count) => {
    const pieces = steady(20, 125);
    const near = said({ pieces, hop: byCount(count), innerOpenedMs: 3 });
    expect(near).toMatchObject({ word: 'holds', way: 'size' });
    expect(near?.signs).toContain('released_on_arrival');
  });
});

test('two events at a time are a rule, though only one of them waits', () => {
  const verdict = said({ pieces: steady(20, 121), hop: byCount(2) });
  expect(verdict).toMatchObject({ word: 'holds', way: 'size' });
  expect(verdict?.numbers['blockEvents']).toBe(2);
});

test('a long way that was once measured short is still even', () => {
  const verdict = said({
    pieces: steady(20, 80),
    hop: (all) => all.map(({ atMs }, at) => atMs + (at === 40 ? 25 : 40)),
  });
  expect(verdict).toMatchObject({ word: 'passes' });
  expect(verdict?.signs).toContain('constant_delay');
});
