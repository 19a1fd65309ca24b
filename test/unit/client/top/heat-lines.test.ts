// Goal: gaps over time are told where they happened and how slow the slowest hundredth of them was, by class. Method:
// columns by hand, and the characters that stand at the right edge.
import { describe, expect, test } from 'vitest';
import type { LiveBeat } from '../../../../src/telemetry/live/frame.ts';
import { AT, beat, classSummary, columns, hello, state } from './feed-events.ts';
import { lines, model } from './pictures.ts';

type Counts = Readonly<Record<string, readonly number[]>>;

/** The marks of a class in the line of its slow gaps, without the room before the first. */
function slow(all: LiveBeat['columns'], name = 'interactive', isColored = false): string {
  const of = model({ beat: beat({ columns: all }) });
  const line = lines(of, {}, { isColored }).find((each) => each.startsWith(`${name} gaps p99`)) ?? '';
  return line.slice(`${name} gaps p99 `.length).trimStart();
}

/** 100 gaps of 10 to 25 ms in the fourth bucket, of which so many are longer than a second. */
const withSlow = (count: number): Counts => ({ interactive: [0, 0, 0, 100 - count, 0, 0, 0, 0, count] });

describe('the slowest hundredth', () => {
  test('is what more than one gap in a hundred reaches, moment by moment', () => {
    expect(slow(columns([withSlow(0), withSlow(1), withSlow(2)]))).toBe('▃▃█');
  });

  test('is the only gap where there is one', () => {
    expect(slow(columns([{ interactive: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1] }]))).toBe('█');
  });

  test('is nothing where there was none, and the line is not there without any', () => {
    expect(slow(columns([withSlow(0), {}, { interactive: [] }, withSlow(0)]))).toBe('▃  ▃');
    expect(slow(columns([{}, {}]))).toBe('');
    expect(slow(columns([{ batch: [1] }]))).toBe('');
  });

  test('is bad from the length of the class’s own stall on, and not below', () => {
    const bucketOf = (bucket: number): Counts => ({
      interactive: Array.from({ length: 10 }, (_, at) => (at === bucket ? 5 : 0)),
    });
    // Stalls begin at 100 ms, which is the upper edge of bucket 5.
    expect(slow(columns([bucketOf(5)]), 'interactive', true)).toBe('\u001b[36m▅\u001b[39m');
    expect(slow(columns([bucketOf(6)]), 'interactive', true)).toBe('\u001b[31m▅\u001b[39m');
  });
});

describe('time', () => {
  test('moves what was drawn to the left, and leaves it as it was', () => {
    const of = model({ beat: beat({ columns: columns([withSlow(2)]) }) });
    const line = (): string => lines(of).find((each) => each.startsWith('interactive gaps p99')) ?? '';
    const before = line();
    of.beat(beat({ seq: 2, atEpochMs: AT + 2_000 }), AT + 2_000);
    expect(line()).toBe(`${before.slice(0, 21)}${before.slice(23)}  `);
  });

  test('that does not fit second by second is gathered, and no gap is lost', () => {
    const many = Array.from({ length: 300 }, (_, at) => withSlow(at % 30 === 0 ? 50 : 0));
    const marks = slow(columns(many));
    expect([...marks].filter((mark) => mark === '█')).toHaveLength(10);
    expect([...marks].every((mark) => mark === '█' || mark === '▃')).toBe(true);
  });
});

describe('the bar of a TTFT', () => {
  const parts = (lengths: readonly number[]) =>
    (['queue', 'prefill', 'network', 'rubato', 'other'] as const).map((part, at) => ({
      part,
      partNs: lengths[at] ?? 0,
    }));
  const bar = (lengths: readonly number[], width: number): string => {
    const ttftNs = lengths.reduce((sum, each) => sum + each, 0);
    const classes = [classSummary({ ttftAt: { p50: { id: '0-1', ttftNs, parts: parts(lengths) } } })];
    const drawn = lines(model(hello({ state: state({ classes }) })), { columns: width });
    return /ms ([A-Za-z–]+)/.exec(drawn.find((line) => line.startsWith('interactive TTFT')) ?? '')?.[1] ?? '';
  };

  test('is as long whatever it is made of, and each part has its share', () => {
    for (let width = 60; width < 140; width += 7) {
      const length = bar([1, 0, 0, 0, 0], width).length;
      for (const lengths of [
        [1, 1, 1, 1, 1],
        [1, 99, 1, 99, 1],
        [3, 3, 3, 1, 0],
        [1, 1e9, 1, 1, 1],
        [7, 5, 3, 2, 1],
      ])
        expect([width, lengths, bar(lengths, width).length]).toEqual([width, lengths, length]);
    }
    expect(bar([10, 20, 10, 0, 0], 134)).toBe(`${'Q'.repeat(10)}${'P'.repeat(20)}${'n'.repeat(10)}`);
  });

  test('is a dash where the TTFT has no length', () => {
    expect(bar([0, 0, 0, 0, 0], 134)).toBe('–');
  });
});
