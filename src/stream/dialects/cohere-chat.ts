// Cohere's chat API, version 2: events that name their type, and answers in one piece. The model's
// name stands in neither.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asArray, asBoundedText, asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import { textsUnder } from '../like-event.ts';
import type { UsageCounts } from '../token-tally.ts';
import { promptOf, readingOf, typeOf } from './typed-event.ts';
import { ERROR_TYPE_MAX_CHARS } from '../../base/limits.ts';

/** There is one answer; content blocks and tool calls are its parts. */
const CHOICE = 0;

const TYPES: ReadonlySet<string> = new Set([
  'message-start',
  'content-start',
  'content-delta',
  'content-end',
  'tool-plan-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call-end',
  'citation-start',
  'citation-end',
  'message-end',
]);

/** Finish reasons that say that the answer failed. */
const FAILURES: ReadonlySet<unknown> = new Set(['ERROR', 'TIMEOUT']);

export const cohereChat: Dialect = {
  name: 'cohere-chat',
  ownsPath: (path) => /\/v2\/chat\/?$/.test(path),
  claims: (message, eventName) => TYPES.has(typeOf(message, eventName) ?? ''),
  read,
  isTerminal: (state) => state.endMark,
  // `[DONE]` follows, but `message-end` says all that there is to say.
  hasEndMark: false,
  textPlaces: textsUnder('text', 'thinking', 'tool_plan', 'arguments'),
};

function read(message: JsonObject, state: AnswerState, eventName: string | undefined): Reading {
  const type = typeOf(message, eventName);
  if (type === undefined) {
    if (state.inOnePiece) tellAnswer(asObject(message['message']), state);
    return readEnd(message, state);
  }
  const delta = asObject(message['delta']) ?? {};
  const output = asObject(delta['message']) ?? {};
  switch (type) {
    case 'message-start':
      state.noteNames(undefined, message['id']);
      state.noteChoice(CHOICE);
      return readingOf(state, 'lifecycle');
    case 'content-start':
      tellContent(asObject(output['content']), state);
      return readingOf(state, 'lifecycle');
    case 'content-delta':
      return readContent(message, output, state);
    case 'tool-plan-delta':
      // The model thinks aloud about which tools to use: not the answer, and so reasoning.
      state.fragments.text('reasoning', CHOICE, output['tool_plan']);
      return readingOf(state, 'other');
    case 'tool-call-start':
      tellCall(asObject(output['tool_calls']), state);
      return readingOf(state, 'lifecycle');
    case 'tool-call-delta':
      tellCall(asObject(output['tool_calls']), state);
      return readingOf(state, 'other');
    case 'message-end':
      state.endMark = true;
      return readEnd(delta, state);
    default:
      // Citations point into the text that was sent; ends of blocks say nothing more.
      return readingOf(state, TYPES.has(type) ? 'lifecycle' : 'other');
  }
}

/** The end of a stream, and an answer in one piece, keep finish and usage under the same names. */
function readEnd(end: JsonObject, state: AnswerState): Reading {
  state.noteNames(undefined, end['id']);
  state.noteFinish(state.noteChoice(CHOICE), end['finish_reason']);
  const usage = usageOf(asObject(end['usage']));
  if (usage !== undefined) state.tokens.noteUsage(usage, undefined);
  const failed = FAILURES.has(end['finish_reason']) || isNonEmptyText(end['error']);
  if (failed) state.noteError(asBoundedText(end['finish_reason'], ERROR_TYPE_MAX_CHARS) ?? 'unknown');
  return readingOf(state, failed ? 'error' : 'finish', usage?.output);
}

function readContent(message: JsonObject, output: JsonObject, state: AnswerState): Reading {
  const generated = tellContent(asObject(output['content']), state);
  const tokenIdCount = asArray(asObject(message['logprobs'])?.['token_ids'])?.length;
  state.tokens.noteChoice({ generated, tokenIdCount, logprobCount: undefined });
  return readingOf(state, 'other', tokenIdCount === undefined ? undefined : state.tokens.listedOutput);
}

/** An answer in one piece: what streams tell part by part. */
function tellAnswer(answer: JsonObject | undefined, state: AnswerState): void {
  state.fragments.text('reasoning', CHOICE, answer?.['tool_plan']);
  for (const content of asArray(answer?.['content']) ?? []) tellContent(asObject(content), state);
  for (const call of asArray(answer?.['tool_calls']) ?? []) tellCall(asObject(call), state);
}

/** True when there was some. */
function tellContent(content: JsonObject | undefined, { fragments }: AnswerState): boolean {
  const hasText = fragments.text('text', CHOICE, content?.['text']);
  return fragments.text('reasoning', CHOICE, content?.['thinking']) || hasText;
}

function tellCall(call: JsonObject | undefined, { fragments }: AnswerState): void {
  const called = asObject(call?.['function']);
  fragments.textless('tool', isNonEmptyText(called?.['name']));
  fragments.text('tool', CHOICE, called?.['arguments']);
}

/** Billed units are another count: they leave out what Cohere itself puts in front of a prompt. */
function usageOf(usage: JsonObject | undefined): UsageCounts | undefined {
  const tokens = asObject(usage?.['tokens']);
  const cached = firstCount(usage?.['cached_tokens']);
  if (tokens === undefined && cached === undefined) return undefined;
  return { prompt: promptOf(tokens?.['input_tokens']), output: firstCount(tokens?.['output_tokens']), cached };
}
