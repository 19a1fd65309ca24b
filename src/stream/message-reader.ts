// From the text of a message to what it means: marks that every dialect shares are read here, the
// rest by the dialect, which is chosen by the request's path and by the first message that shows it.
// Knows neither bytes nor framing.
import type { EventRow } from '../record/event-log.ts';
import type { Doubt, EventKind } from '../record/kinds.ts';
import type { AnswerState } from './answer-state.ts';
import type { Dialect, Reading } from './dialect.ts';
import { dialectForMessage, dialectForPath } from './dialects.ts';
import { unwrap } from './envelope.ts';
import { errorTypeOf } from './in-band-error.ts';
import { asArray, asObject, parseJson, type JsonObject } from './json-value.ts';
import type { Meaning, Rehearsal } from './like-event.ts';

/** Takes what an event is; the caller knows which chunk completed it. */
export type EmitEvent = (event: Omit<EventRow, 'chunk'>) => void;

/** `[DONE]` with some white space around it (TensorRT-LLM pads its data); longer texts are not looked at. */
const END_MARK = '[DONE]';
const END_MARK_MAX_CHARS = 64;

export interface MessageOutputs {
  readonly state: AnswerState;
  readonly emit: EmitEvent;
  readonly onDoubt: (doubt: Doubt) => void;
  /** Told of every message that is an object and no error, before its dialect reads it. */
  readonly onMessage: (message: JsonObject) => void;
}

export class MessageReader implements Rehearsal {
  readonly #outputs: MessageOutputs;
  #dialect: Dialect | undefined;
  /** A message showed the dialect; from now on it stays. */
  #dialectShown = false;
  /** What the framing named the message read last. */
  #framedName: string | undefined;

  constructor(path: string, outputs: MessageOutputs) {
    this.#dialect = dialectForPath(path);
    this.#outputs = outputs;
  }

  get dialect(): Dialect | undefined {
    return this.#dialect;
  }

  /** Where texts stand in the messages of this stream; undefined until its dialect is certain. */
  get textPlaces(): RegExp | undefined {
    return this.#dialectShown ? this.#dialect?.textPlaces : undefined;
  }

  /**
   * What a text would mean in place of the message that was read last; it tells nobody. Only for one that differs from
   * it in a text of its dialect, which is neither a mark nor an error then, because that was none.
   */
  rehearse(text: string): Meaning | undefined {
    const { message, eventName } = unwrap(asObject(parseJson(text)), this.#framedName);
    if (message === undefined) return undefined;
    const { state } = this.#outputs;
    let reading: Reading | undefined;
    const [told, more] = state.fragments.overhear(() => {
      reading = this.#dialect?.read(message, state, eventName);
    });
    return reading === undefined || told === undefined || more !== undefined ? undefined : { reading, told };
  }

  /** Reads one message of a stream and emits exactly one event for it. */
  readEvent(text: string, framedName: string | undefined): void {
    this.#framedName = framedName;
    if (text.length <= END_MARK_MAX_CHARS && text.trim() === END_MARK) {
      this.#outputs.state.endMark = true;
      this.#emit('done');
      return;
    }
    const parsed = parseJson(text);
    const outer = asObject(parsed);
    const { message, eventName } = unwrap(outer, framedName);
    const errorType = errorTypeOf(message, eventName);
    if (errorType !== undefined) {
      this.#outputs.state.noteError(errorType);
      this.#emit('error');
    } else if (eventName === 'ping' || message?.['type'] === 'ping' || text.trim() === '') {
      this.#emit('ping');
    } else if (message !== undefined) {
      this.#readMessage(message, eventName);
    } else {
      // JSON that is no object is strange but no fault; outside every dialect nothing was promised.
      const broken = parsed === undefined || outer !== undefined;
      if (broken && this.#dialect !== undefined) this.#outputs.onDoubt('parse_error');
      this.#emit('other');
    }
  }

  /**
   * Reads an answer in one piece; true when it was complete. It emits nothing: an answer that is no
   * stream has no events, and its text arriving at once says nothing about tokens in time.
   */
  readAnswer(text: string, success: boolean): boolean {
    const parsed = parseJson(text);
    if (parsed === undefined) {
      if (success) this.#outputs.onDoubt('parse_error');
      return false;
    }
    // Google answers a failed request for a streamed list with a list of one error.
    const message = asObject(parsed) ?? (success ? undefined : asObject(asArray(parsed)?.[0]));
    if (message === undefined) return true;
    const dialect = this.#chooseDialect(message, undefined);
    // Many JSON resources have a field `error` that is not about this exchange (a batch that failed,
    // a fine-tuning job), so it counts only where an answer was expected or the status agrees.
    const errorType = dialect === undefined && success ? undefined : errorTypeOf(message, undefined);
    if (errorType !== undefined) this.#outputs.state.noteError(errorType);
    else {
      this.#outputs.onMessage(message);
      this.#outputs.state.inOnePiece = true;
      dialect?.read(message, this.#outputs.state, undefined);
    }
    return true;
  }

  #readMessage(message: JsonObject, eventName: string | undefined): void {
    this.#outputs.onMessage(message);
    const reading = this.#chooseDialect(message, eventName)?.read(message, this.#outputs.state, eventName);
    if (reading === undefined) this.#emit('other');
    else this.#outputs.emit(reading);
  }

  #chooseDialect(message: JsonObject, eventName: string | undefined): Dialect | undefined {
    if (this.#dialectShown) return this.#dialect;
    const shown = dialectForMessage(message, eventName);
    if (shown === undefined) return this.#dialect;
    this.#dialectShown = true;
    this.#dialect = shown;
    return shown;
  }

  #emit(kind: EventKind): void {
    this.#outputs.emit({ kind, generated: 0, tokensSoFar: undefined });
  }
}
