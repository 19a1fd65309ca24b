// Amazon Bedrock's Converse and ConverseStream. The framing names an event's type and the message is its
// body; Amazon Nova's own streams have the same bodies under the type as their only key.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import type { UsageCounts } from '../token-tally.ts';
import { fragment, promptOf, readingOf } from './typed-event.ts';

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
      return readingOf(0, 'lifecycle');
    case 'contentBlockStart':
      return readingOf(fragment('tool', asObject(asObject(body['start'])?.['toolUse'])?.['name']), 'lifecycle');
    case 'contentBlockDelta':
      state.noteChoice(CHOICE);
      return readingOf(deltaChannels(asObject(body['delta']) ?? {}), 'other');
    case 'contentBlockStop':
      return readingOf(0, 'lifecycle');
    default:
      return readEnd(body, state, type);
  }
}

/** Stop and usage come in two events, and together in an answer in one piece. */
function readEnd(body: JsonObject, state: AnswerState, type: string | undefined): Reading {
  const finished = state.noteFinish(state.noteChoice(CHOICE), body['stopReason']);
  const usage = usageOf(asObject(body['usage']));
  if (usage !== undefined) state.tokens.noteUsage(usage, undefined);
  if (type === undefined) return readingOf(0, 'other');
  return readingOf(0, finished || usage === undefined ? 'finish' : 'usage', usage?.output);
}

/** A reasoning's signature is no token; citations and results of tools are not generated. */
function deltaChannels(delta: JsonObject): number {
  const reasoning = asObject(delta['reasoningContent']);
  return (
    fragment('text', delta['text']) |
    fragment('reasoning', reasoning?.['text'], reasoning?.['redactedContent']) |
    fragment('tool', asObject(delta['toolUse'])?.['input']) |
    fragment('image', asObject(asObject(delta['image'])?.['source'])?.['bytes'])
  );
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
