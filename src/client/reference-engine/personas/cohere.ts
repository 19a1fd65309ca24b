// Cohere's v2 chat: typed events around one message, and OpenAI's end mark after them. Source: cohere-typescript 8.
import { readCohere } from '../foreign-requests.ts';
import type { AnswerContext, AnswerWriter, Persona } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { blockSteps, blockText, typedEvent, type BlockStep } from './blocks.ts';
import { NO_PAGES } from './pages.ts';

const FINISH_REASONS = { stop: 'COMPLETE', length: 'MAX_TOKENS', tool_calls: 'TOOL_CALL' } as const;

class CohereWriter implements AnswerWriter {
  readonly #context: AnswerContext;
  readonly #steps: readonly BlockStep[];

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#steps = context.plan.choices.slice(0, 1).flatMap(blockSteps);
  }

  roles(): string {
    const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
    return this.#event('message-start', { id: this.#context.id, delta: { message } });
  }

  tokens(position: number): string {
    const step = this.#steps[position - 1];
    if (step === undefined) return '';
    const name = step.kind === 'tool' ? 'tool-call' : 'content';
    let text = step.opens ? this.#event(`${name}-start`, { index: step.index, delta: messageOf(step, true) }) : '';
    if (step.fragment.channel !== 'tool_name') {
      text += this.#event(`${name}-delta`, { index: step.index, delta: messageOf(step, false) });
    }
    return step.closes ? text + this.#event(`${name}-end`, { index: step.index }) : text;
  }

  closing(): string {
    const end = { finish_reason: this.#finishReason(), ...this.#usage() };
    return `${this.#event('message-end', { delta: end })}data: [DONE]\n\n`;
  }

  whole(): string {
    const openings = this.#steps.filter((step) => step.opens);
    const textIn = ({ index }: BlockStep): string => blockText(this.#steps, index);
    const content = openings.flatMap((step) => (step.kind === 'tool' ? [] : [contentOf(step, textIn(step))]));
    const calls = openings.flatMap((step) => (step.kind === 'tool' ? [callOf(step, textIn(step))] : []));
    const message = { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    return JSON.stringify({ id: this.#context.id, finish_reason: this.#finishReason(), message, ...this.#usage() });
  }

  #finishReason(): string {
    return FINISH_REASONS[this.#context.plan.choices[0]?.finishReason ?? 'stop'];
  }

  #usage(): Json {
    const { signals, plan } = this.#context;
    if (!signals.usage) return {};
    const counts = { input_tokens: plan.promptTokens, output_tokens: this.#steps.length };
    const cached = plan.cachedTokens === undefined ? {} : { cached_tokens: plan.cachedTokens };
    return { usage: { billed_units: counts, tokens: counts, ...cached } };
  }

  #event(type: string, data: Json): string {
    return typedEvent(type, { type, ...data });
  }
}

function contentOf({ kind }: BlockStep, text: string): Json {
  return kind === 'reasoning' ? { type: 'thinking', thinking: text } : { type: 'text', text };
}

function callOf({ fragment, index }: BlockStep, given: string): Json {
  return { id: `call_${index}`, type: 'function', function: { name: fragment.text, arguments: given } };
}

function messageOf(step: BlockStep, opens: boolean): Json {
  const { kind, fragment } = step;
  if (kind === 'tool') {
    const given = { function: { arguments: fragment.text } };
    return { message: { tool_calls: opens ? callOf(step, '') : given } };
  }
  if (opens) return { message: { content: contentOf(step, '') } };
  return { message: { content: kind === 'reasoning' ? { thinking: fragment.text } : { text: fragment.text } } };
}

export const cohere: Persona = {
  headers: {},
  ownedBy: 'cohere',
  manners: { headAt: 'arrival', roleAt: 'first_token' },
  routes: [
    {
      path: '/v2/chat',
      read: readCohere,
      idOf: ({ requestId }) => requestId,
      writer: (context) => new CohereWriter(context),
    },
  ],
  ...NO_PAGES,
};
