// Writes the tiny model as one GGUF file (version 3), the format of llama.cpp: a header of typed keys,
// the table of tensors, then their numbers, each aligned. Rotary pairs are left in the order they have:
// with random weights one order is as good as another.
import { writeFileSync } from 'node:fs';
import { CHAT_TEMPLATE, MERGES, SHAPE, SPECIAL, type Tensor, tensors, tokenId, VOCABULARY } from './tiny-llama.ts';

const ALIGNMENT_BYTES = 32;
const F32 = 0;
/** Numbers of value types, as the format has them. */
const TYPE = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
/** Kinds of tokens, as llama.cpp numbers them. */
const NORMAL_TOKEN = 1;
const CONTROL_TOKEN = 3;

const NAMES: Readonly<Record<Tensor['role'], string>> = {
  embedding: 'token_embd.weight',
  finalNorm: 'output_norm.weight',
  output: 'output.weight',
  attentionNorm: 'attn_norm.weight',
  query: 'attn_q.weight',
  key: 'attn_k.weight',
  value: 'attn_v.weight',
  attentionOutput: 'attn_output.weight',
  feedNorm: 'ffn_norm.weight',
  gate: 'ffn_gate.weight',
  up: 'ffn_up.weight',
  down: 'ffn_down.weight',
};

export function writeGguf(path: string): void {
  const all = tensors();
  const keys = [...architectureKeys(), ...tokenizerKeys()];
  let offset = 0;
  const table = all.map((tensor) => {
    const row = tensorRow(tensor, offset);
    offset += aligned(tensor.values.byteLength);
    return row;
  });
  const head = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(all.length), u64(keys.length), ...keys, ...table]);
  writeFileSync(path, Buffer.concat([padded(head), ...all.map(({ values }) => padded(Buffer.from(values.buffer)))]));
}

function architectureKeys(): Buffer[] {
  return [
    key('general.architecture', text('llama')),
    key('general.name', text('tiny')),
    key('general.alignment', count(ALIGNMENT_BYTES)),
    key('general.file_type', count(0)),
    key('llama.vocab_size', count(VOCABULARY.length)),
    key('llama.block_count', count(SHAPE.layers)),
    key('llama.context_length', count(SHAPE.contextTokens)),
    key('llama.embedding_length', count(SHAPE.width)),
    key('llama.feed_forward_length', count(SHAPE.inner)),
    key('llama.attention.head_count', count(SHAPE.heads)),
    key('llama.attention.head_count_kv', count(SHAPE.keyHeads)),
    key('llama.attention.layer_norm_rms_epsilon', real(SHAPE.normEpsilon)),
    key('llama.rope.dimension_count', count(SHAPE.headWidth)),
    key('llama.rope.freq_base', real(SHAPE.ropeBase)),
  ];
}

function tokenizerKeys(): Buffer[] {
  const kinds = VOCABULARY.map(({ special }) => i32(special ? CONTROL_TOKEN : NORMAL_TOKEN));
  return [
    key('tokenizer.ggml.model', text('gpt2')),
    key('tokenizer.ggml.pre', text('gpt-2')),
    key(
      'tokenizer.ggml.tokens',
      list(
        TYPE.string,
        VOCABULARY.map((token) => string(token.text)),
      ),
    ),
    key('tokenizer.ggml.token_type', list(TYPE.int32, kinds)),
    key(
      'tokenizer.ggml.merges',
      list(
        TYPE.string,
        MERGES.map((pair) => string(pair.join(' '))),
      ),
    ),
    key('tokenizer.ggml.bos_token_id', count(tokenId(SPECIAL.begin))),
    key('tokenizer.ggml.eos_token_id', count(tokenId(SPECIAL.end))),
    key('tokenizer.ggml.eot_token_id', count(tokenId(SPECIAL.turnEnd))),
    key('tokenizer.ggml.add_bos_token', Buffer.concat([u32(TYPE.bool), Buffer.from([0])])),
    key('tokenizer.chat_template', text(CHAT_TEMPLATE)),
  ];
}

function tensorRow({ role, layer, rows, columns }: Tensor, offset: number): Buffer {
  const name = layer === undefined ? NAMES[role] : `blk.${layer}.${NAMES[role]}`;
  // The format counts dimensions from the innermost.
  const dimensions = rows === 1 ? [columns] : [columns, rows];
  return Buffer.concat([string(name), u32(dimensions.length), ...dimensions.map(u64), u32(F32), u64(offset)]);
}

function key(name: string, value: Buffer): Buffer {
  return Buffer.concat([string(name), value]);
}

function text(value: string): Buffer {
  return Buffer.concat([u32(TYPE.string), string(value)]);
}

function count(value: number): Buffer {
  return Buffer.concat([u32(TYPE.uint32), u32(value)]);
}

function real(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([u32(TYPE.float32), bytes]);
}

function list(type: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(TYPE.array), u32(type), u64(items.length), ...items]);
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}
