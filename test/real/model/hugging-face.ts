// Writes the tiny model as a folder in Hugging Face's layout, which vLLM and its like load: config.json,
// model.safetensors, tokenizer.json and their companions.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHAT_TEMPLATE, MERGES, SHAPE, SPECIAL, type Tensor, tensors, tokenId, VOCABULARY } from './tiny-llama.ts';

const NAMES: Readonly<Record<Tensor['role'], string>> = {
  embedding: 'model.embed_tokens.weight',
  finalNorm: 'model.norm.weight',
  output: 'lm_head.weight',
  attentionNorm: 'input_layernorm.weight',
  query: 'self_attn.q_proj.weight',
  key: 'self_attn.k_proj.weight',
  value: 'self_attn.v_proj.weight',
  attentionOutput: 'self_attn.o_proj.weight',
  feedNorm: 'post_attention_layernorm.weight',
  gate: 'mlp.gate_proj.weight',
  up: 'mlp.up_proj.weight',
  down: 'mlp.down_proj.weight',
};

export function writeHuggingFaceFolder(folder: string, layerCount: number = SHAPE.layers): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: unknown): void =>
    writeFileSync(join(folder, name), JSON.stringify(content, undefined, 2));
  write('config.json', config(layerCount));
  write('generation_config.json', { eos_token_id: tokenId(SPECIAL.end), bos_token_id: tokenId(SPECIAL.begin) });
  write('tokenizer.json', tokenizer());
  write('tokenizer_config.json', tokenizerConfig());
  writeFileSync(join(folder, 'model.safetensors'), safetensors(layerCount));
}

function config(layerCount: number): unknown {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: VOCABULARY.length,
    hidden_size: SHAPE.width,
    intermediate_size: SHAPE.inner,
    num_hidden_layers: layerCount,
    num_attention_heads: SHAPE.heads,
    num_key_value_heads: SHAPE.keyHeads,
    head_dim: SHAPE.headWidth,
    max_position_embeddings: SHAPE.contextTokens,
    rms_norm_eps: SHAPE.normEpsilon,
    rope_theta: SHAPE.ropeBase,
    hidden_act: 'silu',
    tie_word_embeddings: false,
    bos_token_id: tokenId(SPECIAL.begin),
    eos_token_id: tokenId(SPECIAL.end),
    dtype: 'float32',
  };
}

function tokenizer(): unknown {
  const added = VOCABULARY.flatMap((token, id) =>
    token.special ? [{ id, content: token.text, ...SPECIAL_FLAGS }] : [],
  );
  const plain = VOCABULARY.flatMap((token, id) => (token.special ? [] : [[token.text, id] as const]));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: { type: 'BPE', vocab: Object.fromEntries(plain), merges: MERGES, ...BPE_FLAGS },
  };
}

const SPECIAL_FLAGS = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
const BPE_FLAGS = {
  dropout: null,
  unk_token: null,
  continuing_subword_prefix: null,
  end_of_word_suffix: null,
  fuse_unk: false,
  byte_fallback: false,
};

function tokenizerConfig(): unknown {
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: SPECIAL.begin,
    eos_token: SPECIAL.end,
    pad_token: SPECIAL.end,
    model_max_length: SHAPE.contextTokens,
    clean_up_tokenization_spaces: false,
    chat_template: CHAT_TEMPLATE,
  };
}

/** Length of the header, the header as JSON, then the numbers one tensor after the other. */
function safetensors(layerCount: number): Buffer {
  const all = tensors(layerCount);
  let offset = 0;
  const entries = all.map((tensor) => {
    const from = offset;
    offset += tensor.values.byteLength;
    const shape = tensor.rows === 1 ? [tensor.columns] : [tensor.rows, tensor.columns];
    return [nameOf(tensor), { dtype: 'F32', shape, data_offsets: [from, offset] }] as const;
  });
  const header = Buffer.from(JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...all.map(({ values }) => Buffer.from(values.buffer))]);
}

function nameOf({ role, layer }: Tensor): string {
  return layer === undefined ? NAMES[role] : `model.layers.${layer}.${NAMES[role]}`;
}
