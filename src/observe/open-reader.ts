// Opens the reader of an answer with what its request lets expect.
import { defined } from '../measure/defined.ts';
import type { EngineName } from '../record/engines.ts';
import { createAnswerReader, type AnswerHead, type AnswerReader, type EmitEvent } from '../stream/answer-reader.ts';
import type { RequestReading } from '../stream/request-reader.ts';
import type { TextCapture } from '../stream/text-capture.ts';

/** What it needs of the exchange. */
interface Asked {
  readonly opening: { readonly method: string };
  /** Without query. */
  readonly path: string;
  readonly request: RequestReading;
}

interface Given {
  readonly engine: EngineName | undefined;
  readonly capture: TextCapture | undefined;
}

export function openReader(head: AnswerHead, asked: Asked, given: Given, emit: EmitEvent): AnswerReader {
  const { opening, path, request } = asked;
  const { method } = opening;
  const { model, stream, choices } = request;
  const { engine, capture } = given;
  return createAnswerReader(head, { method, path, ...defined({ model, stream, choices, engine, capture }) }, emit);
}
