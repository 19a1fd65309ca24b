// The contract of a dialect: how one family of engines words its answers. A dialect sees parsed JSON
// objects, never bytes, and is the same for streams and for answers in one piece.
import type { EventKind } from '../record/kinds.ts';
import type { AnswerState } from './answer-state.ts';
import type { JsonObject } from './json-value.ts';

/** What one message is. */
export interface Reading {
  readonly kind: EventKind;
  /** Bit set of the channels with a non-empty generated fragment. */
  readonly generated: number;
  /** Output tokens so far as this message states or lists them. */
  readonly tokensSoFar: number | undefined;
}

/** One row of the table in dialects.ts. */
export interface Dialect {
  readonly name: string;
  /** The request path promises this dialect, until a message shows another. */
  ownsPath(path: string): boolean;
  /** The message can only be of this dialect, whatever the path was. `eventName` as in {@link Dialect.read}. */
  claims(message: JsonObject, eventName: string | undefined): boolean;
  /**
   * Reads a message and notes in `state` what outlives it. `eventName` is the SSE field `event`, or the
   * event type in an Amazon event-stream frame; undefined where there was none and in whole answers.
   */
  read(message: JsonObject, state: AnswerState, eventName: string | undefined): Reading;
  /** The stream ended as the dialect demands. */
  isTerminal(state: AnswerState): boolean;
  /** Streams end with the mark `[DONE]`, so its absence is worth a doubt. */
  readonly hasEndMark: boolean;
  /** Nothing in the body marks the end of a stream: one that is framed and ends cleanly is complete. */
  readonly endsByClose?: true;
  /**
   * Where the texts stand that engines send piece by piece, where events come that differ in nothing else. What
   * such a text is, as long as it is one, changes only what is told; and reading an event that tells one and states
   * no tokens once more, right behind itself, changes nothing in `state`. Nobody else looks there. See like-event.ts.
   */
  readonly textPlaces?: RegExp;
}
