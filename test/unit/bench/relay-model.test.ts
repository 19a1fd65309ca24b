// Goal: the model of more relays ends where the main thread is full, and the busiest relay is found by its exchanges.
// Method: costs whose results are whole numbers, and made-up ids.
import { expect, it } from 'vitest';
import { busiestShare, scalingModel } from '../../bench/speed/relay-model.ts';

const COSTS = { relayUs: 20, mainUs: 8, totalUs: 30 };

it('grows with the relays until the main thread has no more time', () => {
  expect(scalingModel(COSTS, 1)).toEqual({ chunksPerSecond: 50_000, cores: 1.5, limit: 'relays' });
  expect(scalingModel(COSTS, 2)).toEqual({ chunksPerSecond: 100_000, cores: 3, limit: 'relays' });
  expect(scalingModel(COSTS, 3)).toEqual({ chunksPerSecond: 125_000, cores: 3.75, limit: 'main thread' });
  expect(scalingModel(COSTS, 8)).toEqual(scalingModel(COSTS, 3));
});

it('knows the share of the busiest relay, whatever life it is in', () => {
  expect(busiestShare(['0.1-a', '1.1-a', '0.2-a', '10.1-a'])).toBe(0.5);
  expect(busiestShare(['1.1-0', '1.1-1'])).toBe(1);
});
