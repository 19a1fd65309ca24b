// Puts an answer into OpenAI's words: the events of a stream and the body of a plain answer, for chat
// and for completions. Field by field as vLLM writes them. Another dialect is another such file.
// Makes strings only; knows no socket and no time.
import type { AnswerPlan, ChoicePlan, Fragment } from './answer.ts';
import type { GenerationRequest } from './request.ts';

/** What every event of one answer repeats. */
export interface AnswerNames {
  readonly id: string;
  readonly createdEpochS: number;
  readonly model: string;
  /** vLLM says `reasoning`; SGLang, llama.cpp and vLLM before 2026 say `reasoning_content`. */
  readonly reasoningField: 'reasoning' | 'reasoning_content';
}

interface AnswerContext {
  readonly names: AnswerNames;
  readonly request: GenerationRequest;
  readonly plan: AnswerPlan;
}

type Json = Readonly<Record<string, unknown>>;

const END_EVENT = 'data: [DONE]\n\n';

export class ChatWriter {
  readonly #context: AnswerContext;

  constructor(names: AnswerNames, request: GenerationRequest, plan: AnswerPlan) {
    this.#context = { names, request, plan };
  }

  /** The events that open each choice and say nothing; completions have none. */
  roles(): string {
    if (this.#context.request.api !== 'chat') return '';
    const delta = { role: 'assistant', content: '' };
    return this.#context.plan.choices.map((_, index) => this.#choiceEvent(index, { delta }, null, 0)).join('');
  }

  /** All events of one position: its token in each choice that has one, and the finish of those that end. */
  tokens(position: number): string {
    let text = '';
    for (const [index, choice] of this.#context.plan.choices.entries()) {
      const fragment = choice.fragments[position - 1];
      if (fragment === undefined) continue;
      text += this.#choiceEvent(index, this.#part(fragment, position), null, position);
      if (position < choice.fragments.length) continue;
      const nothing = this.#context.request.api === 'chat' ? { delta: {} } : { text: '' };
      text += this.#choiceEvent(index, nothing, choice.finishReason, position);
    }
    return text;
  }

  /** What closes the stream: usage when it was asked for, and the end mark. */
  closing(): string {
    const { request, plan } = this.#context;
    const usage = request.includeUsage ? this.#event([], usageOf(plan)) : '';
    return usage + END_EVENT;
  }

  /** The same answer in one piece. */
  whole(): string {
    const { names, request, plan } = this.#context;
    const chat = request.api === 'chat';
    const choices = plan.choices.map((choice, index) => {
      const said = chat ? { message: message(choice, names.reasoningField) } : { text: textOf(choice, 'text') };
      return { index, ...said, logprobs: null, finish_reason: choice.finishReason };
    });
    const object = chat ? 'chat.completion' : 'text_completion';
    const head = { id: names.id, object, created: names.createdEpochS, model: names.model };
    return JSON.stringify({ ...head, choices, usage: usageOf(plan) });
  }

  #part(fragment: Fragment, position: number): Json {
    if (this.#context.request.api !== 'chat') return { text: fragment.text };
    switch (fragment.channel) {
      case 'text':
        return { delta: { content: fragment.text } };
      case 'reasoning':
        return { delta: { [this.#context.names.reasoningField]: fragment.text } };
      case 'tool_name': {
        const call = { name: fragment.text, arguments: '' };
        const id = `call_${this.#context.names.id}_${position}`;
        return { delta: { tool_calls: [{ index: 0, id, type: 'function', function: call }] } };
      }
      case 'tool_arguments':
        return { delta: { tool_calls: [{ index: 0, function: { arguments: fragment.text } }] } };
    }
  }

  #choiceEvent(index: number, part: Json, finishReason: string | null, position: number): string {
    const { request, plan } = this.#context;
    const choice = { index, ...part, logprobs: null, finish_reason: finishReason };
    // Continuous usage counts the choice of its event only; the last one counts them all (vLLM).
    const usage = request.continuousUsage ? usageCounts(plan.promptTokens, position) : undefined;
    return this.#event([choice], usage);
  }

  #event(choices: readonly Json[], usage: Json | undefined): string {
    const { names, request } = this.#context;
    const object = request.api === 'chat' ? 'chat.completion.chunk' : 'text_completion';
    const body = { id: names.id, object, created: names.createdEpochS, model: names.model, choices, usage };
    return `data: ${JSON.stringify(body)}\n\n`;
  }
}

function usageCounts(promptTokens: number, outputTokens: number): Json {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens + outputTokens, completion_tokens: outputTokens };
}

/** The tokens of all choices, and how many of them were reasoning when any were. */
function usageOf(plan: AnswerPlan): Json {
  const outputTokens = plan.choices.reduce((sum, choice) => sum + choice.fragments.length, 0);
  const reasoningTokens = plan.choices.reduce((sum, choice) => sum + choice.reasoningTokens, 0);
  const counts = usageCounts(plan.promptTokens, outputTokens);
  if (reasoningTokens === 0) return counts;
  return { ...counts, completion_tokens_details: { reasoning_tokens: reasoningTokens } };
}

function textOf(choice: ChoicePlan, channel: Fragment['channel']): string {
  return choice.fragments.map((fragment) => (fragment.channel === channel ? fragment.text : '')).join('');
}

function message(choice: ChoicePlan, reasoningField: AnswerNames['reasoningField']): Json {
  const name = textOf(choice, 'tool_name');
  const call = {
    id: `call_${name}`,
    type: 'function',
    function: { name, arguments: textOf(choice, 'tool_arguments') },
  };
  const reasoning = textOf(choice, 'reasoning');
  return {
    role: 'assistant',
    content: name === '' ? textOf(choice, 'text') : null,
    ...(reasoning === '' ? {} : { [reasoningField]: reasoning }),
    ...(name === '' ? {} : { tool_calls: [call] }),
  };
}
