// Engines as the wire sees them: writes of server-sent events with their moments, in the rhythms that are
// known from real engines, none of which is buffering. Seeded; moments in ms since the request was sent.
import { integerBetween, type Random } from '../../../src/client/random.ts';

export interface Write {
  readonly atMs: number;
  /** Whole events, each a write of its own unless they are one text. */
  readonly text: string;
}

export interface Rhythm {
  readonly name: string;
  readonly writes: (random: Random) => Write[];
}

const WORDS =
  ' the| of| and| token|ization| a|s| benchmark| 42|.\n|ing| délai| 流|;| function| return| x|(|)| stream'.split('|');

export interface Form {
  readonly role: string;
  readonly event: (text: string, index: number, choice: number) => string;
  readonly tool: (text: string) => string;
  readonly tail: string;
}

/** Shapes of events from 90 bytes to some hundred, and with log probabilities above a thousand. */
export function formOf(random: Random): Form {
  const pick = random();
  const head = `"id":"chatcmpl-${Math.floor(random() * 1e15).toString(36)}","object":"chat.completion.chunk","created":1764400000,"model":"m-${'x'.repeat(integerBetween(random, 0, 40))}"`;
  const slim = pick < 0.2;
  const logprobs = pick > 0.9;
  const chunk = (delta: string, finish = 'null', choice = 0): string =>
    `data: {${slim ? '' : `${head},`}"choices":[{"index":${choice},"delta":${delta},"finish_reason":${finish}}]}\n\n`;
  const top = JSON.stringify(WORDS.slice(0, 10).map((token) => ({ token, logprob: -1.2345, bytes: [1, 2, 3] })));
  return {
    role: chunk('{"role":"assistant","content":""}'),
    event: (text, index, choice) => {
      const extra = logprobs ? `,"logprobs":{"content":[{"token":"t${index}","top_logprobs":${top}}]}` : '';
      return chunk(`{"content":${JSON.stringify(text)}${extra}}`, 'null', choice);
    },
    tool: (text) => chunk(`{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(text)}}}]}`),
    tail: `${chunk('{}', '"stop"')}data: {${slim ? '' : `${head},`}"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":99,"total_tokens":110}}\n\ndata: [DONE]\n\n`,
  };
}

export function word(random: Random): string {
  return WORDS[Math.floor(random() * WORDS.length)] ?? ' a';
}

/** Time of one step around `stepMs`: a little noise, and now and then a step that took longer. */
function step(random: Random, stepMs: number): number {
  const noise = (random() + random() + random() - 1.5) * 0.12 * stepMs;
  return stepMs + noise + (random() < 0.02 ? random() * stepMs : 0);
}

interface Plan {
  readonly stepMs: number;
  readonly tokens: number;
  /** Tokens of a step. */
  readonly perStep?: (random: Random) => number;
  /** All tokens of a step in one event. */
  readonly fat?: boolean;
  readonly choices?: number;
  /** Time lost before the given token. */
  readonly stallMs?: (index: number, random: Random) => number;
}

export function play(random: Random, plan: Plan): Write[] {
  const form = formOf(random);
  let atMs = 20 + random() * random() * 3000;
  const writes: Write[] = [{ atMs, text: form.role }];
  for (let made = 0; made < plan.tokens;) {
    const count = Math.min(plan.perStep?.(random) ?? 1, plan.tokens - made);
    atMs += plan.stallMs?.(made, random) ?? 0;
    for (let choice = 0; choice < (plan.choices ?? 1); choice += 1) {
      const words = Array.from({ length: count }, () => word(random));
      const texts = plan.fat ? [words.join('')] : words;
      for (const [index, text] of texts.entries()) writes.push({ atMs, text: form.event(text, made + index, choice) });
    }
    made += count;
    atMs += step(random, plan.stepMs);
  }
  writes.push({ atMs, text: form.tail });
  return writes;
}

const usualStep = (random: Random): number => [5, 8, 12, 20, 30, 45, 70][integerBetween(random, 0, 6)] as number;
const usualLength = (random: Random): number => integerBetween(random, 100, 500);
const drafted = (most: number, rate: number) => (random: Random) => {
  let count = 1;
  while (count < most && random() < rate) count += 1;
  return count;
};

/** What gateways in front of them may then hold, or not. */
export const USUAL_RHYTHMS: readonly Rhythm[] = [
  { name: 'steady', writes: (random) => play(random, { stepMs: usualStep(random), tokens: usualLength(random) }) },
  {
    name: 'speculative, one event a token',
    writes: (random) =>
      play(random, {
        stepMs: 20 + random() * 40,
        tokens: usualLength(random),
        perStep: drafted(integerBetween(random, 2, 8), 0.7),
      }),
  },
  {
    name: 'speculative, one event a step',
    writes: (random) =>
      play(random, {
        stepMs: 15 + random() * 40,
        tokens: 2 * usualLength(random),
        perStep: drafted(5, 0.7),
        fat: true,
      }),
  },
  {
    name: 'stalls of preemption',
    writes: (random) =>
      play(random, {
        stepMs: usualStep(random),
        tokens: usualLength(random),
        stallMs: (_index, dice) => (dice() < 0.02 ? 100 + dice() * 900 : 0),
      }),
  },
];
export const RARE_RHYTHMS: readonly Rhythm[] = [
  {
    name: 'draft of sixteen',
    writes: (random) =>
      play(random, {
        stepMs: 30 + random() * 60,
        tokens: 2 * usualLength(random),
        perStep: drafted(17, 0.6 + random() * 0.38),
      }),
  },
  {
    name: 'always the same draft',
    writes: (random) => {
      const size = integerBetween(random, 2, 8);
      return play(random, { stepMs: 20 + random() * 150, tokens: usualLength(random), perStep: () => size });
    },
  },
  {
    name: 'stream interval',
    writes: (random) => {
      const size = integerBetween(random, 2, 50);
      return play(random, {
        stepMs: size * usualStep(random),
        tokens: 3 * usualLength(random),
        perStep: () => size,
        fat: true,
      });
    },
  },
  {
    name: 'several choices',
    writes: (random) =>
      play(random, {
        stepMs: usualStep(random),
        tokens: 120,
        choices: integerBetween(random, 2, 16),
        perStep: drafted(3, 0.3),
      }),
  },
  { name: 'tool calls', writes: toolCalls },
  {
    name: 'one long stall',
    writes: (random) => {
      const tokens = usualLength(random);
      const at = integerBetween(random, 0, tokens);
      return play(random, {
        stepMs: usualStep(random),
        tokens,
        stallMs: (index) => (index === at ? 500 + 5000 * random() : 0),
      });
    },
  },
  {
    name: 'very fast engine',
    writes: (random) => play(random, { stepMs: 0.3 + random() * 2, tokens: integerBetween(random, 100, 1500) }),
  },
  {
    name: 'short answer',
    writes: (random) => play(random, { stepMs: usualStep(random), tokens: integerBetween(random, 1, 30) }),
  },
  {
    name: 'everything out of a cache',
    writes: (random) =>
      play(random, { stepMs: 0.01, tokens: usualLength(random) }).map((write) => ({
        ...write,
        atMs: 5 + write.atMs / 1e3,
      })),
  },
];

/** Text at its rhythm, then arguments that a parser held: silence, and all parts at once. */
function toolCalls(random: Random): Write[] {
  const form = formOf(random);
  const stepMs = usualStep(random);
  const writes = play(random, { stepMs, tokens: integerBetween(random, 0, 60) }).slice(0, -1);
  let atMs = (writes.at(-1)?.atMs ?? 0) + stepMs;
  for (let call = integerBetween(random, 1, 5); call > 0; call -= 1) {
    const parts = integerBetween(random, 1, 60);
    atMs += parts * stepMs;
    for (let part = 0; part < parts; part += 1) writes.push({ atMs, text: form.tool(word(random)) });
  }
  writes.push({ atMs: atMs + stepMs, text: form.tail });
  return writes;
}
