// Reads one message of the OpenAI family: choices with what they generated, finish, usage, names.
// The two dialects of the family differ only in where a choice keeps its output and its logprobs.
import type { EventKind } from '../../record/kinds.ts';
import type { AnswerState } from '../answer-state.ts';
import type { Reading } from '../dialect.ts';
import { asArray, asObject, firstCount, type JsonObject } from '../json-value.ts';
import { kindByChannel } from './kind-by-channel.ts';
import { usageOf } from './openai-usage.ts';

/** What a dialect of the family sees in one choice. */
export interface ChoiceView {
  /** The choice opens a message by naming its role. */
  readonly role: boolean;
  readonly tokenIdCount: number | undefined;
  readonly logprobCount: number | undefined;
}

/** Reads a message; `view` looks into one choice, tells its fragments, and gets the index to tell them by. */
export function readOpenaiMessage(
  message: JsonObject,
  state: AnswerState,
  view: (choice: JsonObject, index: number, state: AnswerState) => ChoiceView,
): Reading {
  state.noteNames(message['model'], message['id']);
  const choices = asArray(message['choices']) ?? [];
  let generated = 0;
  let role = false;
  let finished = false;
  let listed = false;
  let lastChoice: number | undefined;
  for (const [position, value] of choices.entries()) {
    const choice = asObject(value);
    if (choice === undefined) continue;
    lastChoice = state.noteChoice(firstCount(choice['index']) ?? position);
    const seen = view(choice, lastChoice, state);
    const channels = state.fragments.take();
    finished = state.noteFinish(lastChoice, choice['finish_reason']) || finished;
    state.tokens.noteChoice({ ...seen, generated: channels !== 0 });
    generated |= channels;
    role ||= seen.role;
    listed ||= seen.tokenIdCount !== undefined || seen.logprobCount !== undefined;
  }
  const usage = usageOf(message);
  if (usage !== undefined) state.tokens.noteUsage(usage, choices.length === 1 ? lastChoice : undefined);
  const tokensByUsage = usage?.output === undefined ? undefined : state.tokens.usageOutput;
  return {
    kind: kindOf(generated, { finished, usage: usage !== undefined, role, progress: isProgress(message) }),
    generated,
    tokensSoFar: tokensByUsage ?? (listed ? state.tokens.listedOutput : undefined),
  };
}

/** True when any choice of the message is an object that `test` accepts. */
export function someChoice(message: JsonObject, test: (choice: JsonObject) => boolean): boolean {
  return (asArray(message['choices']) ?? []).some((value) => {
    const choice = asObject(value);
    return choice !== undefined && test(choice);
  });
}

/**
 * How many token ids a choice lists: vLLM `token_ids`, LMDeploy `output_ids`, Cerebras `tokens`, and
 * in the delta Together's single `token_id`. A message without text can list some all the same.
 */
export function tokenIdCountOf(choice: JsonObject, delta: JsonObject | undefined): number | undefined {
  const list = choice['token_ids'] ?? choice['output_ids'] ?? choice['tokens'] ?? delta?.['tokens'];
  return asArray(list)?.length ?? (typeof delta?.['token_id'] === 'number' ? 1 : undefined);
}

interface Signs {
  readonly finished: boolean;
  readonly usage: boolean;
  readonly role: boolean;
  readonly progress: boolean;
}

function kindOf(generated: number, also: Signs): EventKind {
  const byChannel = kindByChannel(generated);
  if (byChannel !== undefined) return byChannel;
  if (also.finished) return 'finish';
  if (also.progress) return 'lifecycle';
  if (also.usage && !also.role) return 'usage';
  return also.role ? 'role' : 'other';
}

/** llama.cpp tells on request how far it has read the prompt, in chunks that repeat the role. */
function isProgress(message: JsonObject): boolean {
  return asObject(message['prompt_progress']) !== undefined;
}
