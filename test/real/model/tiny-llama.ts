// A language model of a few million random numbers, made on the spot: Llama's architecture, a vocabulary
// of printable ASCII, weights from a fixed seed. What it writes is nonsense; what it costs is real.
// Knows nothing of file formats: those are the business of its two writers.

/** 3 million multiplications a token: a prompt of a thousand tokens takes a modern core some 100 ms. */
export const SHAPE = {
  layers: 4,
  width: 256,
  heads: 4,
  keyHeads: 2,
  headWidth: 64,
  inner: 768,
  contextTokens: 4096,
  normEpsilon: 1e-5,
  ropeBase: 10_000,
} as const;

export const SPECIAL = {
  begin: '<|begin|>',
  end: '<|end|>',
  turnStart: '<|im_start|>',
  turnEnd: '<|im_end|>',
} as const;

/** Byte-level BPE writes the blank as Ġ and the line feed as Ċ. */
const BLANK = 'Ġ';
const LINE_FEED = 'Ċ';
const VOCABULARY_SIZE = 128;

/** Two merges, because a BPE without any is refused by some loaders. */
export const MERGES: readonly (readonly [string, string])[] = [
  [BLANK, 't'],
  ['h', 'e'],
];

export interface Token {
  readonly text: string;
  readonly special: boolean;
}

/** One token a printable character: what the model writes is readable text and never half a character. */
export const VOCABULARY: readonly Token[] = vocabulary();

function vocabulary(): Token[] {
  const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
  const plain = [...printable, BLANK, LINE_FEED, ...MERGES.map(([left, right]) => left + right)];
  const special = Object.values(SPECIAL);
  const spare = Array.from(
    { length: VOCABULARY_SIZE - plain.length - special.length },
    (_, index) => `<|spare_${index}|>`,
  );
  return [
    ...plain.map((text) => ({ text, special: false })),
    ...[...special, ...spare].map((text) => ({ text, special: true })),
  ];
}

export function tokenId(text: string): number {
  return VOCABULARY.findIndex((token) => token.text === text);
}

/** ChatML, in the subset of Jinja that every engine's template reader takes. */
export const CHAT_TEMPLATE =
  `{% for message in messages %}${SPECIAL.turnStart}{{ message['role'] }}\n` +
  `{{ message['content'] }}${SPECIAL.turnEnd}\n{% endfor %}` +
  `{% if add_generation_prompt %}${SPECIAL.turnStart}assistant\n{% endif %}`;

export interface Tensor {
  /** What it is, and of which layer; each file format has names of its own for it. */
  readonly role: TensorRole;
  readonly layer: number | undefined;
  /** Rows first, as in memory; a vector has one. */
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

export type TensorRole = keyof typeof LAYER_ROLES | 'embedding' | 'finalNorm' | 'output';

const { width, inner, heads, keyHeads, headWidth } = SHAPE;

/** Rows and columns of the matrices of a layer; a norm is a vector of ones. */
const LAYER_ROLES = {
  attentionNorm: [1, width],
  query: [heads * headWidth, width],
  key: [keyHeads * headWidth, width],
  value: [keyHeads * headWidth, width],
  attentionOutput: [width, heads * headWidth],
  feedNorm: [1, width],
  gate: [inner, width],
  up: [inner, width],
  down: [width, inner],
} as const;

/** Spread of the logits: wide enough that one token wins clearly. */
const LOGIT_SPREAD = 4;

/** `layerCount`: more of the same make the model slower. */
export function tensors(layerCount: number = SHAPE.layers): Tensor[] {
  const random = randomNumbers(20_260_823);
  const layers = Array.from({ length: layerCount }, (_, layer) =>
    Object.entries(LAYER_ROLES).map(([role, [rows, columns]]) => ({
      role: role as TensorRole,
      layer,
      rows,
      columns,
      values: rows === 1 ? ones(columns) : matrix(random, rows, columns, 1),
    })),
  );
  const whole = { layer: undefined, columns: width };
  return [
    { ...whole, role: 'embedding', rows: VOCABULARY_SIZE, values: matrix(random, VOCABULARY_SIZE, width, 16) },
    ...layers.flat(),
    { ...whole, role: 'finalNorm', rows: 1, values: ones(width) },
    { ...whole, role: 'output', rows: VOCABULARY_SIZE, values: outputRows(random) },
  ];
}

/** Special tokens have rows of zeros: their logit is 0, and among a hundred others some is always above. */
function outputRows(random: () => number): Float32Array {
  const values = matrix(random, VOCABULARY_SIZE, width, LOGIT_SPREAD);
  for (const [row, { special }] of VOCABULARY.entries()) if (special) values.fill(0, row * width, (row + 1) * width);
  return values;
}

/** Even numbers around 0 whose products with a vector of unit size have the given spread. */
function matrix(random: () => number, rows: number, columns: number, spread: number): Float32Array {
  const reach = (spread * Math.sqrt(3)) / Math.sqrt(columns);
  return Float32Array.from({ length: rows * columns }, () => (random() * 2 - 1) * reach);
}

function ones(length: number): Float32Array {
  return new Float32Array(length).fill(1);
}

/** Marsaglia's xorshift32: the same numbers on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
