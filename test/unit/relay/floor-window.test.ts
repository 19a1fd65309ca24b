// Goal: the smallest value of the last ten minutes, and nothing when there is none.
// Method: moments as arguments; a random series against a plain look at all of it.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { WIRE_FLOOR_WINDOW_MS } from '../../../src/base/limits.ts';
import { FloorWindow } from '../../../src/relay/floor-window.ts';
import { fuzz } from '../../support/fuzz.ts';

const WINDOW_NS = WIRE_FLOOR_WINDOW_MS * 1e6;

test('nothing seen is unknown', () => {
  expect(new FloorWindow().floorNs(5)).toBeUndefined();
});

test('the smallest wins, whatever came after it', () => {
  const window = new FloorWindow();
  window.add(1, 300);
  expect(window.floorNs(1)).toBe(300);
  window.add(2, 100);
  window.add(3, 200);
  expect(window.floorNs(3)).toBe(100);
});

test('a value counts for exactly the length of the window', () => {
  const window = new FloorWindow();
  window.add(10, 100);
  window.add(20, 200);
  expect(window.floorNs(10 + WINDOW_NS)).toBe(100);
  expect(window.floorNs(11 + WINDOW_NS)).toBe(200);
  expect(window.floorNs(20 + WINDOW_NS)).toBe(200);
  expect(window.floorNs(21 + WINDOW_NS)).toBeUndefined();
});

test('an equal value seen later counts longer', () => {
  const window = new FloorWindow();
  window.add(0, 100);
  window.add(50, 100);
  expect(window.floorNs(50 + WINDOW_NS)).toBe(100);
});

test('a value of 0 is a value', () => {
  const window = new FloorWindow();
  window.add(0, 7);
  window.add(1, 0);
  expect(window.floorNs(1)).toBe(0);
});

test('any series has the floor that a look at all of it finds', () => {
  const step = fc.tuple(fc.integer({ min: 0, max: WINDOW_NS / 3 }), fc.integer({ min: 0, max: 20 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const window = new FloorWindow();
      const all: { atNs: number; valueNs: number }[] = [];
      let atNs = 0;
      for (const [afterNs, valueNs] of steps) {
        atNs += afterNs;
        window.add(atNs, valueNs);
        all.push({ atNs, valueNs });
        const inWindow = all.filter((one) => one.atNs >= atNs - WINDOW_NS);
        expect(window.floorNs(atNs)).toBe(Math.min(...inWindow.map((one) => one.valueNs)));
      }
    }),
    fuzz(300),
  );
});
