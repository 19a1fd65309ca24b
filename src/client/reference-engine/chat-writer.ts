// Puts an answer into OpenAI's words: the events of a stream and the body of a plain answer, for chat
// and for completions. Field by field as vLLM writes them; what other engines do otherwise is a style.
// Makes strings only; knows no socket and no time.
import type { AnswerPlan, ChoicePlan, Fragment } from './answer.ts';
import type { GenerationRequest, JsonObject as Json } from './request.ts';

/** What every event of one answer repeats. */
export interface AnswerNames {
  readonly id: string;
  readonly createdEpochS: number;
  readonly model: string;
  /** vLLM says `reasoning`; SGLang, llama.cpp and vLLM before 2026 say `reasoning_content`. */
  readonly reasoningField: 'reasoning' | 'reasoning_content';
}

/** Which event a style is asked about. */
export interface EventPlace {
  readonly kind: 'role' | 'token' | 'finish' | 'usage' | 'whole';
  /** Position of the token, 0 before the first. */
  readonly position: number;
  /** No further JSON event follows. */
  readonly isLast: boolean;
}

/** Where engines that speak OpenAI's dialect differ. */
export interface ChatStyle {
  /** Delta that opens each choice; undefined: no event of its own opens it. */
  readonly roleDelta: Json | undefined;
  /** Part of every delta with a token, or of the first one only. */
  readonly everyDelta?: Json;
  readonly firstDelta?: Json;
  readonly usage: 'asked' | 'always' | 'never';
  /** Usage has an event without choices, or stands in the last choice's last event. */
  readonly usageIn: 'own_event' | 'finish';
  /** OpenAI and LMDeploy: the other events say `usage: null` when usage was asked for. */
  readonly nullUsage?: true;
  /** Between the JSON and the end of the line. */
  readonly lineEnd?: string;
  /** Before everything else, as it is. */
  readonly preface?: string;
  /** Beside the tokens of a position, as it is (Azure's filter frames). */
  readonly aside?: (position: number) => string;
  readonly eventFields?: (place: EventPlace) => Json;
  readonly choiceFields?: (place: EventPlace, fragment: Fragment | undefined) => Json;
  readonly usageFields?: () => Json;
}

export const PLAIN_STYLE: ChatStyle = {
  roleDelta: { role: 'assistant', content: '' },
  usage: 'asked',
  usageIn: 'own_event',
};

const END_EVENT = 'data: [DONE]\n\n';

export class ChatWriter {
  readonly #names: AnswerNames;
  readonly #request: GenerationRequest;
  readonly #plan: AnswerPlan;
  readonly #style: ChatStyle;
  readonly #usage: boolean;

  constructor(names: AnswerNames, request: GenerationRequest, plan: AnswerPlan, style: ChatStyle = PLAIN_STYLE) {
    this.#names = names;
    this.#request = request;
    this.#plan = plan;
    this.#style = style;
    this.#usage = style.usage === 'always' || (style.usage === 'asked' && request.includeUsage);
  }

  /** The events that open each choice and say nothing; completions have none. */
  roles(): string {
    const { roleDelta: delta, preface = '' } = this.#style;
    if (this.#request.api !== 'chat' || delta === undefined) return preface;
    const place = { kind: 'role', position: 0, isLast: false } as const;
    return (
      preface + this.#plan.choices.map((_, index) => this.#choiceEvent(index, { delta }, place, undefined)).join('')
    );
  }

  /** All events of one position: its token in each choice that has one, and the finish of those that end. */
  tokens(position: number): string {
    let text = '';
    for (const [index, choice] of this.#plan.choices.entries()) {
      const fragment = choice.fragments[position - 1];
      if (fragment === undefined) continue;
      const place = { kind: 'token', position, isLast: false } as const;
      text += this.#choiceEvent(index, this.#part(fragment, position), place, fragment);
      if (position === choice.fragments.length) text += this.#finishEvent(index, choice);
    }
    return text + (this.#style.aside?.(position) ?? '');
  }

  /**
   * The same of several positions, as engines tell the tokens of one output. Only tokens of one channel share an
   * event; a tool's name has one for itself.
   */
  together(from: number, to: number): string {
    let text = '';
    for (const [index, choice] of this.#plan.choices.entries()) {
      const own = choice.fragments.slice(from - 1, to);
      for (const [nth, piece] of mergedFragments(own).entries()) {
        const position = from + piece.end - 1;
        const place = { kind: 'token', position, isLast: false } as const;
        const isFirst = from === 1 && nth === 0;
        text += this.#choiceEvent(index, this.#part(piece.fragment, isFirst ? 1 : position), place, piece.fragment);
        if (position === choice.fragments.length) text += this.#finishEvent(index, choice);
      }
    }
    return text + (this.#style.aside?.(to) ?? '');
  }

  /** What closes the stream: usage when it was asked for, and the end mark. */
  closing(): string {
    if (!this.#usage || this.#style.usageIn === 'finish') return END_EVENT;
    const position = this.#length();
    return this.#event([], this.#usageOf(), { kind: 'usage', position, isLast: true }) + END_EVENT;
  }

  /** The same answer in one piece. */
  whole(): string {
    const chat = this.#request.api === 'chat';
    const place = { kind: 'whole', position: this.#length(), isLast: true } as const;
    const choices = this.#plan.choices.map((choice, index) => {
      const said = chat ? { message: message(choice, this.#names.reasoningField) } : { text: textOf(choice, 'text') };
      const more = this.#style.choiceFields?.(place, undefined);
      return { index, ...said, logprobs: null, finish_reason: choice.finishReason, ...more };
    });
    const usage = this.#style.usage === 'never' ? undefined : this.#usageOf();
    const head = this.#head(chat ? 'chat.completion' : 'text_completion');
    return JSON.stringify({ ...head, choices, usage, ...this.#style.eventFields?.(place) });
  }

  #part(fragment: Fragment, position: number): Json {
    if (this.#request.api !== 'chat') return { text: fragment.text };
    const { everyDelta, firstDelta } = this.#style;
    const first = position === 1 ? firstDelta : undefined;
    return { delta: { ...everyDelta, ...first, ...this.#delta(fragment, position) } };
  }

  #delta(fragment: Fragment, position: number): Json {
    switch (fragment.channel) {
      case 'text':
        return { content: fragment.text };
      case 'reasoning':
        return { [this.#names.reasoningField]: fragment.text };
      case 'tool_name': {
        const call = { name: fragment.text, arguments: '' };
        const id = `call_${this.#names.id}_${position}`;
        return { tool_calls: [{ index: 0, id, type: 'function', function: call }] };
      }
      case 'tool_arguments':
        return { tool_calls: [{ index: 0, function: { arguments: fragment.text } }] };
    }
  }

  #finishEvent(index: number, choice: ChoicePlan): string {
    const position = choice.fragments.length;
    const nothing = this.#request.api === 'chat' ? { delta: {} } : { text: '' };
    const lastChoice = this.#plan.choices.findLastIndex(({ fragments }) => fragments.length === this.#length());
    const usageFollows = this.#usage && this.#style.usageIn === 'own_event';
    const place = { kind: 'finish', position, isLast: index === lastChoice && !usageFollows } as const;
    return this.#choiceEvent(index, nothing, place, choice);
  }

  #choiceEvent(index: number, part: Json, place: EventPlace, said: Fragment | ChoicePlan | undefined): string {
    const [fragment, finishReason] =
      said !== undefined && 'finishReason' in said ? [undefined, said.finishReason] : [said, null];
    const more = this.#style.choiceFields?.(place, fragment);
    const choice = { index, ...part, logprobs: null, finish_reason: finishReason, ...more };
    return this.#event([choice], this.#usageBeside(place), place);
  }

  /** Usage of an event with a choice, if there is any. */
  #usageBeside(place: EventPlace): Json | null | undefined {
    // Continuous usage counts the choice of its event only; the last one counts them all (vLLM).
    if (this.#request.continuousUsage) return usageCounts(this.#plan.promptTokens, place.position);
    if (this.#usage && this.#style.usageIn === 'finish' && place.isLast) return this.#usageOf();
    return this.#usage && this.#style.nullUsage === true ? null : undefined;
  }

  #event(choices: readonly Json[], usage: Json | null | undefined, place: EventPlace): string {
    const head = this.#head(this.#request.api === 'chat' ? 'chat.completion.chunk' : 'text_completion');
    const body = { ...head, choices, usage, ...this.#style.eventFields?.(place) };
    return `data: ${JSON.stringify(body)}${this.#style.lineEnd ?? ''}\n\n`;
  }

  #head(object: string): Json {
    const { id, createdEpochS: created, model } = this.#names;
    return { id, object, created, model };
  }

  /** The tokens of all choices, and how many of them were reasoning when any were. */
  #usageOf(): Json {
    const { choices, promptTokens, cachedTokens } = this.#plan;
    const outputTokens = choices.reduce((sum, choice) => sum + choice.fragments.length, 0);
    const reasoningTokens = choices.reduce((sum, choice) => sum + choice.reasoningTokens, 0);
    return {
      ...usageCounts(promptTokens, outputTokens),
      ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
      ...(reasoningTokens === 0 ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
      ...this.#style.usageFields?.(),
    };
  }

  /** Tokens of the longest choice. */
  #length(): number {
    return Math.max(...this.#plan.choices.map((choice) => choice.fragments.length));
  }
}

function usageCounts(promptTokens: number, outputTokens: number): Json {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens + outputTokens, completion_tokens: outputTokens };
}

/** Neighbours on one channel as one fragment, with the number of tokens up to its end. */
function mergedFragments(fragments: readonly Fragment[]): { readonly fragment: Fragment; readonly end: number }[] {
  const merged: { fragment: Fragment; end: number }[] = [];
  for (const [index, fragment] of fragments.entries()) {
    const last = merged.at(-1);
    if (last === undefined || last.fragment.channel !== fragment.channel || fragment.channel === 'tool_name') {
      merged.push({ fragment, end: index + 1 });
    } else {
      merged[merged.length - 1] = {
        fragment: { ...fragment, text: last.fragment.text + fragment.text },
        end: index + 1,
      };
    }
  }
  return merged;
}

/** All of a choice's text on one channel. */
export function textOf(choice: ChoicePlan, channel: Fragment['channel']): string {
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
