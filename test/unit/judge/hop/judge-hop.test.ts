// Goal: a hop that holds is named with its way, and one that does not is never accused, whatever the engine's rhythm.
// Method: rhythms played through hops that hold in a known way; each rule with its near miss.
import { describe, expect, test } from 'vitest';
import type { HopVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { judgeHop } from '../../../../src/judge/hop/judge-hop.ts';
import {
  bursty,
  byCount,
  bySize,
  byTimer,
  byWait,
  type Hop,
  hopRecord,
  type HopSpec,
  passes,
  type Piece,
  stalling,
  steady,
  untilEnd,
} from './records.ts';

function verdict(spec: HopSpec): HopVerdict {
  const found = judgeHop(hopRecord(spec));
  if (found === undefined) throw new Error('there is text on both sides');
  return found;
}

const RHYTHMS: readonly (readonly [string, readonly Piece[]])[] = [
  ['steady 5 ms', steady(5, 400)],
  ['steady 20 ms', steady(20, 200)],
  ['bursts each 60 ms', bursty(60, 120)],
  ['stalling', stalling(20, 200, 1_500)],
];

const HOLDERS: readonly (readonly [string, Hop, HopVerdict['way']])[] = [
  ['4 KiB blocks', bySize(4_096), 'size'],
  ['8 KiB blocks', bySize(8_192), 'size'],
  ['1 KiB blocks', bySize(1_024), 'size'],
  ['a timer of 250 ms', byTimer(250, 3), 'timer'],
  ['a timer of 2 s', byTimer(2_000, 7), 'timer'],
  ['a timer of 100 ms', byTimer(100, 13), 'timer'],
  ['everything until the end', untilEnd, 'until_end'],
];

describe.each(RHYTHMS)('%s', (_, pieces) => {
  test.each(HOLDERS)('%s', (_name, hop, way) => {
    // A timer of 2 s sees too little of a short answer to be told from the end; the longer rhythms show it.
    const found = verdict({ pieces: hop === HOLDERS[4]?.[1] ? [...pieces, ...shift(pieces, 6_000)] : pieces, hop });
    expect([found.word, found.way]).toEqual(['holds', way]);
  });

  test.each([0, 0.3, 3, 40, 250])('a hop that costs %d ms for everything passes', (delayMs) => {
    expect(verdict({ pieces, hop: passes(delayMs) }).word).toBe('passes');
  });

  test('a coding that was put on makes it the compressor', () => {
    const found = verdict({ pieces, hop: bySize(4_096), changes: ['coding_added'] });
    expect([found.word, found.way]).toEqual(['holds', 'compression']);
  });

  test('a coding that was put on and flushed is no hold', () => {
    expect(verdict({ pieces, hop: passes(), changes: ['coding_added'] }).word).toBe('passes');
  });

  test('one pause of the hop is an accident', () => {
    const pausing: Hop = (all) => all.map(({ atMs }) => (atMs >= 400 && atMs < 460 ? 460 : atMs + 0.3));
    expect(verdict({ pieces, hop: pausing }).word).not.toBe('holds');
  });
});

function shift(pieces: readonly Piece[], byMs: number): Piece[] {
  const endMs = pieces.at(-1)?.atMs ?? 0;
  return pieces.map((piece) => ({ ...piece, atMs: piece.atMs + Math.max(byMs, endMs) }));
}

test('ten events at a time is a size', () => {
  expect(verdict({ pieces: steady(20, 200), hop: byCount(10) })).toMatchObject({ word: 'holds', way: 'size' });
});

test('three times as many events are a size, also where the clocks are too far apart to see more', () => {
  const short = { pieces: steady(20, 75), hop: byCount(25) };
  expect(verdict(short)).toMatchObject({ word: 'holds', way: 'size' });
  expect(verdict({ ...short, clockErrorMs: 20 }).word).toBe('holds');
  expect(verdict({ ...short, hop: byCount(31), clockErrorMs: 20 }).word).toBe('unsure');
});

test('a wait from the first piece on is a timer', () => {
  const pieces = bursty(23, 120).filter((_, index) => index % 7 !== 3);
  expect(verdict({ pieces, hop: byWait(90) })).toMatchObject({ word: 'holds', way: 'timer' });
});

describe('releases without a rule', () => {
  const at =
    (breaks: readonly number[], factor: number): Hop =>
    (all) =>
      all.map(({ atMs }) => breaks.map((one) => one * factor + 9).find((one) => one >= atMs) ?? atMs + 1);
  const breaks = [130, 420, 500, 930, 1_010, 1_600, 1_720, 2_500, 2_590, 3_300, 3_500, 4_200];

  test('are re-chunking when text waits for longer than networks let it', () => {
    expect(verdict({ pieces: steady(20, 600), hop: at(breaks, 3) })).toMatchObject({ word: 'holds', way: 'rechunk' });
  });

  test('are nobody’s fault for sure when it does not', () => {
    const found = verdict({ pieces: steady(20, 200), hop: at(breaks, 1) });
    expect([found.word, found.signs.includes('irregular')]).toEqual(['unsure', true]);
  });
});

describe('the beginning', () => {
  const until =
    (atMs: number): Hop =>
    (all) =>
      all.map((piece) => Math.max(atMs, piece.atMs + 0.3));

  test('head and first text together, long after the head was there', () => {
    const found = verdict({ pieces: steady(20, 100, 500), hop: passes(), headMs: [10, 500.3] });
    expect(found).toMatchObject({ word: 'holds', way: 'head', numbers: { headHoldMs: 490 } });
  });

  test('a head that is kept, and a sleep before the first text', () => {
    const found = verdict({ pieces: steady(20, 100, 500), hop: until(525), headMs: [10, 525] });
    expect(found).toMatchObject({
      way: 'head',
      signs: ['head_withheld', 'first_text_held'],
      numbers: { firstHoldMs: 24.7 },
    });
  });

  test('a head that went in with the text comes out with it', () => {
    expect(verdict({ pieces: steady(20, 100, 500), hop: passes(), headMs: [499, 500.3] }).word).toBe('passes');
  });

  test('a far hop makes the head late as well, and withholds nothing', () => {
    expect(verdict({ pieces: steady(20, 100, 500), hop: passes(200), headMs: [10, 210] }).word).toBe('passes');
  });

  test('a head that came out long before the text was not withheld', () => {
    expect(verdict({ pieces: steady(20, 100, 500), hop: passes(), headMs: [10, 200] }).word).toBe('passes');
  });

  test('the first text alone held says nothing yet of one exchange', () => {
    const found = verdict({ pieces: steady(20, 100), hop: until(230), headMs: [10, 11] });
    expect(found).toMatchObject({ word: 'unsure', signs: ['first_text_held'], numbers: { firstHoldMs: 129.7 } });
  });
});

describe('a beat of the hop’s own', () => {
  const paced =
    (everyMs: number): Hop =>
    (all) => {
      let at = 0;
      return all.map(({ atMs }) => (at = Math.max(at + everyMs, atMs)));
    };

  test('slower than the engine', () => {
    expect(verdict({ pieces: steady(20, 100), hop: paced(25) })).toMatchObject({ word: 'holds', way: 'rechunk' });
  });

  test('as fast as the engine holds nothing', () => {
    expect(verdict({ pieces: steady(25, 100), hop: paced(25) }).word).toBe('passes');
  });

  test('an engine’s own even beat through a far hop is no hold', () => {
    expect(verdict({ pieces: steady(20, 100), hop: passes(300) }).word).toBe('passes');
  });
});

describe('blocks to the byte', () => {
  /** Comes out in blocks of a buffer that cut events; what is cut is whole with the next. */
  const cutting = (blockBytes: number, pieces: readonly Piece[]): HopSpec => {
    let sum = 0;
    const ends = pieces.map(({ bytes }) => (sum += bytes));
    const fullAt = (end: number): number => Math.ceil(end / blockBytes) * blockBytes;
    const hop: Hop = (all) =>
      ends.map(
        (end) => (all[ends.findIndex((other) => other >= fullAt(end))]?.atMs ?? (all.at(-1)?.atMs ?? 0) + 1) + 0.2,
      );
    return { pieces, hop, chunkBytes: (index, count) => (index < count - 1 ? blockBytes : sum % blockBytes) };
  };

  test('are a size, though hardly two reads come out together', () => {
    const pieces = bursty(40, 60).map((one) => ({ ...one, bytes: 700 + (one.bytes % 300) }));
    expect(verdict(cutting(1_024, pieces))).toMatchObject({
      word: 'holds',
      way: 'size',
      numbers: { blockBytes: 1_024 },
    });
  });

  test('of a size that no buffer has are events', () => {
    const even = steady(20, 100).map((one) => ({ ...one, bytes: 220 }));
    expect(verdict({ pieces: even, hop: passes(40), chunkBytes: () => 220 }).word).toBe('passes');
  });
});

describe('always one behind', () => {
  const behind: Hop = (all) => all.map(({ atMs }, index) => (all[index + 1]?.atMs ?? atMs) + 0.2);
  const uneven = steady(20, 100).map((one, index) => ({ ...one, atMs: one.atMs + Math.floor(index / 9) * 55 }));

  test('each read waits as long as the engine is silent after it', () => {
    expect(verdict({ pieces: uneven, hop: behind })).toMatchObject({
      word: 'holds',
      way: 'rechunk',
      signs: ['one_behind'],
    });
    expect(verdict({ pieces: uneven, hop: behind, changes: ['coding_added'] }).way).toBe('compression');
  });

  /** As even as a timer of a process: some tenths of a millisecond. */
  const nearlyEven = steady(20, 100).map((one, index) => ({ ...one, atMs: one.atMs + ((index * 7) % 11) / 12 }));

  test('the unevenness of a machine is enough to tell', () => {
    const found = verdict({ pieces: nearlyEven, hop: behind, changes: ['coding_added'] });
    expect(found).toMatchObject({ word: 'holds', way: 'compression', signs: ['one_behind'] });
  });

  test('a long way adds the same to each read, and is not accused for its length', () => {
    expect(verdict({ pieces: nearlyEven, hop: passes(20) }).word).not.toBe('holds');
    expect(verdict({ pieces: nearlyEven, hop: passes(20.9) }).word).not.toBe('holds');
    const jittered: Hop = (all) => all.map(({ atMs }, index) => atMs + 20 + ((index * 5) % 9) / 10);
    expect(verdict({ pieces: nearlyEven, hop: jittered }).word).not.toBe('holds');
    // Too few to tell.
    expect(verdict({ pieces: nearlyEven.slice(0, 15), hop: behind }).word).not.toBe('holds');
  });

  test('a hop that is far away by one beat of the engine is not', () => {
    expect(verdict({ pieces: uneven, hop: passes(20) }).word).toBe('passes');
    expect(verdict({ pieces: steady(20, 100), hop: passes(20) }).word).toBe('passes');
  });
});

test('a compressor that is flushed, and a beat that gathers what it gives', () => {
  const found = verdict({ pieces: stalling(17, 200, 700), hop: byTimer(230, 11), changes: ['coding_added'] });
  expect(found).toMatchObject({
    word: 'holds',
    way: 'timer',
    signs: ['held_together', 'coding_added', 'constant_interval'],
  });
});

test('most text passed and some of it late is a busy machine', () => {
  const busy: Hop = (all) => all.map(({ atMs }, index) => atMs + (index % 8 === 3 ? 16 : 0.4));
  expect(verdict({ pieces: steady(20, 200), hop: busy })).toMatchObject({
    word: 'passes',
    confidence: 0.8,
    signs: ['jitter'],
  });
});

describe('too little to tell', () => {
  test('text that went in all at once and came out late', () => {
    const pieces = [{ atMs: 100, chars: 5, bytes: 200 }];
    expect(verdict({ pieces, hop: passes(400) })).toMatchObject({ word: 'unsure', signs: ['too_short'] });
    expect(verdict({ pieces, hop: passes(1) }).word).toBe('passes');
  });

  test('a pair without text is not judged', () => {
    expect(judgeHop(hopRecord({ pieces: [], hop: passes() }))).toBeUndefined();
    const { hop: _, ...alone } = hopRecord({ pieces: [], hop: passes() });
    expect(judgeHop(alone)).toBeUndefined();
  });

  test('a network that is uneven is not accused', () => {
    const uneven: Hop = (all) => all.map(({ atMs }, index) => atMs + 5 + ((index * 7) % 13));
    expect(verdict({ pieces: steady(20, 200), hop: uneven })).toMatchObject({ word: 'unsure', signs: ['jitter'] });
  });
});
