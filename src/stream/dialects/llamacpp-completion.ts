// llama.cpp's own completion routes (tools/server): /completion, /completions, /infill. Text in `content`,
// running counts in every event, a last event with `"stop": true` for each choice, and no `[DONE]`. An
// error is an event after which the connection closes. Keep-alives are bare comments.
import type { EventKind } from '../../record/kinds.ts';
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';

export const llamacppCompletion: Dialect = {
  name: 'llamacpp-completion',
  ownsPath: (path) => /\/(completion|infill)\/?$|^\/completions\/?$/.test(path),
  claims: (message) => typeof message['content'] === 'string' && typeof message['stop'] === 'boolean',
  read,
  isTerminal: (state) => state.everyChoiceFinished,
  hasEndMark: false,
};

function read(message: JsonObject, state: AnswerState): Reading {
  state.noteNames(message['model'], undefined);
  const choice = state.noteChoice(firstCount(message['index']) ?? 0);
  state.fragments.text('text', choice, message['content']);
  const generated = state.fragments.take();
  const stopped = message['stop'] === true;
  if (stopped) state.noteFinish(choice, stopTypeOf(message));
  const output = firstCount(message['tokens_predicted']);
  const progress = asObject(message['prompt_progress']);
  state.tokens.noteUsage(
    {
      output,
      prompt: firstCount(message['tokens_evaluated']),
      // `tokens_cached` is what the slot now holds, the answer included: no count of prompt tokens reused.
      cached: firstCount(progress?.['cache'], asObject(message['timings'])?.['cache_n']),
    },
    choice,
  );
  return {
    // With `return_progress` events come while the prompt is still being read; the token they list is none.
    kind: kindOf(generated, { stopped, progress: progress !== undefined }),
    generated,
    tokensSoFar: output === undefined ? undefined : state.tokens.usageOutput,
  };
}

function kindOf(generated: number, also: { stopped: boolean; progress: boolean }): EventKind {
  if (generated !== 0) return 'content';
  if (also.stopped) return 'finish';
  return also.progress ? 'lifecycle' : 'other';
}

/** Builds before 2025 told the kind of stop by three flags; `response_fields` can leave out either. */
function stopTypeOf(message: JsonObject): unknown {
  if (isNonEmptyText(message['stop_type'])) return message['stop_type'];
  if (message['stopped_limit'] === true) return 'limit';
  if (message['stopped_word'] === true) return 'word';
  return message['stopped_eos'] === true ? 'eos' : 'stop';
}
