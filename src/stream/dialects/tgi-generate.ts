// TGI's own routes (router/src/server.rs): /generate_stream, and / and /invocations, where shape alone
// tells. One event is one token, strictly. The last one also has `generated_text`, and `details` when
// asked; there is no other mark. Silence is filled with bare comments; an error is an event of its own.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asObject, firstCount, type JsonObject } from '../json-value.ts';

export const tgiGenerate: Dialect = {
  name: 'tgi-generate',
  ownsPath: (path) => /\/generate_stream\/?$/.test(path),
  claims: (message) =>
    typeof message['generated_text'] === 'string' ||
    ('generated_text' in message && typeof asObject(message['token'])?.['text'] === 'string'),
  read,
  isTerminal: (state) => state.endMark,
  hasEndMark: false,
};

function read(message: JsonObject, state: AnswerState): Reading {
  const choice = state.noteChoice(0);
  const token = asObject(message['token']);
  // A special token (end of sequence, end of turn) has a text of its own that is no part of the answer.
  if (token?.['special'] !== true) state.fragments.text('text', choice, token?.['text']);
  // A stream repeats all of its text at its end.
  if (state.inOnePiece) state.fragments.text('text', choice, message['generated_text']);
  const generated = state.fragments.take();
  if (token !== undefined) {
    state.tokens.noteChoice({ generated: generated !== 0, tokenIdCount: 1, logprobCount: undefined });
  }
  const ended = typeof message['generated_text'] === 'string';
  if (ended) state.endMark = true;
  const details = asObject(message['details']);
  state.noteFinish(choice, details?.['finish_reason']);
  const output = firstCount(details?.['generated_tokens']);
  if (output !== undefined) {
    state.tokens.noteUsage({ output, prompt: firstCount(details?.['input_length']) }, undefined);
  }
  return {
    kind: generated !== 0 ? 'content' : ended ? 'finish' : 'other',
    generated,
    tokensSoFar: output ?? (token === undefined ? undefined : state.tokens.listedOutput),
  };
}
