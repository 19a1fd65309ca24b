// OpenAI's Responses: typed, numbered events around items and their parts. What opens an answer leaves
// before any token; usage stands in the last event, times nowhere.
import { readResponses } from '../foreign-requests.ts';
import type { AnswerContext, AnswerWriter, Route, StreamManners } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { blockSteps, blockText, typedEvent, type BlockStep } from './blocks.ts';

/** Events of each kind of block: its delta and its end. */
const WORDS = {
  text: { delta: 'response.output_text.delta', done: 'response.output_text.done', field: 'text' },
  reasoning: { delta: 'response.reasoning_text.delta', done: 'response.reasoning_text.done', field: 'text' },
  tool: {
    delta: 'response.function_call_arguments.delta',
    done: 'response.function_call_arguments.done',
    field: 'arguments',
  },
} as const;

class ResponsesWriter implements AnswerWriter {
  readonly #context: AnswerContext;
  readonly #steps: readonly BlockStep[];
  #sequence = 0;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#steps = context.plan.choices.slice(0, 1).flatMap(blockSteps);
  }

  roles(): string {
    const response = this.#response('in_progress', []);
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  tokens(position: number): string {
    const step = this.#steps[position - 1];
    if (step === undefined) return '';
    const place = { item_id: this.#itemId(step), output_index: step.index };
    const partPlace = step.kind === 'tool' ? place : { ...place, content_index: 0 };
    let text = step.opens ? this.#open(step, partPlace) : '';
    // The name of a function stands in its item, which was opened for it.
    if (step.fragment.channel !== 'tool_name') {
      text += this.#event(WORDS[step.kind].delta, { ...partPlace, delta: step.fragment.text });
    }
    return step.closes ? text + this.#close(step, partPlace) : text;
  }

  closing(): string {
    const cut = this.#finishReason() === 'length';
    const response = this.#response(cut ? 'incomplete' : 'completed', this.#items());
    return this.#event(cut ? 'response.incomplete' : 'response.completed', { response });
  }

  whole(): string {
    return JSON.stringify(
      this.#response(this.#finishReason() === 'length' ? 'incomplete' : 'completed', this.#items()),
    );
  }

  #open(step: BlockStep, place: Json): string {
    const item = this.#item(step, '', 'in_progress');
    const added = this.#event('response.output_item.added', { output_index: step.index, item });
    if (step.kind === 'tool') return added;
    return added + this.#event('response.content_part.added', { ...place, part: partOf(step, '') });
  }

  #close(step: BlockStep, place: Json): string {
    const text = blockText(this.#steps, step.index);
    const words = WORDS[step.kind];
    const done = this.#event(words.done, { ...place, [words.field]: text });
    const part =
      step.kind === 'tool' ? '' : this.#event('response.content_part.done', { ...place, part: partOf(step, text) });
    const item = this.#item(step, text, 'completed');
    return done + part + this.#event('response.output_item.done', { output_index: step.index, item });
  }

  #items(): Json[] {
    return this.#steps
      .filter((step) => step.opens)
      .map((step) => this.#item(step, blockText(this.#steps, step.index), 'completed'));
  }

  #itemId(step: BlockStep): string {
    const prefix = { text: 'msg', reasoning: 'rs', tool: 'fc' }[step.kind];
    return `${prefix}_${this.#context.id}_${step.index}`;
  }

  #item(step: BlockStep, text: string, status: string): Json {
    const id = this.#itemId(step);
    if (step.kind === 'tool') {
      const name = this.#steps.find(({ index }) => index === step.index)?.fragment.text ?? '';
      return { id, type: 'function_call', status, call_id: `call_${id}`, name, arguments: text };
    }
    const content = text === '' ? [] : [partOf(step, text)];
    if (step.kind === 'reasoning') return { id, type: 'reasoning', status, summary: [], content };
    return { id, type: 'message', status, role: 'assistant', content };
  }

  #finishReason(): string | undefined {
    return this.#context.plan.choices[0]?.finishReason;
  }

  #response(status: string, output: readonly Json[]): Json {
    const { id, createdEpochS, model, signals } = this.#context;
    const incomplete = status === 'incomplete' ? { reason: 'max_output_tokens' } : null;
    const head = { id, object: 'response', created_at: createdEpochS, status, error: null };
    const usage = output.length > 0 && signals.usage ? this.#usage() : null;
    return { ...head, incomplete_details: incomplete, model, output, usage };
  }

  #usage(): Json {
    const { promptTokens: input, cachedTokens: cached = 0 } = this.#context.plan;
    const output = this.#steps.length;
    return {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: this.#context.plan.choices[0]?.reasoningTokens ?? 0 },
      total_tokens: input + output,
    };
  }

  #event(type: string, data: Json): string {
    const event = { type, sequence_number: this.#sequence, ...data };
    this.#sequence += 1;
    return typedEvent(type, event);
  }
}

function partOf(step: BlockStep, text: string): Json {
  if (step.kind === 'reasoning') return { type: 'reasoning_text', text };
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** What opens an answer leaves with the head. */
const MANNERS: StreamManners = { headAt: 'arrival', roleAt: 'head' };

export function responsesRoute(path: string): Route {
  return {
    path,
    manners: MANNERS,
    read: readResponses,
    idOf: ({ requestId }) => `resp_${requestId}`,
    writer: (context) => new ResponsesWriter(context),
  };
}
