// What is known of one answer so far, in terms that all dialects share. Dialects write it, the
// answer reader turns it into facts. Holds no text of the answer.
import { CHOICES_MAX_COUNT, DELTA_NAMES_MAX_COUNT, FINISH_REASON_MAX_CHARS, NAME_MAX_CHARS } from '../base/limits.ts';
import { Fragments, type TextSink } from './fragments.ts';
import { GrowthLog } from './growth-log.ts';
import { asBoundedText } from './json-value.ts';
import { TokenTally } from './token-tally.ts';

/** Bits of a number that can be shifted. */
const CHOICE_BITS = 31;

export class AnswerState {
  readonly tokens = new TokenTally();
  /** What the message at hand generated. */
  readonly fragments: Fragments;
  /** The answer is one message and no stream: what repeats the whole of it elsewhere is all that comes of it. */
  inOnePiece = false;
  /** For dialects that repeat what they said before. */
  readonly growth = new GrowthLog();
  /** Names of the parts that came in deltas; the first so many, far more than any API has. */
  #deltaNames: Set<string> | undefined;
  /** Bit set of choices of which something came in deltas; those from the 31st on share a bit. */
  #deltaChoices = 0;
  /** The `[DONE]`-like end mark came. */
  endMark = false;
  #errorType: string | undefined;
  #model: string | undefined;
  #responseId: string | undefined;
  /** Finish reason by choice; undefined while the choice is open. */
  readonly #finishByChoice = new Map<number, string | undefined>();

  constructor(onText?: TextSink) {
    this.fragments = new Fragments(onText);
  }

  /** Notes that a choice occurred; returns its key, which late choices beyond the cap share. */
  noteChoice(index: number): number {
    const key = this.#finishByChoice.has(index) || this.#finishByChoice.size < CHOICES_MAX_COUNT ? index : -1;
    if (!this.#finishByChoice.has(key)) this.#finishByChoice.set(key, undefined);
    return key;
  }

  /** Notes the finish reason of a choice. Null and the empty text, which some send all along, are none. */
  noteFinish(choice: number, reason: unknown): boolean {
    const text = asBoundedText(reason, FINISH_REASON_MAX_CHARS);
    if (text === undefined) return false;
    this.#finishByChoice.set(choice, text);
    return true;
  }

  /** The first non-empty name counts: Azure's opening frame has both as empty texts. */
  noteNames(model: unknown, responseId: unknown): void {
    this.#model ??= asBoundedText(model, NAME_MAX_CHARS);
    this.#responseId ??= asBoundedText(responseId, NAME_MAX_CHARS);
  }

  /** Notes that a part came in deltas, for dialects that repeat the whole of it at its end. */
  noteDelta(name: string): void {
    const names = (this.#deltaNames ??= new Set());
    if (names.has(name) || names.size >= DELTA_NAMES_MAX_COUNT) return;
    // Written anew: a part of a longer text would keep the whole of it alive.
    names.add(Buffer.from(name).toString());
  }

  cameInDeltas(name: string): boolean {
    const names = this.#deltaNames;
    return names !== undefined && (names.has(name) || names.size >= DELTA_NAMES_MAX_COUNT);
  }

  /** Notes that a choice came in deltas, for dialects of which some repeat the whole of it at its end. */
  noteChoiceDelta(choice: number): void {
    this.#deltaChoices |= choiceBit(choice);
  }

  choiceCameInDeltas(choice: number): boolean {
    return (this.#deltaChoices & choiceBit(choice)) !== 0;
  }

  /** The first error counts; later ones are its consequences. */
  noteError(errorType: string): void {
    this.#errorType ??= errorType;
  }

  get errorType(): string | undefined {
    return this.#errorType;
  }

  get model(): string | undefined {
    return this.#model;
  }

  get responseId(): string | undefined {
    return this.#responseId;
  }

  get choiceCount(): number {
    return this.#finishByChoice.size;
  }

  get finishReasons(): string[] {
    return [...this.#finishByChoice.values()].filter((reason) => reason !== undefined);
  }

  /** At least one choice was seen, and none is still open. */
  get everyChoiceFinished(): boolean {
    return this.choiceCount > 0 && this.finishReasons.length === this.choiceCount;
  }
}

function choiceBit(choice: number): number {
  return 1 << (choice < 0 ? CHOICE_BITS : Math.min(choice, CHOICE_BITS));
}
