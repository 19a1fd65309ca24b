// Goal: what the model of a pass does with formats, mixtures, windows, several accelerators and chunks.
// Method: one plan against another, or against the same sum done by hand.
import { describe, expect, test } from 'vitest';
import { passFloor, ridgeTokens } from '../../../../src/judge/floor/pass.ts';
import { chunkedPrefillMs, prefillMs } from '../../../../src/judge/floor/prefill.ts';
import {
  attentionFlop,
  gemmFlop,
  kvSequenceBytes,
  kvTokenBytes,
  weightsBytes,
  weightsReadBytes,
} from '../../../../src/judge/floor/setup.ts';
import { speculationGain } from '../../../../src/judge/floor/speculation.ts';
import { load, rounded, setup } from './plans.ts';

describe('formats', () => {
  test('FP8 halves weights and KV cache and doubles the FLOP/s where there are units for it', () => {
    const fp8 = setup({ weightsFormat: 'fp8', kvFormat: 'fp8' });
    const [narrow, wide] = [passFloor(fp8, load({ batchCount: 64 })), passFloor(setup(), load({ batchCount: 64 }))];
    expect(narrow.weightsMs * 2).toBe(wide.weightsMs);
    expect(narrow.kvMs * 2).toBe(wide.kvMs);
    expect(rounded(narrow.gemmMs / wide.gemmMs, 3)).toBe(rounded(989 / 1979, 3));
  });

  test('FP8 weights are unpacked to 16 bits where there are none', () => {
    const wide = setup({}, 'llama-3.1-8b', 'a100-80gb-sxm');
    expect(passFloor({ ...wide, weightsFormat: 'fp8' }, load()).gemmMs).toBe(passFloor(wide, load()).gemmMs);
  });

  test('a model published in FP8 is read in FP8, unless another format is given', () => {
    const deepseek = setup({}, 'deepseek-v3');
    expect(weightsBytes(deepseek)).toBe(671_026_419_200);
    expect(weightsBytes({ ...deepseek, weightsFormat: 'bf16' })).toBe(2 * 671_026_419_200);
  });

  test('experts can have a format of their own', () => {
    const bytes = weightsBytes(setup({}, 'gpt-oss-120b'));
    expect(bytes).toBe(114_701_598_720 * (4.25 / 8) + (116_829_156_672 - 114_701_598_720) * 2);
  });
});

describe('a mixture of experts', () => {
  const mixtral = setup({}, 'mixtral-8x7b');

  test('reads the experts that its tokens were sent to: two of eight for one, nearly all for many', () => {
    const expert = 45_097_156_608 * 2;
    const shared = (46_702_792_704 - 45_097_156_608) * 2;
    expect(rounded(weightsReadBytes(mixtral, 1), 0)).toBe(shared + expert / 4);
    expect(rounded(weightsReadBytes(mixtral, 2), 0)).toBe(shared + expert * (1 - 0.75 ** 2));
    expect(weightsBytes(mixtral) - weightsReadBytes(mixtral, 64)).toBeLessThan(expert * 1e-7);
  });

  test('computes with the active parameters only', () => {
    expect(rounded(gemmFlop(mixtral, 1) / 2 / 1e9, 2)).toBe(12.88);
    expect(rounded(gemmFlop(setup({}, 'qwen3-235b-a22b'), 1) / 2 / 1e9, 0)).toBe(22);
    expect(rounded(gemmFlop(setup({}, 'deepseek-v3'), 1) / 2 / 1e9, 1)).toBe(37.6);
  });
});

describe('the KV cache', () => {
  test('of layers with a window grows no further than the window', () => {
    const gemma = setup({}, 'gemma-2-9b');
    const layer = 2 * 8 * 256 * 2;
    expect(kvSequenceBytes(gemma, 1000)).toBe(42 * 1000 * layer);
    expect(kvSequenceBytes(gemma, 10_000)).toBe((21 * 10_000 + 21 * 4096) * layer);
    expect(kvTokenBytes(gemma)).toBe(42 * layer);
  });

  test('of latent attention has no heads, and every accelerator keeps all of it', () => {
    const deepseek = setup({ tensorParallelCount: 8 }, 'deepseek-v3');
    expect(kvTokenBytes(deepseek)).toBe(61 * 576 * 2);
    const { kvMs } = passFloor(deepseek, load({ batchCount: 8 }));
    expect(passFloor({ ...deepseek, tensorParallelCount: 1 }, load({ batchCount: 8 })).kvMs).toBe(kvMs);
  });

  test('is split over no more accelerators than there are KV heads', () => {
    const at = (tensorParallelCount: number) =>
      passFloor(setup({ tensorParallelCount }), load({ batchCount: 64 })).kvMs;
    expect(rounded(at(1) / at(8), 9)).toBe(8);
    expect(at(16)).toBe(at(8));
  });
});

describe('several accelerators', () => {
  test('share weights and compute, and pay an all-reduce twice a layer', () => {
    const plan = load({ batchCount: 32, contextTokens: 1024 });
    const [one, four] = [passFloor(setup(), plan), passFloor(setup({ tensorParallelCount: 4 }), plan)];
    expect(one.allReduceMs).toBe(0);
    expect(four.weightsMs * 4).toBe(one.weightsMs);
    const bytes = 32 * 4096 * 2;
    expect(rounded(four.allReduceMs, 9)).toBe(rounded(2 * 32 * (0.005 + 1.5 * (bytes / 450e9) * 1e3), 9));
    expect(rounded(four.stepMs - four.weightsMs - four.kvMs - four.allReduceMs, 9)).toBe(0);
  });
});

describe('a chunk', () => {
  test('below the ridge is free in roofline mode and never in additive mode', () => {
    const plan = load({ batchCount: 64, chunkTokens: 128 });
    expect(ridgeTokens(setup())).toBeGreaterThan(192);
    expect(passFloor(setup(), plan)).toMatchObject({ chunkMs: 0, boundBy: 'memory' });
    const additive = passFloor(setup({ overlap: 'additive' }), plan);
    expect(rounded(additive.chunkMs, 6)).toBe(rounded((gemmFlop(setup(), 128) / 989e12) * 1e3, 6));
  });

  test('costs the same for each further token above the ridge', () => {
    const at = (chunkTokens: number) => passFloor(setup(), load({ batchCount: 64, chunkTokens })).chunkMs;
    expect(rounded(at(3000) - at(2000), 6)).toBe(rounded(at(2000) - at(1000), 6));
  });

  test('the ridge in tokens is where computing takes as long as reading', () => {
    const rates = setup({ bandwidthRatio: 0.8, computeRatio: 0.5 });
    const pass = passFloor(rates, load({ batchCount: ridgeTokens(rates) }));
    expect(rounded(pass.gemmMs, 9)).toBe(rounded(pass.weightsMs, 9));
  });
});

describe('a prefill', () => {
  test('is its products and its attention, which sees half of all pairs', () => {
    const flop = gemmFlop(setup(), 8192) + attentionFlop(setup(), 8192);
    expect(attentionFlop(setup(), 8192)).toBe((4 * 32 * 128 * 32 * 8192 ** 2) / 2);
    expect(rounded(prefillMs(setup(), 8192), 6)).toBe(rounded((flop / 989e12) * 1e3, 6));
  });

  test('of a short prompt takes as long as the weights are read', () => {
    expect(rounded(prefillMs(setup(), 1), 2)).toBe(4.79);
  });

  test('in additive mode is its weights and its products', () => {
    const additive = setup({ overlap: 'additive' });
    const readMs = passFloor(additive, load()).weightsMs;
    expect(rounded(prefillMs(additive, 8192) - prefillMs(setup(), 8192) - readMs, 9)).toBe(0);
  });

  test('with windows looks back no further than they reach', () => {
    const gemma = setup({}, 'gemma-2-9b');
    const pairs = (21 * 10_000 ** 2) / 2 + 21 * (10_000 * 4096 - 4096 ** 2 / 2);
    expect(attentionFlop(gemma, 10_000)).toBe(4 * 16 * 256 * pairs);
    expect(attentionFlop(gemma, 1000)).toBe((4 * 16 * 256 * 42 * 1000 ** 2) / 2);
  });

  test('in chunks is whole steps, a shorter last one, and the same attention', () => {
    const plan = load({ batchCount: 64, chunkTokens: 1024 });
    const attentionMs = (attentionFlop(setup(), 2500) / 989e12) * 1e3;
    const rest = passFloor(setup(), { ...plan, chunkTokens: 452 }).stepMs;
    const want = 2 * passFloor(setup(), plan).stepMs + rest + attentionMs;
    expect(rounded(chunkedPrefillMs(setup(), plan, 2500), 9)).toBe(rounded(want, 9));
    const short = passFloor(setup(), { ...plan, chunkTokens: 100 }).stepMs;
    expect(chunkedPrefillMs(setup(), plan, 100)).toBe(short + (attentionFlop(setup(), 100) / 989e12) * 1e3);
    expect(rounded(chunkedPrefillMs(setup(), plan, 1024) - passFloor(setup(), plan).stepMs, 6)).toBe(
      rounded((attentionFlop(setup(), 1024) / 989e12) * 1e3, 6),
    );
  });
});

describe('speculation', () => {
  const four = { draftTokens: 4, acceptedRatio: 0.8 };

  test('multiplies the tokens of a small batch by the tokens a pass', () => {
    expect(rounded(speculationGain(setup(), load(), four), 2)).toBe(3.36);
  });

  test('loses what it brings once the batch is beyond the ridge', () => {
    const large = load({ batchCount: 512, contextTokens: 128 });
    expect(speculationGain(setup(), large, { draftTokens: 4, acceptedRatio: 0.4 })).toBeLessThan(1);
  });

  test('has its drafts to verify in additive mode', () => {
    const pass = passFloor(setup({ overlap: 'additive' }), load({ batchCount: 64, draftTokens: 4 }));
    expect(rounded(pass.verifyMs, 6)).toBe(rounded((gemmFlop(setup(), 256) / 989e12) * 1e3, 6));
    expect(rounded(pass.stepMs - pass.verifyMs - pass.weightsMs - pass.kvMs, 9)).toBe(0);
  });
});
