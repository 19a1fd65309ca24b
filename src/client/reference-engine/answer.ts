// What an imagined model says to a request: how many tokens, which words, on which channel, and why
// it stops. Depends on the seed and the request alone, never on the order in which requests come.
import { REFERENCE_OUTPUT_MAX_TOKENS } from '../../base/limits.ts';
import { hashText, integerBetween, mix32, seededRandom } from '../random.ts';
import type { GenerationRequest } from './request.ts';

type FinishReason = 'stop' | 'length' | 'tool_calls';

/** One token of an answer. A tool call's first token names the function, the others are its arguments. */
export interface Fragment {
  readonly channel: 'text' | 'reasoning' | 'tool_name' | 'tool_arguments';
  readonly text: string;
}

export interface ChoicePlan {
  readonly fragments: readonly Fragment[];
  readonly finishReason: FinishReason;
  /** Of the fragments, those that are reasoning. */
  readonly reasoningTokens: number;
}

export interface AnswerPlan {
  readonly promptTokens: number;
  /** Of these, tokens found in the prefix cache; absent without such a cache. */
  readonly cachedTokens?: number;
  readonly choices: readonly ChoicePlan[];
}

/** The usual rule of thumb for English; no engine of ours has a tokenizer. */
export const CHARS_PER_TOKEN = 4;

/** Tokens of an answer that nobody limits. */
const NATURAL_TOKENS = { lowest: 24, highest: 320 } as const;

const WORDS = (
  'time beat pulse measure breath hand string bow note rest phrase line voice room quiet early late slow quick held ' +
  'given taken back again under over between before after soft clear long short the a of and to in with for it that'
).split(' ');

/** Prompt tokens a text counts for. */
function countPromptTokens(request: GenerationRequest): number {
  return Math.max(1, request.promptTokenIds ?? Math.ceil(request.promptText.length / CHARS_PER_TOKEN));
}

/** Settles the whole answer before the first token of it is computed. */
export function planAnswer(request: GenerationRequest, engineSeed: number): AnswerPlan {
  const outputMaxTokens = Math.floor(REFERENCE_OUTPUT_MAX_TOKENS / request.choices);
  // A request that brings a seed is answered by that seed; others by what they ask.
  const requestSeed = request.seed ?? hashText(request.promptText);
  const choices: ChoicePlan[] = [];
  for (let index = 0; index < request.choices; index += 1) {
    choices.push(planChoice(request, mix32(mix32(engineSeed, requestSeed), index), outputMaxTokens));
  }
  return { promptTokens: countPromptTokens(request), choices };
}

function planChoice(request: GenerationRequest, seed: number, outputMaxTokens: number): ChoicePlan {
  const random = seededRandom(seed);
  const limit = Math.min(request.maxTokens ?? outputMaxTokens, outputMaxTokens);
  const natural = Math.max(request.minTokens, integerBetween(random, NATURAL_TOKENS.lowest, NATURAL_TOKENS.highest));
  const whole = request.ignoreEnd ? limit : natural;
  const count = Math.min(whole, limit);
  const reasoningTokens = Math.floor(count * request.reasoningRatio);
  const fragments: Fragment[] = [];
  for (let position = 1; position <= count; position += 1) {
    const word = WORDS[integerBetween(random, 0, WORDS.length - 1)] ?? '';
    if (position <= reasoningTokens) fragments.push({ channel: 'reasoning', text: ` ${word}` });
    else if (request.toolName === undefined) fragments.push({ channel: 'text', text: ` ${word}` });
    else fragments.push(toolFragment(request.toolName, word, position - reasoningTokens, whole - reasoningTokens));
  }
  const cut = whole > limit || request.ignoreEnd;
  const ownReason = request.toolName === undefined ? 'stop' : 'tool_calls';
  return { fragments, finishReason: cut ? 'length' : ownReason, reasoningTokens };
}

/** Together the arguments are one JSON object; cut short by a limit they are not, as in real life. */
function toolFragment(name: string, word: string, position: number, count: number): Fragment {
  if (position === 1) return { channel: 'tool_name', text: name };
  if (position === 2) return { channel: 'tool_arguments', text: count === 2 ? '{}' : '{"text":"' };
  return { channel: 'tool_arguments', text: position === count ? '"}' : `${word} ` };
}
