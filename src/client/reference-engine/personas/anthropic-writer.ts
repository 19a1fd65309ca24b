// Anthropic's Messages: typed events around blocks of content. The prompt's tokens are known from the
// first event on; times are told nowhere. Bedrock carries the same events in frames of its own.
import { readAnthropic } from '../foreign-requests.ts';
import type { AnswerContext, AnswerWriter, Route } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { argumentsOf, blockSteps, blockText, typedEvent, type BlockStep } from './blocks.ts';

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

export type AnthropicEvent = Json & { readonly type: string };

/** The events themselves, before any framing. */
export class AnthropicEvents {
  readonly #context: AnswerContext;
  readonly #steps: readonly BlockStep[];

  constructor(context: AnswerContext) {
    this.#context = context;
    // The dialect has one choice.
    this.#steps = context.plan.choices.slice(0, 1).flatMap(blockSteps);
  }

  opening(): AnthropicEvent[] {
    const message = { ...this.#head(), content: [], stop_reason: null, stop_sequence: null };
    const usage = this.#usage(1);
    return [{ type: 'message_start', message: usage === undefined ? message : { ...message, usage } }];
  }

  tokens(position: number): AnthropicEvent[] {
    const step = this.#steps[position - 1];
    if (step === undefined) return [];
    const { index, fragment } = step;
    const events: AnthropicEvent[] = [];
    if (step.opens) events.push({ type: 'content_block_start', index, content_block: this.#block(step, '') });
    // A tool's name stands in the block's start and has no delta of its own.
    if (fragment.channel !== 'tool_name') events.push({ type: 'content_block_delta', index, delta: deltaOf(step) });
    if (step.closes) events.push({ type: 'content_block_stop', index });
    return events;
  }

  closing(): AnthropicEvent[] {
    const delta = { stop_reason: this.#stopReason(), stop_sequence: null };
    const usage = this.#usage(this.#steps.length);
    const end: AnthropicEvent = { type: 'message_delta', delta, ...(usage === undefined ? {} : { usage }) };
    return [end, { type: 'message_stop' }];
  }

  whole(): Json {
    const content = this.#steps
      .filter((step) => step.opens)
      .map((step) => this.#block(step, blockText(this.#steps, step.index)));
    const usage = this.#usage(this.#steps.length);
    const end = { stop_reason: this.#stopReason(), stop_sequence: null };
    return { ...this.#head(), content, ...end, ...(usage === undefined ? {} : { usage }) };
  }

  #head(): Json {
    return { id: this.#context.id, type: 'message', role: 'assistant', model: this.#context.model };
  }

  /** `input_tokens` leaves out what came from the cache (Anthropic's definition). */
  #usage(outputTokens: number): Json | undefined {
    const { plan, signals } = this.#context;
    if (!signals.usage) return undefined;
    const cached = plan.cachedTokens ?? 0;
    const counts = { input_tokens: plan.promptTokens - cached, output_tokens: outputTokens };
    return { ...counts, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
  }

  #stopReason(): string {
    return STOP_REASONS[this.#context.plan.choices[0]?.finishReason ?? 'stop'];
  }

  #block({ kind, fragment }: BlockStep, text: string): Json {
    if (kind === 'text') return { type: 'text', text };
    if (kind === 'reasoning') return { type: 'thinking', thinking: text, signature: '' };
    return { type: 'tool_use', id: `toolu_${this.#context.id}`, name: fragment.text, input: argumentsOf(text) };
  }
}

function deltaOf({ kind, fragment: { text } }: BlockStep): Json {
  if (kind === 'text') return { type: 'text_delta', text };
  if (kind === 'reasoning') return { type: 'thinking_delta', thinking: text };
  return { type: 'input_json_delta', partial_json: text };
}

/** The route; `pings` as Anthropic itself sends them, which vLLM never does. */
export function anthropicRoute(path: string, pings = false): Route {
  return {
    path,
    read: readAnthropic,
    idOf: ({ requestId }) => `msg_${requestId}`,
    writer: (context) => anthropicWriter(context, pings),
  };
}

function anthropicWriter(context: AnswerContext, pings: boolean): AnswerWriter {
  const events = new AnthropicEvents(context);
  const framed = (list: readonly AnthropicEvent[]): string =>
    list.map((event) => typedEvent(event.type, event)).join('');
  return {
    roles: () => framed(events.opening()) + (pings ? framed([{ type: 'ping' }]) : ''),
    tokens: (position) => framed(events.tokens(position)),
    closing: () => framed(events.closing()),
    whole: () => JSON.stringify(events.whole()),
  };
}
