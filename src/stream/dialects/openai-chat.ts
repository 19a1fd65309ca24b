// OpenAI chat completions, and what the world made of them: vLLM, SGLang, TGI, llama.cpp, Ollama,
// TensorRT-LLM, Triton, Dynamo, LMDeploy, Azure, Groq, Cerebras, Mistral, DeepSeek, OpenRouter, …
import { channelBit } from '../../record/kinds.ts';
import type { Dialect } from '../dialect.ts';
import { asArray, asObject, isNonEmptyText, type JsonObject } from '../json-value.ts';
import { readOpenaiMessage, someChoice, tokenIdCountOf, type ChoiceView } from './openai-message.ts';
import { hasFunctionData, hasToolCallData } from './tool-calls.ts';

const TEXT = channelBit('text');
const REASONING = channelBit('reasoning');
const REFUSAL = channelBit('refusal');
const TOOL = channelBit('tool');
const AUDIO = channelBit('audio');
const IMAGE = channelBit('image');

export const openaiChat: Dialect = {
  name: 'openai-chat',
  ownsPath: (path) => /\/chat\/completions\/?$/.test(path),
  claims: (message) =>
    message['object'] === 'chat.completion.chunk' ||
    message['object'] === 'chat.completion' ||
    someChoice(message, (choice) => deltaOf(choice) !== undefined),
  read: (message, state) => readOpenaiMessage(message, state, viewChoice),
  isTerminal: (state) => state.endMark || state.everyChoiceFinished,
  hasEndMark: true,
};

/** Streams have `delta`; answers in one piece, and vLLM's beam search in a stream, have `message`. */
function deltaOf(choice: JsonObject): JsonObject | undefined {
  return asObject(choice['delta']) ?? asObject(choice['message']);
}

function viewChoice(choice: JsonObject): ChoiceView {
  const delta = deltaOf(choice);
  return {
    generated: delta === undefined ? 0 : channelsOf(delta),
    role: isNonEmptyText(delta?.['role']),
    tokenIdCount: tokenIdCountOf(choice, delta),
    logprobCount: logprobCountOf(asObject(choice['logprobs'])) ?? asArray(choice['output_token_logprobs'])?.length,
  };
}

/** Channels on which a delta carries a non-empty fragment. Empty texts and null are none. */
function channelsOf(delta: JsonObject): number {
  let channels = contentChannels(delta['content']);
  // vLLM renamed `reasoning_content` to `reasoning` in 2026; others have either, Together has both.
  if (isNonEmptyText(delta['reasoning_content']) || isNonEmptyText(delta['reasoning'])) channels |= REASONING;
  if (hasReasoningDetails(delta['reasoning_details'])) channels |= REASONING;
  if (isNonEmptyText(delta['refusal'])) channels |= REFUSAL;
  if (hasToolData(delta)) channels |= TOOL;
  const audio = asObject(delta['audio']);
  if (isNonEmptyText(audio?.['data']) || isNonEmptyText(audio?.['transcript'])) channels |= AUDIO;
  if ((asArray(delta['images'])?.length ?? 0) > 0) channels |= IMAGE;
  return channels;
}

/** OpenRouter's list of reasoning parts. Encrypted ones and signatures are no output that anyone could see come. */
function hasReasoningDetails(details: unknown): boolean {
  return (asArray(details) ?? []).some((value) => {
    const part = asObject(value);
    return isNonEmptyText(part?.['text']) || isNonEmptyText(part?.['summary']);
  });
}

/** Content is a text or, with Mistral and some gateways, a list of parts. */
function contentChannels(content: unknown): number {
  if (isNonEmptyText(content)) return TEXT;
  let channels = 0;
  for (const part of asArray(content) ?? []) channels |= partChannel(part);
  return channels;
}

function partChannel(part: unknown): number {
  if (isNonEmptyText(part)) return TEXT;
  const fields = asObject(part);
  if (fields === undefined) return 0;
  if (isNonEmptyText(fields['text'])) return TEXT;
  if (isNonEmptyText(fields['refusal'])) return REFUSAL;
  if (hasThinking(fields['thinking'])) return REASONING;
  if (asObject(fields['image_url']) !== undefined || isNonEmptyText(fields['image_url'])) return IMAGE;
  return 0;
}

/** Mistral's thinking part holds a list of text parts; elsewhere it is a text. */
function hasThinking(thinking: unknown): boolean {
  return isNonEmptyText(thinking) || (asArray(thinking) ?? []).some((part) => isNonEmptyText(asObject(part)?.['text']));
}

function hasToolData(delta: JsonObject): boolean {
  if (hasFunctionData(asObject(delta['function_call'])) || hasToolCallData(delta['tool_calls'])) return true;
  // Groq runs some tools itself and shows what it called them with and what came back.
  return (asArray(delta['executed_tools']) ?? []).some((value) => {
    const tool = asObject(value);
    return isNonEmptyText(tool?.['arguments']) || isNonEmptyText(tool?.['output']);
  });
}

/** Entries of content and refusal; a choice whose logprobs are null or lists none of both has no count. */
function logprobCountOf(logprobs: JsonObject | undefined): number | undefined {
  const content = asArray(logprobs?.['content']);
  const refusal = asArray(logprobs?.['refusal']);
  if (content === undefined && refusal === undefined) return undefined;
  return (content?.length ?? 0) + (refusal?.length ?? 0);
}
