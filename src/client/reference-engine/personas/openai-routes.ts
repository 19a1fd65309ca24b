// Routes of the engines that speak OpenAI's dialect: what they share. What one does otherwise is in the
// traits that its persona hands in.
import { ChatWriter, PLAIN_STYLE, type AnswerNames, type ChatStyle } from '../chat-writer.ts';
import type { AnswerContext, AnswerWriter, CallNames, Route, StreamManners } from '../persona.ts';
import { readRequest, type RequestReading } from '../request.ts';

export interface OpenAiTraits {
  /** Default `/v1/chat/completions` and `/v1/completions`; an empty list means there is no such route. */
  readonly chatPaths?: readonly (string | RegExp)[];
  readonly completionPaths?: readonly (string | RegExp)[];
  readonly readChat?: (text: string, url: URL) => RequestReading;
  readonly manners?: StreamManners;
  /** Default `reasoning_content`, as most say. */
  readonly reasoningField?: AnswerNames['reasoningField'];
  /** Default the request's id behind `chatcmpl-` or `cmpl-`. */
  readonly idOf?: (names: CallNames) => string;
  /** What differs from the plain style in this answer. */
  readonly style?: (context: AnswerContext) => Partial<ChatStyle>;
  readonly headers?: (context: AnswerContext) => Readonly<Record<string, string>>;
}

export function openAiRoutes(traits: OpenAiTraits = {}): Route[] {
  const { chatPaths = ['/v1/chat/completions'], completionPaths = ['/v1/completions'] } = traits;
  const readChat: Route['read'] = traits.readChat ?? ((text) => readRequest('chat', text));
  return [
    ...chatPaths.map((path) => openAiRoute(path, 'chatcmpl', readChat, traits)),
    ...completionPaths.map((path) => openAiRoute(path, 'cmpl', (text) => readRequest('completions', text), traits)),
  ];
}

function openAiRoute(path: Route['path'], prefix: string, read: Route['read'], traits: OpenAiTraits): Route {
  const { manners, idOf } = traits;
  return {
    path,
    read,
    idOf: idOf ?? (({ requestId }) => `${prefix}-${requestId}`),
    writer: (context) => openAiWriter(context, traits),
    ...(manners === undefined ? {} : { manners }),
  };
}

function openAiWriter(context: AnswerContext, traits: OpenAiTraits): AnswerWriter {
  const { id, createdEpochS, model, request, plan, signals } = context;
  const names = { id, createdEpochS, model, reasoningField: traits.reasoningField ?? 'reasoning_content' } as const;
  const style = { ...PLAIN_STYLE, ...traits.style?.(context) };
  const writer = new ChatWriter(names, request, plan, signals.usage ? style : { ...style, usage: 'never' });
  const { headers } = traits;
  return {
    roles: () => writer.roles(),
    tokens: (position) => writer.tokens(position),
    together: (from, to) => writer.together(from, to),
    closing: () => writer.closing(),
    whole: () => writer.whole(),
    ...(headers === undefined ? {} : { headers: () => headers(context) }),
  };
}
