// What a record keeps of the request: read from its head and from the copy of its body. Never a header's value
// that a client could have meant for others, and nothing of the conversation.
import { fieldValue } from '../base/fields.ts';
import { NAME_MAX_CHARS } from '../base/limits.ts';
import { defined } from '../measure/defined.ts';
import type { AnswerFacts, RequestFacts } from '../record/stream-record.ts';
import { dialectForPath } from '../stream/dialects.ts';
import { askedObjectives } from './asked-objectives.ts';
import type { ObservedExchange } from './observed-exchange.ts';
import { requestStartEpochMs } from './request-start.ts';

const METHOD_MAX_CHARS = 32;
/** A request with this field keeps its chunks, whatever `--chunks kept` would say. */
const KEEP_FIELD = 'x-rubato-keep';

export function requestFacts(
  exchange: ObservedExchange,
  promptTokensEstimate: number | undefined,
  answer: AnswerFacts,
): RequestFacts {
  const { opening, request, path } = exchange;
  const { model, stream, choices, maxTokens, promptBytes } = request;
  return {
    method: opening.method.slice(0, METHOD_MAX_CHARS),
    path: path.slice(0, NAME_MAX_CHARS),
    bodyBytes: exchange.asked.byteCount,
    ...defined({
      httpVersion: opening.http2 ? ('2' as const) : undefined,
      model,
      stream,
      choices,
      maxTokens,
      promptBytes,
      promptTokensEstimate,
      otherClockStartEpochMs: requestStartEpochMs(opening.fields),
      keep: fieldValue(opening.fields, KEEP_FIELD) === undefined ? undefined : (true as const),
      generation: asksForGeneration(exchange, answer) ? (true as const) : undefined,
      asked: askedObjectives(opening.fields),
    }),
  };
}

/**
 * By its path, which is known even of what was refused unread; on other paths by its body, or by what came of it.
 * A look at a list of models is no demand, whatever becomes of it.
 */
function asksForGeneration({ opening, request, path }: ObservedExchange, answer: AnswerFacts): boolean {
  if (opening.method !== 'POST') return false;
  return dialectForPath(path) !== undefined || request.stream === true || answer.dialect !== 'opaque';
}
