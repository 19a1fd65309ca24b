// Goal: the tables of models and accelerators hold no slip of the pen.
// Method: parameter counts are added up again from what config.json says of each model's parts; rates of
// accelerators are held to what is physically plausible. Sizes that only this sum needs stand here.
import { describe, expect, test } from 'vitest';
import type { ModelFacts } from '../../../src/record/floor-facts.ts';
import { KNOWN_HARDWARE } from '../../../src/record/known-hardware.ts';
import { KNOWN_MODELS } from '../../../src/record/known-models.ts';

/** vocab_size, intermediate_size of the dense layers or of one expert, and what is not as in Llama. */
interface Parts {
  readonly vocab: number;
  readonly inner: number;
  readonly tied?: boolean;
  readonly qkvBias?: boolean;
  readonly headNorms?: boolean;
  readonly normsALayer?: number;
}

const PARTS: Readonly<Record<string, Parts>> = {
  'llama-3.1-8b': { vocab: 128_256, inner: 14_336 },
  'llama-3.1-70b': { vocab: 128_256, inner: 28_672 },
  'llama-3.3-70b': { vocab: 128_256, inner: 28_672 },
  'llama-3.1-405b': { vocab: 128_256, inner: 53_248 },
  'llama-3.2-1b': { vocab: 128_256, inner: 8192, tied: true },
  'llama-3.2-3b': { vocab: 128_256, inner: 8192, tied: true },
  'mistral-7b-v0.3': { vocab: 32_768, inner: 14_336 },
  'mistral-small-24b': { vocab: 131_072, inner: 32_768 },
  'phi-4': { vocab: 100_352, inner: 17_920 },
  'qwen2.5-0.5b': { vocab: 151_936, inner: 4864, tied: true, qkvBias: true },
  'qwen2.5-7b': { vocab: 152_064, inner: 18_944, qkvBias: true },
  'qwen2.5-14b': { vocab: 152_064, inner: 13_824, qkvBias: true },
  'qwen2.5-32b': { vocab: 152_064, inner: 27_648, qkvBias: true },
  'qwen2.5-72b': { vocab: 152_064, inner: 29_568, qkvBias: true },
  'qwen3-0.6b': { vocab: 151_936, inner: 3072, tied: true, headNorms: true },
  'qwen3-4b': { vocab: 151_936, inner: 9728, tied: true, headNorms: true },
  'qwen3-8b': { vocab: 151_936, inner: 12_288, headNorms: true },
  'qwen3-14b': { vocab: 151_936, inner: 17_408, headNorms: true },
  'qwen3-32b': { vocab: 151_936, inner: 25_600, headNorms: true },
  'gemma-2-9b': { vocab: 256_000, inner: 14_336, tied: true, normsALayer: 4 },
  'gemma-2-27b': { vocab: 256_000, inner: 36_864, tied: true, normsALayer: 4 },
  'mixtral-8x7b': { vocab: 32_000, inner: 14_336 },
  'mixtral-8x22b': { vocab: 32_768, inner: 16_384 },
  'qwen3-30b-a3b': { vocab: 151_936, inner: 768, headNorms: true },
  'qwen3-235b-a22b': { vocab: 151_936, inner: 1536, headNorms: true },
};

function addedUp(model: ModelFacts, parts: Parts): { all: number; experts: number } {
  const { layerCount, hiddenSize: hidden, headCount, kvHeadCount, headSize, experts } = model;
  const queries = headCount * headSize;
  const attention = 2 * hidden * queries + 2 * hidden * kvHeadCount * headSize;
  const biases = parts.qkvBias === true ? queries + 2 * kvHeadCount * headSize : 0;
  const norms = (parts.normsALayer ?? 2) * hidden + (parts.headNorms === true ? 2 * headSize : 0);
  const expert = 3 * hidden * parts.inner;
  const router = experts === undefined ? 0 : hidden * experts.count;
  const layer = attention + biases + norms + router + expert * (experts?.count ?? 1);
  const embeddings = parts.vocab * hidden * (parts.tied === true ? 1 : 2);
  return { all: embeddings + layerCount * layer + hidden, experts: layerCount * expert * (experts?.count ?? 1) };
}

describe('models', () => {
  test.each(Object.entries(PARTS))('%s has as many parameters as its parts', (name, parts) => {
    const model = KNOWN_MODELS.find((each) => each.name === name)!;
    const { all, experts } = addedUp(model, parts);
    expect(model.parameterCount).toBe(all);
    if (model.experts !== undefined) expect(model.experts.parameterCount).toBe(experts);
  });

  test('with parts of their own kind have experts that add up', () => {
    const expertsOf = (name: string) => KNOWN_MODELS.find((each) => each.name === name)!.experts!.parameterCount;
    // Three of 61 layers are dense; gpt-oss has biases in its experts.
    expect(expertsOf('deepseek-v3')).toBe(58 * 256 * 3 * 7168 * 2048);
    for (const [name, layers, count] of [
      ['gpt-oss-20b', 24, 32],
      ['gpt-oss-120b', 36, 128],
    ] as const) {
      expect(expertsOf(name)).toBe(layers * count * (3 * 2880 * 2880 + 3 * 2880));
    }
  });

  test('have names that differ, and a source each', () => {
    const names = KNOWN_MODELS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { source } of KNOWN_MODELS) expect(source).toMatch(/^https:\/\/huggingface\.co\/.+config\.json$/);
  });
});

describe('accelerators', () => {
  test('have names that differ, and a source each', () => {
    const names = KNOWN_HARDWARE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { source } of KNOWN_HARDWARE) expect(source).toMatch(/^https:\/\//);
  });

  // A rate with sparsity, or in other units, would stand out of this.
  test.each(KNOWN_HARDWARE.map((each) => [each.name, each] as const))(
    '%s has dense rates that fit together',
    (_, each) => {
      const ridge = each.flopPerSecond / each.bytesPerSecond;
      expect(ridge).toBeGreaterThan(50);
      expect(ridge).toBeLessThan(450);
      if (each.fp8FlopPerSecond !== undefined) expect(each.fp8FlopPerSecond / each.flopPerSecond).toBeCloseTo(2, 1);
      expect(each.linkBytesPerSecond).toBeLessThan(each.bytesPerSecond);
    },
  );
});
