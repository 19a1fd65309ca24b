// The event read last, known again by its bytes. Engines send hundreds of events that differ in nothing but one
// text, and to see that costs main a tenth of what it costs to read one. Knows the form of an event and the grammar
// of strings in JSON; what an event means is for its dialect to say, and so is where such texts stand.
//
// Why it is certain: what lies before and behind the text is the same, byte for byte. So the lines are the same and
// the JSON is, but for one string, as long as the text keeps within its quotes: no quote, no backslash, no control
// character. All bytes of longer UTF-8 characters lie above those, and what is none becomes U+FFFD, which is a text.
// That this string is the one that is told, and the only one, is tried when an event is kept.
import { LIKE_EVENT_MAX_BYTES, LIKE_EVENT_TRIES_MAX_COUNT } from '../base/limits.ts';
import type { Reading } from './dialect.ts';
import type { Telling } from './fragments.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** An event with one line of data and nothing beside it but names, all lines ended by LF; the part goes up to its data. */
const ONE_EVENT = /^((?:(?:event|id):[^\r\n]*\n)*data:)[^\r\n]*\n\n$/;
const BLANK_LINE_BYTES = 2;
const NO_BYTES = Buffer.alloc(0);

/** As the framing decodes: what would be a byte order mark at the beginning is none within an event. */
const UTF8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** Put in the text's place to see what is told then. A text that stands elsewhere may be one of them, but not both. */
const TRIAL_TEXTS = ['a', 'b'];

/** Strings under these names that are not empty and need no escapes, for {@link Dialect.textPlaces}. */
export function textsUnder(...names: readonly string[]): RegExp {
  return new RegExp(String.raw`"(?:${names.join('|')})": ?"([^"\\\x00-\x1f]+)"`);
}

/** What an event means that tells one text, and every one that is like it. */
export interface Meaning {
  readonly reading: Reading;
  readonly told: Telling;
}

/** What is needed of the reader of messages, right behind the event in question. */
export interface Rehearsal {
  /** Where texts stand in its data; undefined where that is not known. */
  readonly textPlaces: RegExp | undefined;
  /** What this data would mean in its place; undefined when it would not be read, or not tell one text. */
  rehearse(data: string): Meaning | undefined;
}

/** Offsets in the bytes of an event: its data, the text in it, and the quote that closes the text. */
interface Place {
  readonly dataAt: number;
  readonly textAt: number;
  readonly quoteAt: number;
}

export class LikeEvent {
  #meaning: Meaning | undefined;
  /** The event that is kept; with {@link LikeEvent.#meaning} only. */
  #kept = NO_BYTES;
  #textAt = 0;
  #quoteAt = 0;
  /** Some engines number or date every event: then none is like another, and to keep them would be for nothing. */
  #triesLeft = LIKE_EVENT_TRIES_MAX_COUNT;

  /** What the event that is kept means; undefined while none is. */
  get meaning(): Meaning | undefined {
    return this.#meaning;
  }

  /** Something else is read: what the event meant before, it may mean no more. */
  forget(): void {
    this.#meaning = undefined;
  }

  /** Keeps what was just read, which began where an event may, if it is one event, and certain what others like it mean. */
  keep(bytes: Uint8Array, reading: Reading, messages: Rehearsal): void {
    // What states or lists tokens says something new each time.
    if (reading.generated === 0 || reading.tokensSoFar !== undefined || messages.textPlaces === undefined) return;
    if (this.#triesLeft === 0 || bytes.length > LIKE_EVENT_MAX_BYTES) return;
    this.#triesLeft -= 1;
    // Not of the pool, of which one event would keep thousands of bytes alive.
    const kept = Buffer.allocUnsafeSlow(bytes.length);
    kept.set(bytes);
    const place = placeOf(kept, messages.textPlaces);
    if (place === undefined) return;
    this.#meaning = meaningOf(kept, place, reading, messages);
    this.#kept = kept;
    this.#textAt = place.textAt;
    this.#quoteAt = place.quoteAt;
  }

  /** The end of a whole event that begins at `start` and is like the one kept; 0 where none is. */
  endIn(bytes: Uint8Array, start: number): number {
    if (this.#meaning === undefined) return 0;
    const kept = this.#kept;
    const textAt = start + this.#textAt;
    const behindBytes = kept.length - this.#quoteAt;
    const lastQuoteAt = Math.min(bytes.length, start + LIKE_EVENT_MAX_BYTES) - behindBytes;
    if (lastQuoteAt <= textAt || kept.compare(bytes, start, textAt, 0, this.#textAt) !== 0) return 0;
    const quoteAt = closingQuote(bytes, textAt, lastQuoteAt);
    if (quoteAt <= textAt || kept.compare(bytes, quoteAt, quoteAt + behindBytes, this.#quoteAt) !== 0) return 0;
    this.#triesLeft = LIKE_EVENT_TRIES_MAX_COUNT;
    return quoteAt + behindBytes;
  }

  /** The text of the event that was found there. */
  textIn(bytes: Uint8Array, start: number, end: number): string {
    return UTF8.decode(bytes.subarray(start + this.#textAt, end - (this.#kept.length - this.#quoteAt)));
  }
}

/** Where the first such text lies; undefined when there is none, or these are not the bytes of one event. */
function placeOf(event: Buffer, textPlaces: RegExp): Place | undefined {
  // One character a byte, so that offsets are those of bytes.
  const text = event.toString('latin1');
  const dataAt = ONE_EVENT.exec(text)?.[1]?.length;
  if (dataAt === undefined) return undefined;
  const found = textPlaces.exec(text.slice(dataAt));
  if (found?.[1] === undefined) return undefined;
  const quoteAt = dataAt + found.index + found[0].length - 1;
  return { dataAt, textAt: quoteAt - found[1].length, quoteAt };
}

/** What the event means whatever its text is; undefined when what stands in that place is not all that it tells. */
function meaningOf(
  event: Buffer,
  { dataAt, textAt, quoteAt }: Place,
  reading: Reading,
  messages: Rehearsal,
): Meaning | undefined {
  const before = event.toString('utf8', dataAt, textAt);
  const behind = event.toString('utf8', quoteAt, event.length - BLANK_LINE_BYTES);
  let meaning: Meaning | undefined;
  for (const text of TRIAL_TEXTS) {
    meaning = messages.rehearse(before + text + behind);
    if (meaning === undefined || meaning.told.text !== text || !isSame(meaning.reading, reading)) return undefined;
  }
  return meaning;
}

function isSame(one: Reading, other: Reading): boolean {
  return one.kind === other.kind && one.generated === other.generated && one.tokensSoFar === other.tokensSoFar;
}

/** The first quote from `from` to `lastAt`, if nothing before it would be a fault or an escape in a string; 0 for none. */
function closingQuote(bytes: Uint8Array, from: number, lastAt: number): number {
  for (let at = from; at <= lastAt; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at;
    if (byte < SPACE || byte === BACKSLASH) return 0;
  }
  return 0;
}
