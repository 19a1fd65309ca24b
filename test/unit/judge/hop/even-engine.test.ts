// Goal: where an engine is as even as a clock, and so many events are so much time, a hop is still told apart by when
// it gives out what it has; pairs of events are a rule, and a long way is none.
// Method: rhythms of engines through hops of arithmetic.
import { describe, expect, test } from 'vitest';
import { judgeHop } from '../../../../src/judge/hop/judge-hop.ts';
import { CHUNK_INSIDE_EVENT } from '../../../../src/record/kinds.ts';
import type { HopChange } from '../../../../src/record/hop-facts.ts';
import { byCount, bursty, byTimer, type Hop, hopRecord, steady, type HopSpec } from './records.ts';

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

// HAProxy with compression and no delay, behind an engine as even as a clock: far away by one beat looked the same.
describe('one beat behind an engine that is even', () => {
  const oneBeat = (changes: readonly HopChange[], areCut: boolean, delayMs = 20) => {
    // At the end of the answer nothing is kept any more.
    const behind: Hop = (all) => all.map(({ atMs }, at) => atMs + (at + 1 < all.length ? delayMs : 0.3));
    const record = hopRecord({ pieces: steady(20, 60), hop: behind, changes });
    const flags = record.chunks.receivedAtNs.map(() => (areCut ? CHUNK_INSIDE_EVENT : 0));
    const response = { ...record.response, encoding: 'gzip' };
    return judgeHop({ ...record, response, chunks: { ...record.chunks, flags } });
  };

  test('is a compressor where the hop added the coding and each event ends late', () => {
    expect(oneBeat(['coding_added'], true)).toMatchObject({
      word: 'holds',
      way: 'compression',
      signs: ['one_behind', 'ends_come_late'],
    });
  });

  test.each<[string, ReturnType<typeof oneBeat>]>([
    ['events come whole', oneBeat(['coding_added'], false)],
    ['the coding is another’s', oneBeat([], true)],
  ])('is not told apart from a long way where %s', (_name, verdict) => {
    expect(verdict).toMatchObject({ word: 'unsure', signs: ['one_beat'] });
  });

  test('is a long way where it is longer than that', () => {
    expect(oneBeat(['coding_added'], true, 35)).toMatchObject({ word: 'passes' });
  });
});
