// Keeps events that are too large away from the SSE parser. It finds blank lines in raw bytes, lets
// bytes through while the event they belong to is below the cap, and drops the rest of an event that
// is not. Knows line ends and nothing else of SSE.
//
// Why in front of the parser: eventsource-parser with `maxBufferSize` stops for good after one large
// event (its next feed throws, and the rest of that feed is lost), but one 4 MiB image in the middle
// of an answer must not end our reading of it. LF and CR are never part of a longer UTF-8 character,
// so the search can run on bytes, and the cap is exact whichever way the bytes were cut.

const LF = 10;
const CR = 13;

/** What the gate does with the bytes it is fed. */
export interface GateTarget {
  /** Bytes of events that are within the cap so far. */
  pass(bytes: Uint8Array): void;
  /** The event at hand will not be completed: forget what was passed of it. */
  forget(): void;
  /** It will not be completed because it is larger than the cap. */
  onOverflow(): void;
}

export class EventGate {
  readonly #maxBytes: number;
  readonly #target: GateTarget;
  /** Bytes passed since the last blank line. */
  #heldBytes = 0;
  #dropping = false;
  #lineEmpty = true;
  #afterCr = false;

  constructor(maxBytes: number, target: GateTarget) {
    this.#maxBytes = maxBytes;
    this.#target = target;
  }

  /** Bytes of an event were passed that no blank line has closed yet. */
  get insideEvent(): boolean {
    // The second half of the CRLF that closed the one before is no event.
    const onlyLineEnd = this.#heldBytes === 1 && this.#lineEmpty;
    return !this.#dropping && this.#heldBytes > 0 && !onlyLineEnd;
  }

  /** All that was fed is closed by a blank line, and the next byte cannot belong to that any more. */
  get atBorder(): boolean {
    return !this.#dropping && this.#heldBytes === 0 && this.#lineEmpty && !this.#afterCr;
  }

  feed(bytes: Uint8Array): void {
    let start = 0;
    while (start < bytes.length) {
      const end = this.#nextBorder(bytes, start);
      if (!this.#dropping) this.#take(bytes.subarray(start, end.at));
      if (end.blank) {
        this.#dropping = false;
        this.#heldBytes = 0;
      }
      start = end.at;
    }
  }

  /** Drops everything up to the next blank line, of which the start may be missing. */
  skip(): void {
    this.#target.forget();
    this.#dropping = true;
    // The lost bytes may have ended anywhere. Taking the next line for a begun one costs an event at
    // worst; taking it for a fresh one could glue two halves of different events together.
    this.#lineEmpty = false;
    this.#afterCr = false;
  }

  /** Passes what fits below the cap; the first byte above it drops the event. */
  #take(bytes: Uint8Array): void {
    const roomBytes = this.#maxBytes - this.#heldBytes;
    const fits = bytes.length <= roomBytes;
    // What is below the cap is passed even when the event is dropped: complete comment lines in it
    // were already told when the same bytes came in smaller pieces, and must be told now as well.
    const passed = fits ? bytes : bytes.subarray(0, roomBytes);
    this.#heldBytes += passed.length;
    if (passed.length > 0) this.#target.pass(passed);
    if (fits) return;
    this.#dropping = true;
    this.#target.forget();
    this.#target.onOverflow();
  }

  /** Finds the end of the next blank line at or after `start`, or the end of the bytes. */
  #nextBorder(bytes: Uint8Array, start: number): { at: number; blank: boolean } {
    // Nearly every chunk is a few whole events below the cap. Then only its last border counts, and
    // two LF at the very end are one, whatever came before.
    const length = bytes.length;
    if (
      length - start >= 2 &&
      bytes[length - 1] === LF &&
      bytes[length - 2] === LF &&
      !this.#dropping &&
      this.#heldBytes + length - start <= this.#maxBytes
    ) {
      this.#lineEmpty = true;
      this.#afterCr = false;
      return { at: length, blank: true };
    }
    for (let at = start; at < length; at += 1) {
      if (this.#closesBlankLine(bytes[at])) return { at: at + 1, blank: true };
    }
    return { at: length, blank: false };
  }

  #closesBlankLine(byte: number | undefined): boolean {
    if (byte !== LF && byte !== CR) {
      this.#lineEmpty = false;
      this.#afterCr = false;
      return false;
    }
    // The LF of a CRLF belongs to the line end that the CR already was.
    const secondHalf = byte === LF && this.#afterCr;
    this.#afterCr = byte === CR;
    if (secondHalf) return false;
    const blank = this.#lineEmpty;
    this.#lineEmpty = true;
    return blank;
  }
}
