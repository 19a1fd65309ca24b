// OpenAI Responses: events that name their type, made by OpenAI and Azure, vLLM, SGLang, llama.cpp
// (without sequence numbers), Ollama, LMDeploy, Dynamo. The same events come when a response is fetched
// again by its id as a stream.
import type { Channel } from '../../record/kinds.ts';
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { errorTypeOf } from '../in-band-error.ts';
import { asArray, asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import { textsUnder } from '../like-event.ts';
import type { UsageCounts } from '../token-tally.ts';
import { usageOf } from './openai-usage.ts';
import { readingOf, typeOf } from './typed-event.ts';

/** All output items are parts of one answer. */
const CHOICE = 0;

/** By it Ollama's responses are known: everybody else's ids are longer. */
const OLLAMA_ID = /^resp_\d{1,6}$/;

/**
 * The events that end a response. `response.done` is the realtime API's, which some gateways send in
 * place of the others.
 */
const ENDS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'response.done',
]);

/** Words in the name of a delta, in this order, that tell its channel; a delta with none of them is text. */
const CHANNEL_BY_WORD: readonly (readonly [string, Channel])[] = [
  ['reasoning', 'reasoning'],
  ['refusal', 'refusal'],
  // Transcripts belong to it: they are the spoken words.
  ['audio', 'audio'],
  // Arguments, input, code and commands: `function_call_arguments`, `code_interpreter_call_code`, …
  ['_call', 'tool'],
];

/** Where the end of a part has the whole of it. */
const WHOLE_KEYS = ['text', 'refusal', 'arguments', 'input', 'code'];

/** Deltas of the arguments of a function. */
const ARGUMENTS = 'function_call_arguments';

/** What a tool gave back is no output of the model; it streams while a shell command runs. */
const TOOL_OUTPUT = '_call_output';

export const openaiResponses: Dialect = {
  name: 'openai-responses',
  // A count of a prompt's tokens is no answer.
  ownsPath: (path) => /\/responses(?:\/(?!input_tokens\/?$)[^/]+)?\/?$/.test(path),
  claims: (message, eventName) =>
    message['object'] === 'response' || typeOf(message, eventName)?.startsWith('response.') === true,
  read,
  isTerminal: (state) => state.endMark,
  hasEndMark: false,
  textPlaces: textsUnder('delta'),
};

function read(message: JsonObject, state: AnswerState, eventName: string | undefined): Reading {
  const type = typeOf(message, eventName);
  const response = message['object'] === 'response' ? message : asObject(message['response']);
  // llama.cpp counts beside its events as in its other dialects: the prompt while it is read, then tokens.
  const running = usageOf(message);
  if (running !== undefined) state.tokens.noteUsage(running, undefined);
  if (response !== undefined) noteResponse(response, state);
  if (type === undefined) {
    if (state.inOnePiece) for (const item of asArray(response?.['output']) ?? []) tellItem(asObject(item), state);
    return readingOf(state, 'other');
  }
  if (ENDS.has(type)) return readEnd(type, response, state);
  // OpenAI sends it while nothing happens; it stands in no reference (openai-node issue 1964).
  if (type === 'keepalive') return readingOf(state, 'ping');
  tellEvent(type, message, state);
  const listed = state.fragments.any ? noteTokens(message, state) : undefined;
  const tokensSoFar = running?.output ?? listed;
  if (!type.startsWith('response.')) return readingOf(state, 'other', tokensSoFar);
  return readingOf(state, type.endsWith('.delta') ? 'other' : 'lifecycle', tokensSoFar);
}

function noteResponse(response: JsonObject, state: AnswerState): void {
  state.noteNames(response['model'], response['id']);
  const choice = state.noteChoice(CHOICE);
  const isOllama = isNonEmptyText(response['id']) && OLLAMA_ID.test(response['id']);
  const usage = finalUsageOf(asObject(response['usage']));
  if (usage !== undefined) state.tokens.noteUsage(isOllama ? stated(usage) : usage, undefined);
  const { status } = response;
  if (status === 'in_progress' || status === 'queued') return;
  // An incomplete response says why; every other final status is its own reason.
  state.noteFinish(choice, asObject(response['incomplete_details'])?.['reason'] ?? status);
}

function readEnd(type: string, response: JsonObject | undefined, state: AnswerState): Reading {
  state.endMark = true;
  const tokensSoFar = response?.['usage'] === undefined ? undefined : state.tokens.usageOutput;
  if (type !== 'response.failed' && response?.['status'] !== 'failed') return readingOf(state, 'done', tokensSoFar);
  state.noteError(errorTypeOf(response ?? {}, undefined) ?? 'unknown');
  return readingOf(state, 'error', tokensSoFar);
}

function tellEvent(type: string, message: JsonObject, state: AnswerState): void {
  const { fragments } = state;
  if (type === 'response.output_item.added') {
    // A tool's name comes with its item. Texts of an item are left to its deltas, which repeat them.
    const item = asObject(message['item']);
    if (!isCall(item)) return;
    fragments.textless('tool', isNonEmptyText(item['name']));
    // Arguments that are there from the start come in no delta, and once more at the end.
    if (fragments.text('tool', CHOICE, item['arguments'])) state.noteDelta(ARGUMENTS);
    return;
  }
  if (type === 'response.image_generation_call.partial_image') {
    fragments.textless('image', isNonEmptyText(message['partial_image_b64']));
    return;
  }
  const [, name, step] = /^response\.(.+)\.(delta|done)$/.exec(type) ?? [];
  if (name === undefined || name.includes(TOOL_OUTPUT)) return;
  if (step === 'delta') {
    state.noteDelta(name);
    tellPart(name, message['delta'], state);
  } else if (!state.cameInDeltas(name)) {
    // The end of a part repeats it, unless no delta of its kind ever came: SGLang sends code only so.
    tellPart(name, WHOLE_KEYS.map((key) => message[key]).find(isNonEmptyText), state);
  }
}

/** A part by the name of its events, which tells its channel. */
function tellPart(name: string, value: unknown, { fragments }: AnswerState): void {
  const channel = CHANNEL_BY_WORD.find(([word]) => name.includes(word))?.[1] ?? 'text';
  if (channel === 'audio' && !name.includes('transcript')) fragments.textless(channel, isNonEmptyText(value));
  else fragments.text(channel, CHOICE, value);
}

/** One item of a response in one piece. */
function tellItem(item: JsonObject | undefined, state: AnswerState): void {
  const { fragments } = state;
  if (isCall(item)) {
    for (const key of WHOLE_KEYS) fragments.text('tool', CHOICE, item[key]);
    return;
  }
  const channel = item?.['type'] === 'reasoning' ? 'reasoning' : 'text';
  for (const value of [...(asArray(item?.['summary']) ?? []), ...(asArray(item?.['content']) ?? [])]) {
    const part = asObject(value);
    fragments.text(channel, CHOICE, part?.['text']);
    fragments.text('refusal', CHOICE, part?.['refusal']);
    fragments.text('audio', CHOICE, part?.['transcript']);
  }
}

function isCall(item: JsonObject | undefined): item is JsonObject {
  return isNonEmptyText(item?.['type']) && item['type'].endsWith('_call');
}

/** Logprobs list the tokens of a delta where they were asked for; the list is empty where not. */
function noteTokens(message: JsonObject, state: AnswerState): number | undefined {
  const listed = asArray(message['logprobs'])?.length ?? 0;
  const logprobCount = listed === 0 ? undefined : listed;
  state.tokens.noteChoice({ generated: true, tokenIdCount: undefined, logprobCount });
  return logprobCount === undefined ? undefined : state.tokens.listedOutput;
}

/** Ollama writes zeros for the details that it does not count yet (openai/responses.go). */
function stated(usage: UsageCounts): UsageCounts {
  return { ...usage, cached: usage.cached || undefined, reasoning: usage.reasoning || undefined };
}

function finalUsageOf(usage: JsonObject | undefined): UsageCounts | undefined {
  const prompt = firstCount(usage?.['input_tokens']);
  const output = firstCount(usage?.['output_tokens']);
  // Zeros are a blank form, as in the other dialects of this family.
  if ((prompt ?? 0) === 0 && (output ?? 0) === 0) return undefined;
  return {
    prompt,
    output,
    cached: firstCount(asObject(usage?.['input_tokens_details'])?.['cached_tokens']),
    reasoning: firstCount(asObject(usage?.['output_tokens_details'])?.['reasoning_tokens']),
  };
}
