// OpenAI completions (legacy): text straight in the choice, no roles, no tools.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect } from '../dialect.ts';
import { asArray, asObject, type JsonObject } from '../json-value.ts';
import { textsUnder } from '../like-event.ts';
import { readOpenaiMessage, someChoice, tokenIdCountOf, type ChoiceView } from './openai-message.ts';

export const openaiCompletions: Dialect = {
  name: 'openai-completions',
  // Something must stand before it: the bare `/completions` of llama.cpp is its native dialect.
  ownsPath: (path) => /[^/]\/completions\/?$/.test(path) && !/\/chat\/completions\/?$/.test(path),
  claims: (message) =>
    message['object'] === 'text_completion' || someChoice(message, (choice) => typeof choice['text'] === 'string'),
  read: (message, state) => readOpenaiMessage(message, state, viewChoice),
  isTerminal: (state) => state.endMark || state.everyChoiceFinished,
  hasEndMark: true,
  textPlaces: textsUnder('text'),
};

function viewChoice(choice: JsonObject, index: number, { fragments }: AnswerState): ChoiceView {
  const logprobs = asObject(choice['logprobs']);
  fragments.text('text', index, choice['text']);
  return {
    role: false,
    tokenIdCount: tokenIdCountOf(choice, undefined),
    // llama.cpp lists them under `content`, as chat does.
    logprobCount: asArray(logprobs?.['tokens'] ?? logprobs?.['content'])?.length,
  };
}
