// Triton's generate extension (docs/protocol/extension_generate.md): every response is a JSON object whose
// keys are the model's own outputs. By custom the text is `text_output`. Nothing marks the end: a body
// that ends cleanly is complete. An error is an event of its own. No keep-alive, no usage.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import type { Fragments } from '../fragments.ts';
import { asArray, firstCount, type JsonObject } from '../json-value.ts';
import { textsUnder } from '../like-event.ts';

const TEXT_KEY = 'text_output';

/** Texts of a response that name or explain it and are no output of the model. */
const LABEL_KEYS: ReadonlySet<string> = new Set(['model_name', 'model_version', 'id', 'parameters', 'finish_reason']);
/** Outputs of models that leave it to the caller to make text of tokens. */
const TOKEN_KEYS = ['output_ids', 'token_ids'];

export const tritonGenerate: Dialect = {
  name: 'triton-generate',
  ownsPath: (path) => /\/v2\/models\/.+\/generate(_stream)?\/?$/.test(path),
  claims: (message) => typeof message['model_name'] === 'string' && TEXT_KEY in message,
  read,
  // vLLM's backend states a finish reason when asked; elsewhere only the end of the body tells.
  isTerminal: (state) => state.everyChoiceFinished,
  hasEndMark: false,
  endsByClose: true,
  textPlaces: textsUnder('text_output'),
};

function read(message: JsonObject, state: AnswerState): Reading {
  state.noteNames(message['model_name'], message['id']);
  const choice = state.noteChoice(0);
  tellOutput(message, choice, state);
  const generated = state.fragments.take();
  // vLLM's backend (docs/additional_outputs.md): tokens of this response alone.
  const tokenCount = firstCount(single(message['num_output_tokens']));
  state.tokens.noteChoice({ generated: generated !== 0, tokenIdCount: tokenCount, logprobCount: undefined });
  const prompt = firstCount(single(message['num_input_tokens']));
  if (prompt !== undefined) state.tokens.noteUsage({ prompt }, undefined);
  const reason = single(message['finish_reason']);
  const finished = reason !== 'None' && state.noteFinish(choice, reason);
  return {
    kind: generated !== 0 ? 'content' : finished ? 'finish' : 'other',
    generated,
    tokensSoFar: tokenCount === undefined ? undefined : state.tokens.listedOutput,
  };
}

function tellOutput(message: JsonObject, choice: number, { fragments }: AnswerState): void {
  if (TEXT_KEY in message) {
    tellTensor(message[TEXT_KEY], choice, fragments);
    return;
  }
  if (TOKEN_KEYS.some((key) => (asArray(message[key])?.length ?? 0) > 0)) {
    fragments.textless('text', true);
    return;
  }
  for (const [key, value] of Object.entries(message)) {
    if (!LABEL_KEYS.has(key)) tellTensor(value, choice, fragments);
  }
}

/** Tensors of several elements are lists. */
function tellTensor(value: unknown, choice: number, fragments: Fragments): void {
  for (const item of asArray(value) ?? [value]) fragments.text('text', choice, item);
}

function single(value: unknown): unknown {
  const list = asArray(value);
  return list?.length === 1 ? list[0] : value;
}
