// What comes out of Amazon Bedrock's InvokeModelWithResponseStream in the words of model families that
// have no dialect elsewhere: Meta Llama, Amazon Titan, Mistral's text models, Cohere's old chat. Claude,
// Nova and models with an OpenAI-shaped output speak the dialects of those. The last message of all
// carries Bedrock's own count.
import type { AnswerState } from '../answer-state.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { asArray, asObject, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import type { UsageCounts } from '../token-tally.ts';
import { promptOf, readingOf } from './typed-event.ts';

const CHOICE = 0;
const METRICS = 'amazon-bedrock-invocationMetrics';

export const bedrockInvoke: Dialect = {
  name: 'bedrock-invoke',
  ownsPath: (path) => /\/model\/.+\/invoke(?:-with-response-stream)?\/?$/.test(path),
  claims: (message) => asObject(message[METRICS]) !== undefined || isNonEmptyText(message['generation']),
  read,
  isTerminal: (state) => state.endMark || state.everyChoiceFinished,
  hasEndMark: false,
};

function read(message: JsonObject, state: AnswerState): Reading {
  const choice = state.noteChoice(CHOICE);
  // Mistral wraps its only output in a list, and so does Titan where it is no stream.
  const output = asObject(asArray(message['outputs'] ?? message['results'])?.[0]) ?? message;
  const texts = [output['text'], output['generation'], output['outputText'], output['completion']];
  state.fragments.text('text', choice, texts.find(isNonEmptyText));
  const reasons = [output['stop_reason'], output['completionReason'], output['finish_reason']];
  const finished = reasons.some((reason) => state.noteFinish(choice, reason));
  const usage = usageOf(message);
  if (usage !== undefined) state.tokens.noteUsage(usage, undefined);
  // After it nothing comes, whatever the model's own last message said.
  if (asObject(message[METRICS]) !== undefined) state.endMark = true;
  return readingOf(state, finished ? 'finish' : usage === undefined ? 'other' : 'usage', usage?.output);
}

/** Bedrock's count, else the model's own: Llama's and Titan's names. */
function usageOf(message: JsonObject): UsageCounts | undefined {
  const metrics = asObject(message[METRICS]) ?? {};
  const { cacheReadInputTokenCount: cached, cacheWriteInputTokenCount: written } = metrics;
  const prompt =
    promptOf(metrics['inputTokenCount'], cached, written) ??
    promptOf(message['prompt_token_count']) ??
    promptOf(message['inputTextTokenCount']);
  const output = firstCount(
    metrics['outputTokenCount'],
    message['generation_token_count'],
    message['totalOutputTextTokenCount'],
  );
  if (prompt === undefined && output === undefined) return undefined;
  return { prompt, output, cached: firstCount(cached) };
}
