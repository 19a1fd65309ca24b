// OpenAI chat completions, and what the world made of them: vLLM, SGLang, TGI, llama.cpp, Ollama,
// TensorRT-LLM, Triton, Dynamo, LMDeploy, Azure, Groq, Cerebras, Mistral, DeepSeek, OpenRouter, …
import type { AnswerState } from '../answer-state.ts';
import type { Dialect } from '../dialect.ts';
import type { Fragments } from '../fragments.ts';
import { asArray, asObject, isNonEmptyText, type JsonObject } from '../json-value.ts';
import { textsUnder } from '../like-event.ts';
import { readOpenaiMessage, someChoice, tokenIdCountOf, type ChoiceView } from './openai-message.ts';
import { tellFunction, tellToolCalls } from './tool-calls.ts';

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
  textPlaces: textsUnder('content', 'reasoning_content', 'reasoning', 'refusal', 'text', 'arguments'),
};

/** Streams have `delta`; answers in one piece, and vLLM's beam search in a stream, have `message`. */
function deltaOf(choice: JsonObject): JsonObject | undefined {
  return asObject(choice['delta']) ?? asObject(choice['message']);
}

function viewChoice(choice: JsonObject, index: number, state: AnswerState): ChoiceView {
  const delta = deltaOf(choice);
  if (delta !== undefined) tellNew(delta, index, { state, whole: delta !== choice['delta'] });
  return {
    role: isNonEmptyText(delta?.['role']),
    tokenIdCount: tokenIdCountOf(choice, delta),
    logprobCount: logprobCountOf(asObject(choice['logprobs'])) ?? asArray(choice['output_token_logprobs'])?.length,
  };
}

/** Some gateways send the whole message once more when all of it has come in deltas (MiniMax). */
function tellNew(delta: JsonObject, index: number, from: { state: AnswerState; whole: boolean }): void {
  const { state, whole } = from;
  if (whole && state.choiceCameInDeltas(index)) return;
  tellDelta(delta, index, state.fragments);
  if (!whole && state.fragments.any) state.noteChoiceDelta(index);
}

/** What a delta carries. Empty texts and null are nothing. */
function tellDelta(delta: JsonObject, index: number, fragments: Fragments): void {
  tellReasoning(delta, index, fragments);
  tellContent(delta['content'], index, fragments);
  fragments.text('refusal', index, delta['refusal']);
  tellFunction(asObject(delta['function_call']), index, fragments);
  tellToolCalls(delta['tool_calls'], index, fragments);
  // Groq runs some tools itself and shows what it called them with and what came back.
  for (const value of asArray(delta['executed_tools']) ?? []) {
    const tool = asObject(value);
    fragments.text('tool', index, tool?.['arguments']);
    fragments.textless('tool', isNonEmptyText(tool?.['output']));
  }
  const audio = asObject(delta['audio']);
  fragments.textless('audio', isNonEmptyText(audio?.['data']));
  fragments.text('audio', index, audio?.['transcript']);
  fragments.textless('image', (asArray(delta['images'])?.length ?? 0) > 0);
}

/**
 * vLLM renamed `reasoning_content` to `reasoning` in 2026; others have either. Together has both, and
 * OpenRouter says the same once more as a list of parts, of which encrypted ones and signatures are no output
 * that anyone could see come.
 */
function tellReasoning(delta: JsonObject, index: number, fragments: Fragments): void {
  if (fragments.text('reasoning', index, delta['reasoning_content'])) return;
  if (fragments.text('reasoning', index, delta['reasoning'])) return;
  for (const value of asArray(delta['reasoning_details']) ?? []) {
    const part = asObject(value);
    if (!fragments.text('reasoning', index, part?.['text'])) fragments.text('reasoning', index, part?.['summary']);
  }
}

/** Content is a text or, with Mistral and some gateways, a list of parts. */
function tellContent(content: unknown, index: number, fragments: Fragments): void {
  if (fragments.text('text', index, content)) return;
  for (const part of asArray(content) ?? []) tellPart(part, index, fragments);
}

function tellPart(part: unknown, index: number, fragments: Fragments): void {
  if (fragments.text('text', index, part)) return;
  const fields = asObject(part);
  if (fields === undefined) return;
  fragments.text('text', index, fields['text']);
  fragments.text('refusal', index, fields['refusal']);
  // Mistral's thinking part holds a list of text parts; elsewhere it is a text.
  const { thinking, image_url: image } = fields;
  fragments.text('reasoning', index, thinking);
  for (const piece of asArray(thinking) ?? []) fragments.text('reasoning', index, asObject(piece)?.['text']);
  fragments.textless('image', asObject(image) !== undefined || isNonEmptyText(image));
}

/** Entries of content and refusal; a choice whose logprobs are null or lists none of both has no count. */
function logprobCountOf(logprobs: JsonObject | undefined): number | undefined {
  const content = asArray(logprobs?.['content']);
  const refusal = asArray(logprobs?.['refusal']);
  if (content === undefined && refusal === undefined) return undefined;
  return (content?.length ?? 0) + (refusal?.length ?? 0);
}
