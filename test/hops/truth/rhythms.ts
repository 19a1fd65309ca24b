// The rhythms that engines are known for, as scripts: what is written when. Seeded, so that two runs of a
// rhythm are the same stream.

/** One write: so many events leave in one piece. */
export interface Write {
  readonly atMs: number;
  readonly events: readonly string[];
}

export interface Rhythm {
  readonly name: 'steady' | 'bursts' | 'stalling';
  readonly title: string;
  readonly writes: readonly Write[];
}

const FIRST_TOKEN_MS = 300;
const STEP_MS = 20;
/** As many as make about 30 KB of body, so that a hop that waits for 16 KiB lets go once before the end. */
const TOKEN_COUNT = 150;
const WORDS = ['time', ' stolen', ' and', ' given', ' back', ',', ' a', ' measure', ' later', '.', ' naïve', ' 時間'];

export function chunkOf(index: number, delta: Record<string, unknown>, finish: string | null = null): string {
  const fields = { id: 'chatcmpl-hop', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'hop-model' };
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...fields, system_fingerprint: `fp_${index}`, choices })}\n\n`;
}

function token(index: number): string {
  return chunkOf(index, { content: WORDS[(index * 7) % WORDS.length] });
}

function closing(index: number): string[] {
  return [chunkOf(index, {}, 'stop'), 'data: [DONE]\n\n'];
}

/** One token every 20 ms. */
function steady(): Write[] {
  const writes = Array.from({ length: TOKEN_COUNT }, (_, index) => ({
    atMs: FIRST_TOKEN_MS + index * STEP_MS,
    events: [token(index)],
  }));
  return [...writes, { atMs: FIRST_TOKEN_MS + TOKEN_COUNT * STEP_MS, events: closing(TOKEN_COUNT) }];
}

/** Speculative decoding: a step every 40 ms, one to five accepted tokens each, an event a token in one write. */
function bursts(): Write[] {
  const writes: Write[] = [];
  let index = 0;
  for (let step = 0; index < TOKEN_COUNT; step += 1) {
    const count = 1 + ((step * step * 3 + step) % 5);
    const events = Array.from({ length: count }, (_, offset) => token(index + offset));
    writes.push({ atMs: FIRST_TOKEN_MS + step * 2 * STEP_MS, events });
    index += count;
  }
  return [...writes, { atMs: FIRST_TOKEN_MS + writes.length * 2 * STEP_MS, events: closing(index) }];
}

/** One token every 20 ms, with three silences of 400 to 900 ms. */
function stalling(): Write[] {
  const silences = new Map([
    [20, 900],
    [61, 400],
    [110, 700],
  ]);
  let atMs = FIRST_TOKEN_MS;
  const writes = Array.from({ length: TOKEN_COUNT }, (_, index) => {
    atMs += STEP_MS + (silences.get(index) ?? 0);
    return { atMs, events: [token(index)] };
  });
  return [...writes, { atMs: atMs + STEP_MS, events: closing(TOKEN_COUNT) }];
}

const ALL: readonly Rhythm[] = [
  { name: 'steady', title: 'a token every 20 ms', writes: steady() },
  { name: 'bursts', title: 'speculative: 1 to 5 tokens every 40 ms', writes: bursts() },
  { name: 'stalling', title: 'a token every 20 ms, and silences of 900, 400 and 700 ms', writes: stalling() },
];

const wanted = process.env['HOPS_RHYTHMS']?.split(',');

/** All, or those that HOPS_RHYTHMS names, where there is not the time for all. */
export const RHYTHMS: readonly Rhythm[] = ALL.filter(({ name }) => wanted?.includes(name) !== false);
