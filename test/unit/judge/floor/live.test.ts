// Goal: a route's state says what is known of its step and its floor, and nothing that is not.
// Method: pure; the known pair, whose floor is known to the digit.
import { expect, test } from 'vitest';
import { floorState } from '../../../../src/judge/floor/live.ts';
import { rounded, setup } from './plans.ts';

const NAMED = { route: 'chat', model: 'llama-3.1-8b', hardware: 'h100-sxm', tensorParallelCount: 1, mode: 'roofline' };

test('of which nothing was seen it says what it is', () => {
  expect(floorState('chat', setup(), undefined)).toEqual(NAMED);
});

test('of which a batch was seen it says the floor, and of a step how far above it is', () => {
  const sight = { batchCount: 64, contextTokens: 4096, basis: 'engine' } as const;
  const bare = floorState('chat', setup(), sight);
  expect(bare).toEqual({ ...NAMED, ...sight, floorNs: 15_050_824 });
  const full = floorState('chat', setup(), { ...sight, stepNs: 24_000_000 });
  expect(full).toMatchObject({ ...bare, stepNs: 24_000_000 });
  expect(rounded(full.bandwidthRatio! * 100, 0)).toBe(63);
  expect(rounded(full.timesFloor!, 1)).toBe(1.6);
});

test('takes no account of rates that a plan was made with', () => {
  const planned = setup({ bandwidthRatio: 0.5, computeRatio: 0.1, overlap: 'additive' });
  const sight = { batchCount: 8, contextTokens: 100, basis: 'seen' } as const;
  expect(floorState('chat', planned, sight)).toEqual(floorState('chat', setup(), sight));
});
