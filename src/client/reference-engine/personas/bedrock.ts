// Amazon Bedrock: binary frames around JSON events. `converse-stream` has events of its own, and ends with
// the length of the whole; the older route carries the model maker's events, here Anthropic's, in base64.
// Source: Amazon Bedrock API reference, ConverseStream, InvokeModelWithResponseStream.
import { readBedrockConverse, readBedrockInvoke } from '../foreign-requests.ts';
import type { AnswerContext, AnswerWriter, Persona, Route } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { timesOf, toMs } from '../times.ts';
import { AnthropicEvents, type AnthropicEvent } from './anthropic-writer.ts';
import { argumentsOf, blockSteps, blockText, type BlockStep } from './blocks.ts';
import { encodeFrame } from './event-stream.ts';
import { NO_PAGES } from './pages.ts';

const STREAM_TYPE = 'application/vnd.amazon.eventstream';
const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

function eventFrame(type: string, event: Json): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  return encodeFrame(headers, JSON.stringify(event));
}

class ConverseWriter implements AnswerWriter {
  readonly #context: AnswerContext;
  readonly #steps: readonly BlockStep[];

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#steps = context.plan.choices.slice(0, 1).flatMap(blockSteps);
  }

  roles(): Buffer {
    return eventFrame('messageStart', { role: 'assistant' });
  }

  tokens(position: number): Buffer {
    const step = this.#steps[position - 1];
    if (step === undefined) return Buffer.alloc(0);
    const contentBlockIndex = step.index;
    const frames: Buffer[] = [];
    // Only a tool's block is opened, since only that has something to say before its first delta.
    if (step.fragment.channel === 'tool_name') {
      const start = { toolUse: { toolUseId: `tooluse_${this.#context.id}`, name: step.fragment.text } };
      frames.push(eventFrame('contentBlockStart', { contentBlockIndex, start }));
    } else {
      frames.push(eventFrame('contentBlockDelta', { contentBlockIndex, delta: deltaOf(step) }));
    }
    if (step.closes) frames.push(eventFrame('contentBlockStop', { contentBlockIndex }));
    return Buffer.concat(frames);
  }

  closing(): Buffer {
    const end = eventFrame('messageStop', { stopReason: this.#stopReason() });
    return Buffer.concat([end, eventFrame('metadata', this.#metadata())]);
  }

  whole(): string {
    const content = this.#steps
      .filter((step) => step.opens)
      .map((step) => this.#block(step, blockText(this.#steps, step.index)));
    const output = { message: { role: 'assistant', content } };
    return JSON.stringify({ output, stopReason: this.#stopReason(), ...this.#metadata() });
  }

  #block(step: BlockStep, text: string): Json {
    if (step.kind === 'text') return { text };
    if (step.kind === 'reasoning') return { reasoningContent: { reasoningText: { text } } };
    const toolUseId = `tooluse_${this.#context.id}`;
    return { toolUse: { toolUseId, name: step.fragment.text, input: argumentsOf(text) } };
  }

  #stopReason(): string {
    return STOP_REASONS[this.#context.plan.choices[0]?.finishReason ?? 'stop'];
  }

  /** The length of the whole is all that Bedrock tells about time. */
  #metadata(): Json {
    const { plan, signals, truth } = this.#context;
    const [inputTokens, outputTokens] = [plan.promptTokens, this.#steps.length];
    const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    return {
      ...(signals.usage ? { usage } : {}),
      ...(signals.inBand ? { metrics: { latencyMs: Math.round(toMs(timesOf(truth).totalNs)) } } : {}),
    };
  }
}

function deltaOf({ kind, fragment: { text } }: BlockStep): Json {
  if (kind === 'text') return { text };
  return kind === 'reasoning' ? { reasoningContent: { text } } : { toolUse: { input: text } };
}

/** Each event in a frame `chunk`; the last of them has what was measured. */
function invokeWriter(context: AnswerContext): AnswerWriter {
  const events = new AnthropicEvents(context);
  const chunk = (event: Json): Buffer => {
    return eventFrame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') });
  };
  const framed = (list: readonly AnthropicEvent[]): Buffer => Buffer.concat(list.map((event) => chunk(event)));
  const measured = (): Json => {
    const { frontNs, queueNs, prefillNs, totalNs } = timesOf(context.truth);
    const output = context.truth.outputTokens ?? 0;
    const counts = { inputTokenCount: context.plan.promptTokens, outputTokenCount: output };
    const times = {
      invocationLatency: Math.round(toMs(totalNs)),
      firstByteLatency: Math.round(toMs(frontNs + queueNs + prefillNs)),
    };
    return { ...(context.signals.usage ? counts : {}), ...(context.signals.inBand ? times : {}) };
  };
  return {
    roles: () => framed(events.opening()),
    tokens: (position) => framed(events.tokens(position)),
    closing: () => {
      const [end, stop] = events.closing();
      const last = { ...stop, 'amazon-bedrock-invocationMetrics': measured() };
      return Buffer.concat([...(end === undefined ? [] : [chunk(end)]), chunk(last)]);
    },
    whole: () => JSON.stringify(events.whole()),
  };
}

function route(path: RegExp, read: Route['read'], writer: Route['writer']): Route {
  return { path, read, writer, idOf: ({ requestId }) => requestId, streamType: STREAM_TYPE };
}

export const bedrock: Persona = {
  headers: { 'x-amzn-requestid': 'reference' },
  ownedBy: 'amazon',
  manners: { headAt: 'first_token', roleAt: 'first_token' },
  routes: [
    route(/^\/model\/[^/]+\/converse(?:-stream)?$/, readBedrockConverse, (context) => new ConverseWriter(context)),
    route(/^\/model\/[^/]+\/invoke(?:-with-response-stream)?$/, readBedrockInvoke, invokeWriter),
  ],
  ...NO_PAGES,
};
