// Amazon Bedrock's Converse and ConverseStream. The framing names an event's type and the message is its
// body; Amazon Nova's own streams have the same bodies under the type as their only key.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asArray, asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import type { UsageCounts } from '../token-tally.ts';
import { promptOf, readingOf } from './typed-event.ts';

/** There is one answer; content blocks are its parts. */
const CHOICE = 0;

/** In the order in which they come. `metadata` alone could be anybody's. */
const TYPES = ['messageStart', 'contentBlockStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop'] as const;
const LAST_TYPE = 'metadata';
const ALL_TYPES: readonly string[] = [...TYPES, LAST_TYPE];

export const bedrockConverse: Dialect = {
  name: 'bedrock-converse',
  ownsPath: (path) => /\/model\/.+\/converse(?:-stream)?\/?$/.test(path),
  claims: (message, eventName) =>
    TYPES.some((type) => type === eventName || asObject(message[type]) !== undefined) || isAnswer(message),
  read,
  // Usage follows the stop, but is not always there.
  isTerminal: (state) => state.everyChoiceFinished,
  hasEndMark: false,
};

function isAnswer(message: JsonObject): boolean {
  return asObject(asObject(message['output'])?.['message']) !== undefined && isNonEmptyText(message['stopReason']);
}

function read(message: JsonObject, state: AnswerState, eventName: string | undefined): Reading {
  const type = ALL_TYPES.find((name) => name === eventName || asObject(message[name]) !== undefined);
  const body = (type === undefined ? undefined : asObject(message[type])) ?? message;
  switch (type) {
    case 'messageStart':
      state.noteChoice(CHOICE);
      return readingOf(state, 'lifecycle');
    case 'contentBlockStart':
      state.fragments.textless('tool', isNonEmptyText(asObject(asObject(body['start'])?.['toolUse'])?.['name']));
      return readingOf(state, 'lifecycle');
    case 'contentBlockDelta':
      state.noteChoice(CHOICE);
      tellPart(asObject(body['delta']) ?? {}, state);
      return readingOf(state, 'other');
    case 'contentBlockStop':
      return readingOf(state, 'lifecycle');
    default:
      return readEnd(body, state, type);
  }
}

/** Stop and usage come in two events, and together in an answer in one piece. */
function readEnd(body: JsonObject, state: AnswerState, type: string | undefined): Reading {
  const finished = state.noteFinish(state.noteChoice(CHOICE), body['stopReason']);
  const usage = usageOf(asObject(body['usage']));
  if (usage !== undefined) state.tokens.noteUsage(usage, undefined);
  if (type === undefined) {
    const content = asObject(asObject(body['output'])?.['message'])?.['content'];
    if (state.inOnePiece) for (const part of asArray(content) ?? []) tellPart(asObject(part) ?? {}, state);
    return readingOf(state, 'other');
  }
  return readingOf(state, finished || usage === undefined ? 'finish' : 'usage', usage?.output);
}

/**
 * A delta, or a block of an answer in one piece. A reasoning's signature is no token; citations and results of
 * tools are not generated.
 */
function tellPart(part: JsonObject, { fragments }: AnswerState): void {
  const reasoning = asObject(part['reasoningContent']);
  fragments.text('text', CHOICE, part['text']);
  // Whole blocks have one more object around it.
  fragments.text('reasoning', CHOICE, reasoning?.['text'] ?? asObject(reasoning?.['reasoningText'])?.['text']);
  fragments.textless('reasoning', isNonEmptyText(reasoning?.['redactedContent']));
  fragments.callArguments(CHOICE, asObject(part['toolUse'])?.['input']);
  fragments.textless('image', isNonEmptyText(asObject(asObject(part['image'])?.['source'])?.['bytes']));
}

/** `inputTokens` leaves out both what was read from the cache and what was written to it. */
function usageOf(usage: JsonObject | undefined): UsageCounts | undefined {
  if (usage === undefined) return undefined;
  const { inputTokens, cacheReadInputTokens: cached, cacheWriteInputTokens: written } = usage;
  return {
    prompt: promptOf(inputTokens, cached, written),
    cached: firstCount(cached),
    output: firstCount(usage['outputTokens']),
  };
}
