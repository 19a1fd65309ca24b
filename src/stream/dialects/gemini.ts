// Gemini's generateContent and streamGenerateContent, of the Gemini API and of Vertex AI. Streams are
// SSE with `alt=sse` and a JSON array without; each message is a whole response with a part of the text.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import type { Fragments } from '../fragments.ts';
import { asArray, asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import type { UsageCounts } from '../token-tally.ts';
import { promptOf, readingOf } from './typed-event.ts';

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
  let finished = false;
  for (const [position, value] of (asArray(response['candidates']) ?? []).entries()) {
    const candidate = asObject(value);
    if (candidate === undefined) continue;
    const choice = state.noteChoice(firstCount(candidate['index']) ?? position);
    finished = noteFinish(state, choice, candidate['finishReason']) || finished;
    for (const part of asArray(asObject(candidate['content'])?.['parts']) ?? []) tellPart(part, choice, state);
  }
  // A prompt that is refused has no candidates: the reason stands in their place and ends the answer.
  const blockReason = asObject(response['promptFeedback'])?.['blockReason'];
  if (isNonEmptyText(blockReason)) finished = noteFinish(state, state.noteChoice(0), blockReason) || finished;
  const usage = usageOf(asObject(response['usageMetadata']));
  if (usage !== undefined) state.tokens.noteUsage(usage, undefined);
  const tokensSoFar = usage?.output === undefined ? undefined : state.tokens.usageOutput;
  return readingOf(state, finished ? 'finish' : usage === undefined ? 'other' : 'usage', tokensSoFar);
}

/** The value that means "not set" is written out by some servers. */
function noteFinish(state: AnswerState, choice: number, reason: unknown): boolean {
  const isReason = isNonEmptyText(reason) && !reason.endsWith('_UNSPECIFIED');
  return isReason && state.noteFinish(choice, reason);
}

/** A thought's signature alone is no fragment, and neither is what a tool or running code gave back. */
function tellPart(value: unknown, choice: number, { fragments }: AnswerState): void {
  const part = asObject(value);
  if (part === undefined) return;
  fragments.text(part['thought'] === true ? 'reasoning' : 'text', choice, part['text']);
  tellCall(asObject(part['functionCall']), choice, fragments);
  tellCall(asObject(part['toolCall']), choice, fragments);
  fragments.text('tool', choice, asObject(part['executableCode'])?.['code']);
  const blob = asObject(part['inlineData']);
  const isAudio = isNonEmptyText(blob?.['mimeType']) && blob['mimeType'].startsWith('audio/');
  fragments.textless(isAudio ? 'audio' : 'image', isNonEmptyText(blob?.['data']));
}

/** Vertex AI can send a call in pieces, the later ones without a name: values by their place, and no text. */
function tellCall(call: JsonObject | undefined, choice: number, fragments: Fragments): void {
  const hasPieces = (asArray(call?.['partialArgs'])?.length ?? 0) > 0;
  fragments.textless('tool', isNonEmptyText(call?.['name']) || hasPieces);
  if (hasPieces) fragments.lost = true;
  fragments.callArguments(choice, asObject(call?.['args']));
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
