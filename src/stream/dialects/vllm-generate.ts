// vLLM's /inference/v1/generate: tokens in, tokens out, in the frame of OpenAI's completions. What is
// generated are the token ids themselves.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect } from '../dialect.ts';
import { asArray, asObject, isNonEmptyText, type JsonObject } from '../json-value.ts';
import { readOpenaiMessage, someChoice, tokenIdCountOf, type ChoiceView } from './openai-message.ts';

export const vllmGenerate: Dialect = {
  name: 'vllm-generate',
  ownsPath: (path) => /\/inference\/v1\/generate\/?$/.test(path),
  claims: (message) =>
    isNonEmptyText(message['request_id']) &&
    someChoice(message, (choice) => asArray(choice['token_ids']) !== undefined && !('text' in choice)),
  read: (message, state) => {
    state.noteNames(undefined, message['request_id']);
    return readOpenaiMessage(message, state, viewChoice);
  },
  isTerminal: (state) => state.endMark || state.everyChoiceFinished,
  hasEndMark: false,
};

function viewChoice(choice: JsonObject, _index: number, { fragments }: AnswerState): ChoiceView {
  const tokenIdCount = tokenIdCountOf(choice, undefined);
  fragments.textless('text', (tokenIdCount ?? 0) > 0);
  return {
    role: false,
    tokenIdCount,
    logprobCount: asArray(asObject(choice['logprobs'])?.['content'])?.length,
  };
}
