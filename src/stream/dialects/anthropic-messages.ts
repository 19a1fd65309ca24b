// Anthropic Messages: events that name their type, made by Anthropic, vLLM, SGLang, llama.cpp, Ollama,
// and inside Amazon Bedrock's frames and Vertex AI's streams.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asArray, asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import { textsUnder } from '../like-event.ts';
import type { UsageCounts } from '../token-tally.ts';
import { promptOf, readingOf, typeOf } from './typed-event.ts';

/** There is one answer; content blocks are its parts. */
const CHOICE = 0;

const TYPES: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

export const anthropicMessages: Dialect = {
  name: 'anthropic-messages',
  // With a version, or bare: OpenAI's threads have messages as well, which are no answers.
  ownsPath: (path) =>
    /(?:^|\/v\d+)\/messages\/?$/.test(path) ||
    /\/publishers\/anthropic\/models\/[^/]+:(?:r|streamR)awPredict$/.test(path),
  claims: (message, eventName) =>
    TYPES.has(typeOf(message, eventName) ?? '') ||
    (message['type'] === 'message' && asArray(message['content']) !== undefined),
  read,
  isTerminal: (state) => state.endMark,
  hasEndMark: false,
  textPlaces: textsUnder('text', 'thinking', 'partial_json'),
};

function read(message: JsonObject, state: AnswerState, eventName: string | undefined): Reading {
  switch (typeOf(message, eventName)) {
    case 'message':
      return readAnswer(message, state);
    case 'message_start':
      return readStart(asObject(message['message']) ?? {}, state);
    case 'content_block_start':
      tellBlock(asObject(message['content_block']) ?? {}, state);
      return readingOf(state, 'lifecycle');
    case 'content_block_delta':
      tellDelta(asObject(message['delta']) ?? {}, state);
      return readingOf(state, 'other');
    case 'content_block_stop':
      return readingOf(state, 'lifecycle');
    case 'message_delta':
      return readDelta(message, state);
    case 'message_stop':
      state.endMark = true;
      return readingOf(state, 'done');
    default:
      // New types may come at any time and are to be ignored (Anthropic, "Streaming messages").
      return readingOf(state, 'other');
  }
}

function readAnswer(message: JsonObject, state: AnswerState): Reading {
  state.noteNames(message['model'], message['id']);
  state.noteFinish(state.noteChoice(CHOICE), message['stop_reason']);
  state.tokens.noteUsage(usageOf(message['usage']), undefined);
  if (state.inOnePiece) for (const block of asArray(message['content']) ?? []) tellBlock(asObject(block) ?? {}, state);
  return readingOf(state, 'other');
}

function readStart(message: JsonObject, state: AnswerState): Reading {
  state.noteNames(message['model'], message['id']);
  state.noteChoice(CHOICE);
  // Of the usage here only the prompt is a statement: the output is a first guess of a few tokens, and
  // would stand as the total of an answer that is cut.
  state.tokens.noteUsage({ ...usageOf(message['usage']), output: undefined, reasoning: undefined }, undefined);
  return readingOf(state, 'lifecycle');
}

function readDelta(message: JsonObject, state: AnswerState): Reading {
  // Counts are cumulative, so the last ones stand.
  const usage = usageOf(message['usage']);
  // Gateways repeat the input here without what was cached of it: then the start has said it better.
  const isPart = usage.cached === undefined && (state.tokens.usageCached ?? 0) > 0;
  state.tokens.noteUsage(isPart ? { ...usage, prompt: undefined } : usage, undefined);
  const finished = state.noteFinish(state.noteChoice(CHOICE), asObject(message['delta'])?.['stop_reason']);
  const tokensSoFar = usage.output === undefined ? undefined : state.tokens.usageOutput;
  return readingOf(state, finished ? 'finish' : 'usage', tokensSoFar);
}

/**
 * A block opens empty, save for a tool's name, and for thinking that is told in encrypted form only: it
 * comes whole with its block. Results of tools that ran on the server are not generated.
 */
function tellBlock(block: JsonObject, { fragments, inOnePiece }: AnswerState): void {
  const { type } = block;
  fragments.text('text', CHOICE, block['text']);
  fragments.text('reasoning', CHOICE, block['thinking']);
  fragments.textless('reasoning', type === 'redacted_thinking' && isNonEmptyText(block['data']));
  if (!isNonEmptyText(type) || !type.endsWith('tool_use')) return;
  fragments.textless('tool', isNonEmptyText(block['name']));
  // In a stream it is a blank form, and comes in deltas.
  if (inOnePiece) fragments.callArguments(CHOICE, block['input']);
}

/**
 * `signature_delta` seals thinking and `citations_delta` points into sources: neither is a token. The
 * summary that replaces a long conversation (`compaction_delta`) is generated, but not for the reader.
 */
function tellDelta(delta: JsonObject, { fragments }: AnswerState): void {
  fragments.text('text', CHOICE, delta['text']);
  fragments.text('reasoning', CHOICE, delta['thinking']);
  if (delta['type'] === 'compaction_delta') fragments.text('reasoning', CHOICE, delta['content']);
  fragments.text('tool', CHOICE, delta['partial_json']);
}

/** `input_tokens` leaves out both what was read from the cache and what was written to it. */
function usageOf(value: unknown): UsageCounts {
  const usage = asObject(value) ?? {};
  const { input_tokens: input, cache_creation_input_tokens: created, cache_read_input_tokens: cached } = usage;
  return {
    prompt: promptOf(input, created, cached),
    cached: firstCount(cached),
    output: firstCount(usage['output_tokens']),
    reasoning: firstCount(asObject(usage['output_tokens_details'])?.['thinking_tokens']),
  };
}
