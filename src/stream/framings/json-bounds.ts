// Finds where a JSON object or list ends without parsing it. Looks at brackets and strings only; all the
// characters that matter are ASCII, so bytes of UTF-8 and UTF-16 units can be read alike.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** True for the character that opens an object or a list. */
export function opensJson(code: number | undefined): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET;
}

export class JsonBounds {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Takes the next character; true when it closed the outermost bracket. The first one has to open it. */
  closes(code: number): boolean {
    if (this.#inString) {
      this.#stepInString(code);
      return false;
    }
    if (code === QUOTE) this.#inString = true;
    else if (opensJson(code)) this.#depth += 1;
    // Which kind of bracket closes which is for the parser of the value to say.
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }

  /** The outermost bracket is closed, or none was opened. */
  get atEnd(): boolean {
    return this.#depth <= 0;
  }

  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  #stepInString(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === BACKSLASH) this.#escaped = true;
    else if (code === QUOTE) this.#inString = false;
  }
}
