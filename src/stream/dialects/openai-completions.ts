// OpenAI completions (legacy): text straight in the choice, no roles, no tools.
import { channelBit } from '../../record/kinds.ts';
import type { Dialect } from '../dialect.ts';
import { asArray, asObject, isNonEmptyText, type JsonObject } from '../json-value.ts';
import { readOpenaiMessage, someChoice, tokenIdCountOf, type ChoiceView } from './openai-message.ts';

const TEXT = channelBit('text');

export const openaiCompletions: Dialect = {
  name: 'openai-completions',
  // Something must stand before it: the bare `/completions` of llama.cpp is its native dialect.
  ownsPath: (path) => /[^/]\/completions\/?$/.test(path) && !/\/chat\/completions\/?$/.test(path),
  claims: (message) =>
    message['object'] === 'text_completion' || someChoice(message, (choice) => typeof choice['text'] === 'string'),
  read: (message, state) => readOpenaiMessage(message, state, viewChoice),
  isTerminal: (state) => state.endMark || state.everyChoiceFinished,
  hasEndMark: true,
};

function viewChoice(choice: JsonObject): ChoiceView {
  const logprobs = asObject(choice['logprobs']);
  return {
    generated: isNonEmptyText(choice['text']) ? TEXT : 0,
    role: false,
    tokenIdCount: tokenIdCountOf(choice, undefined),
    // llama.cpp lists them under `content`, as chat does.
    logprobCount: asArray(logprobs?.['tokens'] ?? logprobs?.['content'])?.length,
  };
}
