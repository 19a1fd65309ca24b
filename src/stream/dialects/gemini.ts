// Gemini's generateContent and streamGenerateContent, of the Gemini API and of Vertex AI. Streams are
// SSE with `alt=sse` and a JSON array without; each message is a whole response with a part of the text.
import { channelBit } from '../../record/kinds.ts';
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asArray, asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import type { UsageCounts } from '../token-tally.ts';
import { fragment, promptOf, readingOf } from './typed-event.ts';

export const gemini: Dialect = {
  name: 'gemini',
  ownsPath: (path) => /:(?:g|streamG)enerateContent$/.test(path),
  claims: (message) => {
    const response = responseOf(message);
    return asArray(response['candidates']) !== undefined || asObject(response['usageMetadata']) !== undefined;
  },
  read,
  isTerminal: (state) => state.everyChoiceFinished,
  hasEndMark: false,
};

/** Google's own coding tools get each response inside another object. */
function responseOf(message: JsonObject): JsonObject {
  return message['candidates'] === undefined ? (asObject(message['response']) ?? message) : message;
}

function read(message: JsonObject, state: AnswerState): Reading {
  const response = responseOf(message);
  state.noteNames(response['modelVersion'], response['responseId']);
  let generated = 0;
  let finished = false;
  for (const [position, value] of (asArray(response['candidates']) ?? []).entries()) {
    const candidate = asObject(value);
    if (candidate === undefined) continue;
    const choice = state.noteChoice(firstCount(candidate['index']) ?? position);
    finished = noteFinish(state, choice, candidate['finishReason']) || finished;
    for (const part of asArray(asObject(candidate['content'])?.['parts']) ?? []) generated |= partChannels(part);
  }
  // A prompt that is refused has no candidates: the reason stands in their place and ends the answer.
  const blockReason = asObject(response['promptFeedback'])?.['blockReason'];
  if (isNonEmptyText(blockReason)) finished = noteFinish(state, state.noteChoice(0), blockReason) || finished;
  const usage = usageOf(asObject(response['usageMetadata']));
  if (usage !== undefined) state.tokens.noteUsage(usage, undefined);
  const tokensSoFar = usage?.output === undefined ? undefined : state.tokens.usageOutput;
  return readingOf(generated, finished ? 'finish' : usage === undefined ? 'other' : 'usage', tokensSoFar);
}

/** The value that means "not set" is written out by some servers. */
function noteFinish(state: AnswerState, choice: number, reason: unknown): boolean {
  const isReason = isNonEmptyText(reason) && !reason.endsWith('_UNSPECIFIED');
  return isReason && state.noteFinish(choice, reason);
}

/** A thought's signature alone is no fragment, and neither is what a tool or running code gave back. */
function partChannels(value: unknown): number {
  const part = asObject(value);
  if (part === undefined) return 0;
  return (
    fragment(part['thought'] === true ? 'reasoning' : 'text', part['text']) |
    callChannels(asObject(part['functionCall'])) |
    callChannels(asObject(part['toolCall'])) |
    fragment('tool', asObject(part['executableCode'])?.['code']) |
    mediaChannels(asObject(part['inlineData']))
  );
}

/** Vertex AI can send a call in pieces, the later ones without a name. */
function callChannels(call: JsonObject | undefined): number {
  if (call === undefined) return 0;
  const isCall = isNonEmptyText(call['name']) || asObject(call['args']) !== undefined;
  return isCall || (asArray(call['partialArgs'])?.length ?? 0) > 0 ? channelBit('tool') : 0;
}

function mediaChannels(blob: JsonObject | undefined): number {
  const isAudio = isNonEmptyText(blob?.['mimeType']) && blob['mimeType'].startsWith('audio/');
  return fragment(isAudio ? 'audio' : 'image', blob?.['data']);
}

function usageOf(usage: JsonObject | undefined): UsageCounts | undefined {
  if (usage === undefined) return undefined;
  const prompt = promptOf(usage['promptTokenCount']);
  const visible = firstCount(usage['candidatesTokenCount']);
  const thoughts = firstCount(usage['thoughtsTokenCount']);
  if (prompt === undefined && visible === undefined && thoughts === undefined) return undefined;
  return {
    prompt,
    cached: firstCount(usage['cachedContentTokenCount']),
    output: outputOf(visible, thoughts, firstCount(usage['totalTokenCount']), prompt),
    reasoning: thoughts,
  };
}

/**
 * Thoughts are counted beside the candidates, but some versions of Vertex AI counted them within; the
 * total tells which.
 */
function outputOf(visible?: number, thoughts?: number, total?: number, prompt?: number): number | undefined {
  if (visible === undefined && thoughts === undefined) return undefined;
  const within = visible !== undefined && prompt !== undefined && prompt + visible === total;
  return within ? visible : firstCount((visible ?? 0) + (thoughts ?? 0));
}
