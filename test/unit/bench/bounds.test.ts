// Goal: the check for CI fails on a quiet machine when a ratio is beyond its bound or could not be measured, and never
// on a busy one. Method: made-up turns of rubato and a bare proxy.
import { describe, expect, it } from 'vitest';
import { OTHERS_MAX_CORES, ratioVerdict } from '../../bench/speed/bounds.ts';
import type { Results, Values } from '../../bench/speed/figures.ts';

const BARE = { cpuUsPerChunk: 40, readsPerEvent: 1 };
const SOUND = { cpuUsPerChunk: 90, relayUsPerChunk: 32, readsPerEvent: 0.99 };

function results(rubato: Values, othersShare: number, kibPerStream = 60): Results {
  return {
    steady: { 'http-proxy': [{ ...BARE, othersShare }], rubato: [{ ...rubato, othersShare }] },
    idle: { 'http-proxy': [{ kibPerStream: 50 }], rubato: [{ kibPerStream }] },
  };
}

describe('the check for CI', () => {
  it('passes a sound build', () => {
    const { isFailed, isBusy, judgements } = ratioVerdict(results(SOUND, 0.1));
    expect({ isFailed, isBusy, count: judgements.length }).toEqual({ isFailed: false, isBusy: false, count: 4 });
  });

  it.each([
    ['the process costs too much', results({ ...SOUND, cpuUsPerChunk: 161 }, 0.1)],
    ['the relay costs too much', results({ ...SOUND, relayUsPerChunk: 49 }, 0.1)],
    ['events are gathered', results({ ...SOUND, readsPerEvent: 0.5 }, 0.1)],
    ['streams hold too much memory', results(SOUND, 0.1, 101)],
    ['rubato could not be measured', { steady: { 'http-proxy': [{ ...BARE, othersShare: 0.1 }] }, idle: {} }],
  ])('fails when %s', (_, measured) => {
    expect(ratioVerdict(measured).isFailed).toBe(true);
  });

  it('fails nothing while others take the machine, and says that', () => {
    const busy = results({ ...SOUND, cpuUsPerChunk: 400 }, OTHERS_MAX_CORES + 0.01);
    expect(ratioVerdict(busy)).toMatchObject({ isFailed: false, isBusy: true });
    const atLimit = results({ ...SOUND, cpuUsPerChunk: 400 }, OTHERS_MAX_CORES);
    expect(ratioVerdict(atLimit)).toMatchObject({ isFailed: true, isBusy: false });
  });
});
