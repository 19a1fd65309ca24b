// Ollama's own routes, /api/chat and /api/generate: one JSON object a line, streamed unless the request
// says `"stream": false`. SGLang offers the same shape, without counts (srt/entrypoints/ollama). The last
// line has `"done": true` and the counts, and may carry output as well; there is no other mark and no
// keep-alive. An error is a line of its own while the status stays 200.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asArray, asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import type { UsageCounts } from '../token-tally.ts';
import { kindByChannel } from './kind-by-channel.ts';
import { tellToolCalls } from './tool-calls.ts';

export const ollama: Dialect = {
  name: 'ollama',
  ownsPath: (path) => /\/api\/(chat|generate)\/?$/.test(path),
  claims: (message) =>
    typeof message['done'] === 'boolean' &&
    (asObject(message['message']) !== undefined || typeof message['response'] === 'string'),
  read,
  isTerminal: (state) => state.endMark,
  hasEndMark: false,
};

function read(message: JsonObject, state: AnswerState): Reading {
  state.noteNames(message['model'], undefined);
  const choice = state.noteChoice(0);
  tellOutput(message, choice, state);
  const generated = state.fragments.take();
  const done = message['done'] === true;
  const logprobCount = asArray(message['logprobs'])?.length;
  state.tokens.noteChoice({ generated: generated !== 0, tokenIdCount: undefined, logprobCount });
  const usage = done ? usageOf(message) : undefined;
  if (usage !== undefined) state.tokens.noteUsage(usage, undefined);
  if (done) {
    state.endMark = true;
    state.noteFinish(choice, message['done_reason']);
  }
  const listed = logprobCount === undefined ? undefined : state.tokens.listedOutput;
  return {
    kind: kindByChannel(generated) ?? (done ? 'done' : kindOfEmpty(message)),
    generated,
    tokensSoFar: usage?.output ?? listed,
  };
}

function tellOutput(message: JsonObject, choice: number, { fragments }: AnswerState): void {
  // /api/chat keeps its output in `message`, /api/generate at the top.
  const output = asObject(message['message']) ?? message;
  fragments.text('reasoning', choice, output['thinking']);
  fragments.text('text', choice, isNonEmptyText(output['content']) ? output['content'] : output['response']);
  tellToolCalls(output['tool_calls'], choice, fragments);
  fragments.textless('image', isNonEmptyText(output['image']) || (asArray(output['images'])?.length ?? 0) > 0);
}

/** Image models count their steps in lines without output; a text line without text opens or fills. */
function kindOfEmpty(message: JsonObject): 'lifecycle' | 'role' | 'other' {
  if (firstCount(message['total']) !== undefined) return 'lifecycle';
  return isNonEmptyText(asObject(message['message'])?.['role']) ? 'role' : 'other';
}

function usageOf(message: JsonObject): UsageCounts | undefined {
  const prompt = firstCount(message['prompt_eval_count']);
  const output = firstCount(message['eval_count']);
  // Servers that only play Ollama fill both in with 0: a blank form, not a statement.
  return (prompt ?? 0) === 0 && (output ?? 0) === 0 ? undefined : { prompt, output };
}
