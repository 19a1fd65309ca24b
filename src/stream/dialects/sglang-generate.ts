// SGLang's own route /generate (srt/managers/tokenizer_manager.py), and LMDeploy's, which has its shape.
// `text` is the whole answer so far, unless SGLang runs with --incremental-streaming-output; LMDeploy
// always sends only what is new. `meta_info` has running counts in every event. Ends with `[DONE]`, also
// after an error. No keep-alive.
import { ERROR_TYPE_MAX_CHARS } from '../../base/limits.ts';
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asArray, asBoundedText, asObject, firstCount, type JsonObject } from '../json-value.ts';

const FIRST_FAILURE_STATUS = 400;

export const sglangGenerate: Dialect = {
  name: 'sglang-generate',
  ownsPath: (path) => /\/(vertex_)?generate\/?$/.test(path),
  claims: (message) =>
    asObject(message['meta_info']) !== undefined &&
    (typeof message['text'] === 'string' || asArray(message['output_ids']) !== undefined),
  read,
  isTerminal: (state) => state.endMark || state.everyChoiceFinished,
  hasEndMark: true,
};

function read(message: JsonObject, state: AnswerState): Reading {
  const meta = asObject(message['meta_info']) ?? {};
  state.noteNames(undefined, meta['id']);
  const choice = state.noteChoice(firstCount(message['index']) ?? 0);
  const finish = asObject(meta['finish_reason']);
  const finished = state.noteFinish(choice, finish?.['type'] ?? meta['finish_reason']);
  const failed = noteFailure(finish, state);
  const output = firstCount(meta['completion_tokens']);
  tellGrowth(message, meta, { state, choice, finished });
  const generated = state.fragments.take();
  state.tokens.noteUsage(
    {
      output,
      prompt: firstCount(meta['prompt_tokens']),
      cached: firstCount(meta['cached_tokens']),
      reasoning: firstCount(meta['reasoning_tokens']),
    },
    choice,
  );
  return {
    kind: generated !== 0 ? 'content' : failed ? 'error' : finished ? 'finish' : 'other',
    generated,
    tokensSoFar: output === undefined ? undefined : state.tokens.usageOutput,
  };
}

interface Place {
  readonly state: AnswerState;
  readonly choice: number;
  readonly finished: boolean;
}

/** The output that no earlier event had. */
function tellGrowth(message: JsonObject, meta: JsonObject, { state, choice, finished }: Place): void {
  const { fragments, growth } = state;
  const text = message['text'];
  // SGLang names every request in `meta_info.id`; LMDeploy, which never repeats, does not.
  if (typeof text === 'string') {
    const grown = growth.newText(choice, { text, onlyNew: meta['id'] === undefined, last: finished });
    fragments.text('text', choice, grown.text);
    if (grown.misread) fragments.lost = true;
    return;
  }
  // Without a tokenizer in the engine the answer is token ids; their number is stated beside them.
  fragments.textless('text', growth.countGrew(choice, firstCount(meta['completion_tokens'])));
}

/** An abort with a failing status is the engine's own; without one somebody asked for it. */
function noteFailure(finish: JsonObject | undefined, state: AnswerState): boolean {
  if (finish?.['type'] !== 'abort') return false;
  if ((firstCount(finish['status_code']) ?? 0) < FIRST_FAILURE_STATUS) return false;
  state.noteError(asBoundedText(finish['err_type'], ERROR_TYPE_MAX_CHARS) ?? 'abort');
  return true;
}
