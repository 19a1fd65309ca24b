// Gemini's generateContent: the path asks for a stream, events end in CRLF and nothing marks their end;
// without `alt=sse` the stream is one JSON array. Source: googleapis/js-genai.
import type { ChoicePlan, Fragment } from '../answer.ts';
import { textOf } from '../chat-writer.ts';
import { readGemini } from '../foreign-requests.ts';
import type { AnswerContext, AnswerWriter, Persona, Route } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { argumentsOf } from './blocks.ts';
import { NO_PAGES } from './pages.ts';

const FINISH_REASONS = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP' } as const;

/** What stands around the chunks of a stream. */
interface Frame {
  readonly first: string;
  readonly next: string;
  readonly after: string;
  readonly end: string;
}

const SSE: Frame = { first: 'data: ', next: 'data: ', after: '\r\n\r\n', end: '' };
const ARRAY: Frame = { first: '[', next: ',\r\n', after: '\n', end: ']' };

/** A function call comes whole, with the last of its arguments. */
function partOf(fragment: Fragment, choice: ChoicePlan, last: boolean): Json | undefined {
  if (fragment.channel === 'text') return { text: fragment.text };
  if (fragment.channel === 'reasoning') return { text: fragment.text, thought: true };
  if (!last) return undefined;
  return { functionCall: { name: textOf(choice, 'tool_name'), args: argumentsOf(textOf(choice, 'tool_arguments')) } };
}

class GeminiWriter implements AnswerWriter {
  readonly #context: AnswerContext;
  readonly #frame: Frame;

  constructor(context: AnswerContext, frame: Frame) {
    this.#context = context;
    this.#frame = frame;
  }

  roles(): string {
    return '';
  }

  tokens(position: number): string {
    const [choice] = this.#context.plan.choices;
    const fragment = choice?.fragments[position - 1];
    if (choice === undefined || fragment === undefined) return '';
    const last = position === choice.fragments.length;
    const part = partOf(fragment, choice, last);
    const begin = position === 1 ? this.#frame.first : this.#frame.next;
    // A chunk of an array must be there from the first position on, or the array begins with a comma.
    const body = JSON.stringify(this.#body(part === undefined ? [] : [part], last, position));
    return begin + body + this.#frame.after;
  }

  closing(): string {
    return this.#frame.end;
  }

  whole(): string {
    const [choice] = this.#context.plan.choices;
    if (choice === undefined) return '{}';
    const length = choice.fragments.length;
    const parts = choice.fragments
      .map((fragment, index) => partOf(fragment, choice, index === length - 1))
      .filter((part) => part !== undefined);
    return JSON.stringify(this.#body(parts, true, length));
  }

  #body(parts: readonly Json[], last: boolean, position: number): Json {
    const { plan, signals, model, id } = this.#context;
    const [choice] = plan.choices;
    const thoughts = Math.min(position, choice?.reasoningTokens ?? 0);
    const finish = last ? { finishReason: FINISH_REASONS[choice?.finishReason ?? 'stop'] } : {};
    const usage = {
      promptTokenCount: plan.promptTokens,
      candidatesTokenCount: position - thoughts,
      totalTokenCount: plan.promptTokens + position,
      ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
      ...(plan.cachedTokens === undefined ? {} : { cachedContentTokenCount: plan.cachedTokens }),
    };
    const candidates = [{ content: { parts, role: 'model' }, ...finish, index: 0 }];
    return { candidates, ...(signals.usage ? { usageMetadata: usage } : {}), modelVersion: model, responseId: id };
  }
}

/** The query decides about the frame. */
const generateContent: Route = {
  path: /^\/v1(?:beta)?\/(?:projects\/.+\/)?models\/[^/:]+:(?:streamG|g)enerateContent$/,
  read: readGemini,
  idOf: ({ requestId }) => requestId,
  streamType: (url) => (isSse(url) ? 'text/event-stream' : 'application/json'),
  writer: (context, url) => new GeminiWriter(context, isSse(url) ? SSE : ARRAY),
};

function isSse(url: URL): boolean {
  return url.searchParams.get('alt') === 'sse';
}

export const gemini: Persona = {
  headers: { server: 'scaffolding on HTTPServer2' },
  ownedBy: 'google',
  manners: { headAt: 'first_token', roleAt: 'first_token' },
  routes: [generateContent],
  ...NO_PAGES,
};
