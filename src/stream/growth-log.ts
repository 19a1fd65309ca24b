// Tells what is new in engines that repeat the whole answer so far in every event. Keeps no text: of
// each choice only the length and a hash of what it said last. Knows nothing of JSON and dialects.
//
// An engine that repeats and one that sends only what is new look alike at first: both may follow "a"
// with "ab". What begins with all that came before is new where it is longer, whichever of the two it
// is; what does not begin so can only be new. The same text again is the one open case: for an engine
// that repeats nothing came, for the other one the same token came twice.
import { FNV_START, fnvStep } from '../base/fnv.ts';

interface Said {
  length: number;
  hash: number;
  /** How many tokens had come; undefined when that was never stated. */
  count: number | undefined;
  /** An event began with the one before. */
  repeated: boolean;
  /** An event did not begin with the one before: this choice sends only what is new. */
  onlyNew: boolean;
}

export interface Saying {
  readonly text: string;
  /** The engine is known to send only what is new. */
  readonly onlyNew: boolean;
  /** The choice ends with this event: what was said before may be cut at a stop word. */
  readonly last: boolean;
}

export interface NewText {
  readonly text: string;
  /** It shows only now that this engine never repeats: an earlier text was taken for what it was not. */
  readonly misread: boolean;
}

const NOTHING: NewText = { text: '', misread: false };

export class GrowthLog {
  /** Only of engines that repeat themselves. */
  #byChoice: Map<number, Said> | undefined;

  /** What the text of this choice holds that was not there before; empty for nothing. */
  newText(choice: number, { text, onlyNew, last }: Saying): NewText {
    const said = this.#said(choice);
    if (text === '') return NOTHING;
    const prefixHash = hashOf(text, 0, said.length, FNV_START);
    const repeats = text.length >= said.length && prefixHash === said.hash;
    const before = said.length;
    // Whoever repeats and ends with less than it had has cut off a stop word: nothing came.
    const cut = last && said.repeated && !said.onlyNew && text.length < said.length;
    if (repeats && before > 0) said.repeated = true;
    const misread = !repeats && !cut && said.repeated && !said.onlyNew;
    if (!repeats && !cut) said.onlyNew = true;
    said.hash = repeats ? hashOf(text, said.length, text.length, prefixHash) : hashOf(text, 0, text.length, FNV_START);
    said.length = text.length;
    if (cut) return NOTHING;
    const isWhole = !repeats || said.onlyNew || onlyNew;
    return { text: isWhole ? text : text.slice(before), misread: misread && !onlyNew };
  }

  /** True when more tokens of this choice are stated than before. */
  countGrew(choice: number, count: number | undefined): boolean {
    const said = this.#said(choice);
    const grew = count !== undefined && count > (said.count ?? 0);
    said.count = count ?? said.count;
    return grew;
  }

  #said(choice: number): Said {
    const byChoice = (this.#byChoice ??= new Map());
    let said = byChoice.get(choice);
    if (said === undefined) {
      said = { length: 0, hash: FNV_START, count: undefined, repeated: false, onlyNew: false };
      byChoice.set(choice, said);
    }
    return said;
  }
}

/** A collision costs one event its mark; nothing rests on it. Goes on from `hash` over the units `from` to `to`, or to the end of the text. */
function hashOf(text: string, from: number, to: number, hash: number): number {
  const end = Math.min(to, text.length);
  let value = hash;
  for (let at = from; at < end; at += 1) value = fnvStep(value, text.charCodeAt(at));
  return value;
}
