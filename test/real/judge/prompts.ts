// The questions of a run: chat requests whose prompts differ in their first word, so that no cache knows
// them, and in their length, so that each is recognised by it in an engine's log.
import type { Question } from './ask.ts';

export const COUNT = 200;
/** Characters are tokens to the tiny model. The shortest takes some ms to read, the longest a tenth of a second. */
const SHORTEST = 40;
const STEP = 2;
/** Spreads the lengths over the run: coprime to the count, so each occurs once. */
const STRIDE = 77;
const OUTPUT_TOKENS = 6;

export function chatQuestion(run: string, index: number, more: Readonly<Record<string, unknown>> = {}): Question {
  const length = SHORTEST + STEP * ((index * STRIDE) % COUNT);
  const text = `${index}${run} `.padEnd(length, 'a bird sang in a dark wood ');
  return {
    path: '/v1/chat/completions',
    // Only llama.cpp reads this field: it names the request in the log.
    fields: { 'x-conversation-id': chatName(run, index) },
    body: {
      model: 'tiny',
      messages: [{ role: 'user', content: text }],
      stream: true,
      max_tokens: OUTPUT_TOKENS,
      ignore_eos: true,
      temperature: 0,
      ...more,
    },
  };
}

/** By this a question of a run is known to the engine. */
export function chatName(run: string, index: number): string {
  return `${run}-${index}`;
}

const TEXT = 'a bird sang in a dark wood '.repeat(10);
const FEW = { model: 'tiny', stream: true, ignore_eos: true, temperature: 0, max_tokens: OUTPUT_TOKENS };

/** One question for each further API that both engines serve, with the dialect that reads its answer. */
export const ROUTES = {
  'openai-completions': { path: '/v1/completions', body: { ...FEW, prompt: TEXT } },
  'openai-responses': { path: '/v1/responses', body: { ...FEW, input: TEXT, max_output_tokens: OUTPUT_TOKENS } },
  'anthropic-messages': { path: '/v1/messages', body: { ...FEW, messages: [{ role: 'user', content: TEXT }] } },
} as const;

/** llama.cpp's own. */
export const LLAMA_ROUTE = { path: '/completion', body: { ...FEW, prompt: TEXT, n_predict: OUTPUT_TOKENS } };
