// Goal: a stall is a gap above the class's limit and above 4 times what is usual for the stream.
// Method: gaps at the threshold and 1 ns above it, before and after the median counts.
import { describe, expect, test } from 'vitest';
import type { Stall } from '../../../src/measure/figures.ts';
import { StallMeter, worstStalls } from '../../../src/measure/stall.ts';
import { ms } from '../../support/record-builder.ts';

function meterAfter(...gapsMs: number[]): StallMeter {
  const meter = new StallMeter(ms(100));
  for (const gapMs of gapsMs) meter.add(ms(gapMs));
  return meter;
}

describe('threshold', () => {
  test("is the class's limit while the stream is fast", () => {
    const meter = meterAfter(20, 20, 20, 20, 20, 20, 20, 20);
    expect(meter.add(ms(100))).toBe(false);
    expect(meter.add(ms(100) + 1)).toBe(true);
  });

  test("is the class's limit before 8 gaps, however slow they were", () => {
    expect(meterAfter(50, 50, 50, 50, 50, 50, 50).add(ms(150))).toBe(true);
  });

  test('is 4 times the median from 8 gaps on', () => {
    const usual = [50, 50, 50, 50, 50, 50, 50, 50];
    expect(meterAfter(...usual).add(ms(200))).toBe(false);
    expect(meterAfter(...usual).add(ms(200) + 1)).toBe(true);
  });

  test('takes the 4th of 8 for the median', () => {
    expect(meterAfter(90, 80, 70, 60, 40, 30, 20, 10).thresholdNs).toBe(ms(160));
  });

  test('is not moved by the gap that is judged', () => {
    const meter = meterAfter(30, 30, 30, 30, 30, 30, 30);
    expect(meter.add(ms(110))).toBe(true);
    expect(meter.thresholdNs).toBe(ms(120));
  });
});

describe('worst stalls', () => {
  const stall = (atMs: number, gapMs: number): Stall => ({ chunk: atMs, atNs: ms(atMs), gapNs: ms(gapMs) });

  test('are the 16 longest in order of time', () => {
    const stalls = Array.from({ length: 20 }, (_, index) => stall(index, index === 3 ? 900 : 200 + index));
    expect(worstStalls(stalls).map((one) => one.chunk)).toEqual([
      3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
    ]);
  });

  test('are the earlier ones among equals', () => {
    const stalls = Array.from({ length: 18 }, (_, index) => stall(index, 200));
    expect(worstStalls(stalls).map((one) => one.chunk)).toEqual(Array.from({ length: 16 }, (_, index) => index));
  });
});
