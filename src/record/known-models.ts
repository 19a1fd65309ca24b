// Well-known open models. Every figure is of the model's own config.json; parameter counts are what these
// sizes come to, tied embeddings counted once, and a test adds them up again. Plain data.
import type { ModelFacts } from './floor-facts.ts';

/** Where a model's config.json stands. */
function hub(repository: string): string {
  return `https://huggingface.co/${repository}/blob/main/config.json`;
}

type Sizes = readonly [layers: number, hidden: number, heads: number, kvHeads: number, headSize: number];

function dense(
  name: string,
  repository: string,
  parameterCount: number,
  [layerCount, hiddenSize, headCount, kvHeadCount, headSize]: Sizes,
): ModelFacts {
  const sizes = { parameterCount, layerCount, hiddenSize, headCount, kvHeadCount, headSize };
  return { name, ...sizes, format: 'bf16', source: hub(repository) };
}

type Mixture = Required<Pick<ModelFacts, 'experts'>> & Partial<ModelFacts>;

export const KNOWN_MODELS: readonly ModelFacts[] = [
  dense('llama-3.1-8b', 'meta-llama/Llama-3.1-8B', 8_030_261_248, [32, 4096, 32, 8, 128]),
  dense('llama-3.1-70b', 'meta-llama/Llama-3.1-70B', 70_553_706_496, [80, 8192, 64, 8, 128]),
  dense('llama-3.3-70b', 'meta-llama/Llama-3.3-70B-Instruct', 70_553_706_496, [80, 8192, 64, 8, 128]),
  dense('llama-3.1-405b', 'meta-llama/Llama-3.1-405B', 405_853_388_800, [126, 16_384, 128, 8, 128]),
  dense('llama-3.2-1b', 'meta-llama/Llama-3.2-1B', 1_235_814_400, [16, 2048, 32, 8, 64]),
  dense('llama-3.2-3b', 'meta-llama/Llama-3.2-3B', 3_212_749_824, [28, 3072, 24, 8, 128]),
  dense('mistral-7b-v0.3', 'mistralai/Mistral-7B-v0.3', 7_248_023_552, [32, 4096, 32, 8, 128]),
  dense('mistral-small-24b', 'mistralai/Mistral-Small-24B-Base-2501', 23_572_403_200, [40, 5120, 32, 8, 128]),
  dense('phi-4', 'microsoft/phi-4', 14_659_507_200, [40, 5120, 40, 10, 128]),
  dense('qwen2.5-0.5b', 'Qwen/Qwen2.5-0.5B', 494_032_768, [24, 896, 14, 2, 64]),
  dense('qwen2.5-7b', 'Qwen/Qwen2.5-7B', 7_615_616_512, [28, 3584, 28, 4, 128]),
  dense('qwen2.5-14b', 'Qwen/Qwen2.5-14B', 14_770_033_664, [48, 5120, 40, 8, 128]),
  dense('qwen2.5-32b', 'Qwen/Qwen2.5-32B', 32_763_876_352, [64, 5120, 40, 8, 128]),
  dense('qwen2.5-72b', 'Qwen/Qwen2.5-72B', 72_706_203_648, [80, 8192, 64, 8, 128]),
  dense('qwen3-0.6b', 'Qwen/Qwen3-0.6B', 596_049_920, [28, 1024, 16, 8, 128]),
  dense('qwen3-4b', 'Qwen/Qwen3-4B', 4_022_468_096, [36, 2560, 32, 8, 128]),
  dense('qwen3-8b', 'Qwen/Qwen3-8B', 8_190_735_360, [36, 4096, 32, 8, 128]),
  dense('qwen3-14b', 'Qwen/Qwen3-14B', 14_768_307_200, [40, 5120, 40, 8, 128]),
  dense('qwen3-32b', 'Qwen/Qwen3-32B', 32_762_123_264, [64, 5120, 64, 8, 128]),
  // Every second layer of Gemma 2 sees the last 4,096 tokens only.
  sliding(dense('gemma-2-9b', 'google/gemma-2-9b', 9_241_705_984, [42, 3584, 16, 8, 256]), 21, 4096),
  sliding(dense('gemma-2-27b', 'google/gemma-2-27b', 27_227_128_320, [46, 4608, 32, 16, 128]), 23, 4096),
  mixed(dense('mixtral-8x7b', 'mistralai/Mixtral-8x7B-v0.1', 46_702_792_704, [32, 4096, 32, 8, 128]), {
    experts: { count: 8, chosenCount: 2, parameterCount: 45_097_156_608 },
  }),
  mixed(dense('mixtral-8x22b', 'mistralai/Mixtral-8x22B-v0.1', 140_630_071_296, [56, 6144, 48, 8, 128]), {
    experts: { count: 8, chosenCount: 2, parameterCount: 135_291_469_824 },
  }),
  mixed(dense('qwen3-30b-a3b', 'Qwen/Qwen3-30B-A3B', 30_532_122_624, [48, 2048, 32, 4, 128]), {
    experts: { count: 128, chosenCount: 8, parameterCount: 28_991_029_248 },
  }),
  mixed(dense('qwen3-235b-a22b', 'Qwen/Qwen3-235B-A22B', 235_093_634_560, [94, 4096, 64, 4, 128]), {
    experts: { count: 128, chosenCount: 8, parameterCount: 227_096_395_776 },
  }),
  // Published in FP8. 512 + 64 numbers are kept for a token in each layer (kv_lora_rank, qk_rope_head_dim); the
  // size of a head is the mean of 192 for queries with keys and 128 for values. Without the module for
  // predicting several tokens.
  mixed(dense('deepseek-v3', 'deepseek-ai/DeepSeek-V3', 671_026_419_200, [61, 7168, 128, 128, 160]), {
    experts: { count: 256, chosenCount: 8, parameterCount: 653_908_770_816 },
    latentSize: 576,
    format: 'fp8',
  }),
  // Experts with their biases; every second layer sees the last 128 tokens only.
  mixed(dense('gpt-oss-20b', 'openai/gpt-oss-20b', 20_914_757_184, [24, 2880, 64, 8, 64]), {
    experts: { count: 32, chosenCount: 4, parameterCount: 19_116_933_120, format: 'mxfp4' },
    sliding: { layerCount: 12, tokenCount: 128 },
  }),
  mixed(dense('gpt-oss-120b', 'openai/gpt-oss-120b', 116_829_156_672, [36, 2880, 64, 8, 64]), {
    experts: { count: 128, chosenCount: 4, parameterCount: 114_701_598_720, format: 'mxfp4' },
    sliding: { layerCount: 18, tokenCount: 128 },
  }),
];

function sliding(model: ModelFacts, layerCount: number, tokenCount: number): ModelFacts {
  return { ...model, sliding: { layerCount, tokenCount } };
}

function mixed(model: ModelFacts, mixture: Mixture): ModelFacts {
  return { ...model, ...mixture };
}
