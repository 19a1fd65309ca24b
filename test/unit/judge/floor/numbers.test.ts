// Goal: the floor comes to the figures that are known for one model on one accelerator, to the digits they are given in.
// Method: pure functions; a figure "to one digit" is rounded half up to that digit, and equal then.
import { describe, expect, test } from 'vitest';
import { simulateCliff } from '../../../../src/judge/floor/cliff.ts';
import { besideFloor } from '../../../../src/judge/floor/measured.ts';
import { passFloor, ridgeFlopPerByte } from '../../../../src/judge/floor/pass.ts';
import { promptStepCount } from '../../../../src/judge/floor/prefill.ts';
import { type FloorLoad, gemmFlop, kvTokenBytes, weightsBytes } from '../../../../src/judge/floor/setup.ts';
import { tokensPerPass } from '../../../../src/judge/floor/speculation.ts';
import { load, rounded, setup } from './plans.ts';

describe('Llama 3.1 8B in BF16 on one H100 SXM', () => {
  test('has 16.06 GB of weights and 131,072 bytes of KV a token', () => {
    expect(rounded(weightsBytes(setup()) / 1e9, 2)).toBe(16.06);
    expect(kvTokenBytes(setup())).toBe(131_072);
  });

  test('has its ridge at 295 FLOP a byte, whatever the rates that are reached', () => {
    expect(rounded(ridgeFlopPerByte(setup()), 0)).toBe(295);
    expect(ridgeFlopPerByte(setup({ bandwidthRatio: 0.8, computeRatio: 0.6 }))).toBe(ridgeFlopPerByte(setup()));
  });
});

describe('additive, at 80 % of the bandwidth and 60 % of the FLOP/s, batch 64, context 2,048', () => {
  const rates = setup({ bandwidthRatio: 0.8, computeRatio: 0.6, overlap: 'additive' });
  const at = (chunkTokens: number): FloorLoad => load({ batchCount: 64, contextTokens: 2048, chunkTokens });

  test.each([
    [0, 12.4],
    [512, 26.3],
    [2048, 67.8],
  ])('a step with a chunk of %i tokens takes %f ms', (chunkTokens, stepMs) => {
    const pass = passFloor(rates, at(chunkTokens));
    expect(rounded(pass.stepMs, 1)).toBe(stepMs);
    expect(pass.mode).toBe('additive');
  });

  test.each([
    [512, 13.9, 1],
    [2048, 55, 0],
    [8192, 222, 0],
  ])('a chunk of %i tokens alone takes %f ms', (chunkTokens, chunkMs, digits) => {
    expect(rounded(passFloor(rates, at(chunkTokens)).chunkMs, digits)).toBe(chunkMs);
  });

  test('its parts are the whole', () => {
    const { stepMs, weightsMs, kvMs, chunkMs } = passFloor(rates, at(512));
    expect(rounded(weightsMs + kvMs + chunkMs - stepMs, 9)).toBe(0);
  });
});

describe('roofline, at full bandwidth, batch 64, context 4,096', () => {
  const at = (chunkTokens: number): FloorLoad => load({ batchCount: 64, contextTokens: 4096, chunkTokens });

  test('a step takes 4.79 ms of weights and 10.26 ms of KV, 15.05 ms together', () => {
    const pass = passFloor(setup(), at(0));
    expect(rounded(pass.weightsMs, 2)).toBe(4.79);
    expect(rounded(pass.kvMs, 2)).toBe(10.26);
    expect(rounded(pass.stepMs, 2)).toBe(15.05);
    expect(pass).toMatchObject({ mode: 'roofline', boundBy: 'memory', chunkMs: 0 });
  });

  test('a measured median of 24 ms is 63 % of the bandwidth and 1.6 times the floor', () => {
    const measured = besideFloor(setup(), at(0), 24);
    expect(rounded(measured.bandwidthRatio * 100, 0)).toBe(63);
    expect(rounded(measured.timesFloor, 1)).toBe(1.6);
    expect(rounded(measured.floorMs, 2)).toBe(15.05);
  });

  test('with a chunk of 2,048 tokens at half of the peak it is 33.9 TFLOP and 79 ms, 5.2 times the floor', () => {
    const half = setup({ computeRatio: 0.5 });
    const pass = passFloor(half, at(2048));
    expect(rounded(gemmFlop(half, 2048 + 64) / 1e12, 1)).toBe(33.9);
    expect(rounded(pass.gemmMs, 1)).toBe(68.6);
    expect(rounded(pass.kvMs, 1)).toBe(10.3);
    expect(rounded(pass.stepMs, 0)).toBe(79);
    expect(rounded(pass.stepMs / passFloor(setup(), at(0)).stepMs, 1)).toBe(5.2);
    expect(pass.boundBy).toBe('compute');
  });

  test('with a chunk of 512 tokens at half of the peak it is 29 ms', () => {
    expect(rounded(passFloor(setup({ computeRatio: 0.5 }), at(512)).stepMs, 0)).toBe(29);
  });

  test('with 128 sequences the KV term is 20.5 ms', () => {
    expect(rounded(passFloor(setup(), load({ batchCount: 128, contextTokens: 4096 })).kvMs, 1)).toBe(20.5);
  });
});

test('Llama 3.1 70B over four accelerators reads its weights in 10.5 ms', () => {
  const four = setup({ tensorParallelCount: 4 }, 'llama-3.1-70b');
  expect(rounded(passFloor(four, load()).weightsMs, 1)).toBe(10.5);
});

test.each([
  [0.8, 4, 3.36],
  [0.4, 4, 1.65],
  [1, 4, 5],
  [0, 4, 1],
])('drafts accepted at %f, %i of them a pass, give %f tokens a pass', (acceptedRatio, draftTokens, tokens) => {
  expect(rounded(tokensPerPass({ acceptedRatio, draftTokens }), 2)).toBe(tokens);
});

test.each([
  [2048, 2],
  [512, 8],
  [4096, 1],
  [4095, 2],
])('a prompt of 4,096 tokens at a budget of %i needs %i steps', (budget, steps) => {
  expect(promptStepCount(4096, budget)).toBe(steps);
});

describe('p99 of 200,000 steps', () => {
  const cliffAt = (stalledRatio: number, seed = 1) => simulateCliff({ baseMs: 12.4, stallMs: 55, stalledRatio, seed });

  test.each([0, 0.001, 0.005, 0.009])('is the base at a share of %f', (share) => {
    expect(cliffAt(share).p99Ms).toBe(12.4);
  });

  test.each([0.011, 0.02, 0.05, 0.2])('is base plus stall at a share of %f', (share) => {
    expect(cliffAt(share).p99Ms).toBe(12.4 + 55);
    expect(cliffAt(share).p50Ms).toBe(12.4);
  });

  test('leaves the mean to move with the share', () => {
    for (const share of [0.005, 0.009, 0.011, 0.05]) {
      const { meanMs, stalledCount } = cliffAt(share);
      expect(meanMs).toBe(12.4 + (55 * stalledCount) / 200_000);
      // Four standard deviations of a draw of 200,000.
      const spread = 4 * Math.sqrt(200_000 * share * (1 - share));
      expect(Math.abs(stalledCount - 200_000 * share)).toBeLessThan(spread);
    }
  });

  test('depends on the seed only', () => {
    expect(cliffAt(0.02, 7)).toEqual(cliffAt(0.02, 7));
    expect(cliffAt(0.02, 7).stalledCount).not.toBe(cliffAt(0.02, 8).stalledCount);
  });
});
