// The rhythms that engines are known for, as scripts: what is written when, in vLLM's words (0.32): a role and the
// first token at once, its name on the last message only. Seeded, so that two runs of a rhythm are the same stream.

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

const FINGERPRINT = 'vllm-0.32.0-30307635';

function chunkOf(delta: Record<string, unknown>, rest: Record<string, unknown> = {}, finish?: string): string {
  const fields = {
    id: 'chatcmpl-b43e94c66cb084cd',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'hop-model',
  };
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish ?? null }];
  return `data: ${JSON.stringify({ ...fields, choices, ...rest })}\n\n`;
}

const ROLE = chunkOf({ role: 'assistant', content: '' }, { prompt_token_ids: null });

function token(index: number): string {
  return chunkOf({ content: WORDS[(index * 7) % WORDS.length] });
}

/** The events of one step, from this token on. */
function step(from: number, count: number): string[] {
  const tokens = Array.from({ length: count }, (_, offset) => token(from + offset));
  return from === 0 ? [ROLE, ...tokens] : tokens;
}

function closing(): string[] {
  return [chunkOf({}, { system_fingerprint: FINGERPRINT }, 'stop'), 'data: [DONE]\n\n'];
}

/** One token every 20 ms. */
function steady(): Write[] {
  const writes = Array.from({ length: TOKEN_COUNT }, (_, index) => ({
    atMs: FIRST_TOKEN_MS + index * STEP_MS,
    events: step(index, 1),
  }));
  return [...writes, { atMs: FIRST_TOKEN_MS + TOKEN_COUNT * STEP_MS, events: closing() }];
}

/** Speculative decoding: a step every 40 ms, one to five accepted tokens each, an event a token in one write. */
function bursts(): Write[] {
  const writes: Write[] = [];
  let index = 0;
  for (let at = 0; index < TOKEN_COUNT; at += 1) {
    const count = 1 + ((at * at * 3 + at) % 5);
    writes.push({ atMs: FIRST_TOKEN_MS + at * 2 * STEP_MS, events: step(index, count) });
    index += count;
  }
  return [...writes, { atMs: FIRST_TOKEN_MS + writes.length * 2 * STEP_MS, events: closing() }];
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
    return { atMs, events: step(index, 1) };
  });
  return [...writes, { atMs: atMs + STEP_MS, events: closing() }];
}

const ALL: readonly Rhythm[] = [
  { name: 'steady', title: 'a token every 20 ms', writes: steady() },
  { name: 'bursts', title: 'speculative: 1 to 5 tokens every 40 ms', writes: bursts() },
  { name: 'stalling', title: 'a token every 20 ms, and silences of 900, 400 and 700 ms', writes: stalling() },
];

const wanted = process.env['HOPS_RHYTHMS']?.split(',');

/** All, or those that HOPS_RHYTHMS names, where there is not the time for all. */
export const RHYTHMS: readonly Rhythm[] = ALL.filter(({ name }) => wanted?.includes(name) !== false);
