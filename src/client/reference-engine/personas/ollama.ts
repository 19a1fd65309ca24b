// Ollama: its own routes write a line of JSON a token and end with durations in nanoseconds; its routes
// in OpenAI's words have no times at all. Source: Ollama v0.33 `server/routes.go`, `api/types.go`, `openai/openai.go`.
import { epochMsOf } from '../../../base/clock.ts';
import type { Fragment } from '../answer.ts';
import { textOf } from '../chat-writer.ts';
import { readOllamaChat, readOllamaGenerate } from '../foreign-requests.ts';
import type { AnswerContext, AnswerWriter, Persona } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { timesOf } from '../times.ts';
import { argumentsOf } from './blocks.ts';
import { openAiRoutes } from './openai-routes.ts';

/** How one of the two routes wraps what is said. */
type Wrap = (said: { readonly text?: string; readonly thinking?: string; readonly tools?: Json[] }) => Json;

const wrapChat: Wrap = ({ text = '', thinking, tools }) => ({
  message: {
    role: 'assistant',
    content: text,
    ...(thinking === undefined ? {} : { thinking }),
    ...(tools === undefined ? {} : { tool_calls: tools }),
  },
});

const wrapGenerate: Wrap = ({ text = '', thinking }) => ({
  response: text,
  ...(thinking === undefined ? {} : { thinking }),
});

class OllamaWriter implements AnswerWriter {
  readonly #context: AnswerContext;
  readonly #wrap: Wrap;
  readonly #fragments: readonly Fragment[];

  constructor(context: AnswerContext, wrap: Wrap) {
    this.#context = context;
    this.#wrap = wrap;
    this.#fragments = context.plan.choices[0]?.fragments ?? [];
  }

  roles(): string {
    return '';
  }

  tokens(position: number): string {
    const fragment = this.#fragments[position - 1];
    if (fragment === undefined) return '';
    if (fragment.channel === 'text') return this.#line(this.#wrap({ text: fragment.text }), false);
    if (fragment.channel === 'reasoning') return this.#line(this.#wrap({ thinking: fragment.text }), false);
    // A call comes whole, with the last of its arguments.
    return position === this.#fragments.length ? this.#line(this.#wrap({ tools: this.#calls() }), false) : '';
  }

  closing(): string {
    return this.#line({ ...this.#wrap({}), ...this.#end() }, true);
  }

  whole(): string {
    const [choice] = this.#context.plan.choices;
    if (choice === undefined) return '{}';
    const thinking = textOf(choice, 'reasoning');
    const hasCall = choice.fragments.some(({ channel }) => channel === 'tool_name');
    const said = {
      text: textOf(choice, 'text'),
      ...(thinking === '' ? {} : { thinking }),
      ...(hasCall ? { tools: this.#calls() } : {}),
    };
    return this.#line({ ...this.#wrap(said), ...this.#end() }, true).trimEnd();
  }

  #calls(): Json[] {
    const [choice] = this.#context.plan.choices;
    if (choice === undefined) return [];
    const given = argumentsOf(textOf(choice, 'tool_arguments'));
    return [{ function: { name: textOf(choice, 'tool_name'), arguments: given } }];
  }

  #line(fields: Json, done: boolean): string {
    const { model, truth, anchor } = this.#context;
    const atNs = truth.tokenAtNs.at(-1) ?? truth.arrivedAtNs;
    const createdAt = new Date(epochMsOf(anchor, atNs)).toISOString();
    return `${JSON.stringify({ model, created_at: createdAt, done, ...fields })}\n`;
  }

  /** What is not told: how long the request waited. It is what is left of the total. */
  #end(): Json {
    const { truth, plan, signals } = this.#context;
    const { frontNs, prefillNs, generationNs, totalNs } = timesOf(truth);
    const reason = plan.choices[0]?.finishReason === 'length' ? 'length' : 'stop';
    const durations = {
      total_duration: totalNs,
      load_duration: frontNs,
      prompt_eval_duration: prefillNs,
      eval_duration: generationNs,
    };
    return {
      done_reason: reason,
      ...(signals.inBand ? durations : {}),
      ...(signals.usage ? { prompt_eval_count: plan.promptTokens, eval_count: this.#fragments.length } : {}),
    };
  }
}

export const ollama: Persona = {
  headers: {},
  ownedBy: 'library',
  manners: { headAt: 'first_token', roleAt: 'first_token' },
  routes: [
    {
      path: '/api/chat',
      streamType: 'application/x-ndjson',
      read: readOllamaChat,
      idOf: ({ requestId }) => requestId,
      writer: (context) => new OllamaWriter(context, wrapChat),
    },
    {
      path: '/api/generate',
      streamType: 'application/x-ndjson',
      read: readOllamaGenerate,
      idOf: ({ requestId }) => requestId,
      writer: (context) => new OllamaWriter(context, wrapGenerate),
    },
    ...openAiRoutes({
      idOf: ({ jobId }) => `chatcmpl-${jobId}`,
      reasoningField: 'reasoning',
      style: () => ({
        // The role stands in every event beside the text.
        roleDelta: undefined,
        everyDelta: { role: 'assistant' },
        eventFields: () => ({ system_fingerprint: 'fp_ollama' }),
      }),
    }),
  ],
  pages: [{ path: '/api/version', body: () => ({ version: '0.33.0' }) }],
  metrics: [],
  metricLabels: () => ({}),
};
