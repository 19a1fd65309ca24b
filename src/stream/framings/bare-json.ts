// Finds JSON objects that stand in an SSE body without any field around them. Readers of SSE drop such
// lines, yet it is how Google's front end puts an error into a stream that has begun, and its own client
// looks for it (js-genai, `processStreamResponse`). Reads text that is on its way to the parser.
//
// An object begins with the first character of a line and ends with its last bracket, lines later or not.
// Lists do not count: a bare `[DONE]` is no end mark.
import { EVENT_MAX_BYTES } from '../../base/limits.ts';
import { JsonBounds } from './json-bounds.ts';

const LF = '\n';
const OPEN_BRACE = '{';

export interface BareJson {
  /** Offset in the text at hand behind its last character. */
  readonly end: number;
  readonly json: string;
}

export class BareJsonWatch {
  readonly #bounds = new JsonBounds();
  /** Pieces of the object at hand; joined once, so that a long one costs linear time. */
  #pieces: string[] = [];
  #heldChars = 0;
  #inside = false;
  #atLineStart = true;

  /** An object has begun and not ended. */
  get inside(): boolean {
    return this.#inside;
  }

  /** The first object that ends in this text at or after `from`; undefined when none does. */
  next(text: string, from: number): BareJson | undefined {
    let at = from;
    while (at < text.length) {
      if (!this.#inside) {
        at = this.#findStart(text, at);
        if (at === text.length) return undefined;
      }
      const end = this.#findEnd(text, at);
      this.#hold(text.slice(at, end));
      if (this.#inside && this.#bounds.atEnd) return { end, json: this.takeRest() };
      at = end;
    }
    return undefined;
  }

  /** What there is of an object that has not ended; an empty text when there is none. */
  takeRest(): string {
    const rest = this.#pieces.join('');
    this.#leave();
    return rest;
  }

  /** A part is missing before what follows, which begins a line. */
  reset(): void {
    this.#leave();
    this.#atLineStart = true;
  }

  /** Where the next object begins, or the end of the text. Most lines are left after one look. */
  #findStart(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      if (this.#atLineStart && text[at] === OPEN_BRACE) {
        this.#inside = true;
        return at;
      }
      const lineEnd = text.indexOf(LF, at);
      this.#atLineStart = lineEnd !== -1;
      if (lineEnd === -1) return text.length;
      at = lineEnd + 1;
    }
    return at;
  }

  #findEnd(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) if (this.#bounds.closes(text.charCodeAt(at))) return at + 1;
    return text.length;
  }

  #hold(piece: string): void {
    this.#heldChars += piece.length;
    if (this.#heldChars > EVENT_MAX_BYTES) this.#leave();
    else this.#pieces.push(piece);
  }

  /** What is left of the line is no object's beginning. */
  #leave(): void {
    this.#bounds.reset();
    this.#pieces = [];
    this.#heldChars = 0;
    this.#inside = false;
    this.#atLineStart = false;
  }
}
