// Finds SSE events that are named `error` and have no data. By the HTML standard such an event is never
// dispatched, yet it is how NVIDIA Dynamo tells of a fault: `event: error`, the text as a comment, a blank
// line (lib/llm/src/http/service). Without this the stream would look fine, its `[DONE]` comes all the same.
// Reads text that is on its way to the parser and knows lines, nothing else of SSE.

const LF = '\n';
const CR = '\r';
/** Longer beginnings of lines tell nothing more: a byte order mark, `event: error`, one character behind it. */
const LINE_KEPT_CHARS = 14;
const BLANK_LINE = '\n\n';
const NAME = 'error';
const NO_ENDS: readonly number[] = [];
const BYTE_ORDER_MARK = '\uFEFF';

export class DatalessErrorWatch {
  #line = '';
  #afterCr = false;
  #named = false;
  #hasData = false;
  #atStart = true;

  /** The ends, as offsets in this text, of the events of that kind which it completes. */
  endsIn(text: string): readonly number[] {
    // Nearly every text is whole events in which the name does not even occur: their lines need no look.
    if (this.#isBetween && text.endsWith(BLANK_LINE) && !text.includes(NAME)) {
      this.#atStart = false;
      return NO_ENDS;
    }
    const ends: number[] = [];
    let at = 0;
    if (this.#afterCr && text !== '') {
      // The LF of a CRLF belongs to the line end that the CR already was.
      if (text.startsWith(LF)) at = 1;
      this.#afterCr = false;
    }
    const hasCr = text.includes(CR);
    while (at < text.length) {
      const end = lineEnd(text, at, hasCr);
      this.#keep(text, at, end);
      if (end === text.length) return ends;
      let next = end + 1;
      if (text[end] === CR) {
        if (next === text.length) this.#afterCr = true;
        else if (text[next] === LF) next += 1;
      }
      if (this.#closeLine()) ends.push(next);
      at = next;
    }
    return ends;
  }

  /** Half an event is gone: what is known of it does not belong to what follows. */
  reset(): void {
    this.#line = '';
    this.#afterCr = false;
    this.#named = false;
    this.#hasData = false;
  }

  /** Nothing is known of the event at hand, because there is none. */
  get #isBetween(): boolean {
    return this.#line === '' && !this.#afterCr && !this.#named && !this.#hasData;
  }

  #keep(text: string, from: number, to: number): void {
    const room = LINE_KEPT_CHARS - this.#line.length;
    if (room > 0) this.#line += text.slice(from, Math.min(to, from + room));
  }

  /** True when the line is the blank one that ends an event named `error` without data. */
  #closeLine(): boolean {
    const line = this.#atStart && this.#line.startsWith(BYTE_ORDER_MARK) ? this.#line.slice(1) : this.#line;
    this.#atStart = false;
    this.#line = '';
    if (line === '') {
      const found = this.#named && !this.#hasData;
      this.#named = false;
      this.#hasData = false;
      return found;
    }
    if (line === 'event' || line.startsWith('event:')) this.#named = line === 'event: error' || line === 'event:error';
    if (line === 'data' || line.startsWith('data:')) this.#hasData = true;
    return false;
  }
}

/** Index of the next line end at or after `from`, or the length of the text. */
function lineEnd(text: string, from: number, hasCr: boolean): number {
  const lf = text.indexOf(LF, from);
  const cr = hasCr ? text.indexOf(CR, from) : -1;
  if (lf === -1 && cr === -1) return text.length;
  if (lf === -1) return cr;
  return cr === -1 ? lf : Math.min(lf, cr);
}
