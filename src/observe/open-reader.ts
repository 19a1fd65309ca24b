// Opens the reader of an answer with what its request lets expect.
import { defined } from '../measure/defined.ts';
import type { EngineName } from '../record/engines.ts';
import { createAnswerReader, type AnswerHead, type AnswerReader, type EmitEvent } from '../stream/answer-reader.ts';
import type { TextSink } from '../stream/fragments.ts';
import type { RequestReading } from '../stream/request-reader.ts';

/** What it needs of the exchange. */
interface Asked {
  readonly opening: { readonly method: string };
  /** Without query. */
  readonly path: string;
  readonly request: RequestReading;
}

interface Told {
  readonly onEvent: EmitEvent;
  readonly onText: TextSink | undefined;
}

/** `engine` is the one that configuration names. */
export function openReader(
  head: AnswerHead,
  asked: Asked,
  engine: EngineName | undefined,
  { onEvent, onText }: Told,
): AnswerReader {
  const { opening, path, request } = asked;
  const { method } = opening;
  const { model, stream, choices } = request;
  return createAnswerReader(head, { method, path, ...defined({ model, stream, choices, engine, onText }) }, onEvent);
}
