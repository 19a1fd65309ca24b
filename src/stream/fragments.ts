// What one answer generated, fragment by fragment, as its dialect finds it: which channels the message at hand
// has something on, and the text itself, which goes to whoever listens and is kept nowhere. The same content
// gives the same texts in every dialect, so that two sights of one answer can be compared.
import { channelBit, type Channel } from '../record/kinds.ts';
import { asObject, isNonEmptyText } from './json-value.ts';

/** Told every piece of generated text once, in order. */
export type TextSink = (channel: Channel, choice: number, text: string) => void;

/** A piece of text as a sink is told it. */
export interface Telling {
  readonly channel: Channel;
  readonly choice: number;
  readonly text: string;
}

const TOOL = channelBit('tool');

export class Fragments {
  #onText: TextSink | undefined;
  #channels = 0;
  /** Some text was taken for what it was not, or could not be told as text. */
  lost = false;

  constructor(onText: TextSink | undefined) {
    this.#onText = onText;
  }

  /** The bit set of channels that were told since it was taken last. */
  take(): number {
    const channels = this.#channels;
    this.#channels = 0;
    return channels;
  }

  /** Somebody is told the texts. */
  get isHeard(): boolean {
    return this.#onText !== undefined;
  }

  /** Does this, and catches what it would tell: nobody hears it and nothing is noted here. */
  overhear(read: () => void): Telling[] {
    const { lost } = this;
    const onText = this.#onText;
    const told: Telling[] = [];
    this.#onText = (channel, choice, text) => told.push({ channel, choice, text });
    try {
      read();
    } finally {
      this.#onText = onText;
      this.#channels = 0;
      this.lost = lost;
    }
    return told;
  }

  /** Something was told since it was taken last. */
  get any(): boolean {
    return this.#channels !== 0;
  }

  /**
   * Text of a channel; anything but a non-empty text is nothing. True when there was some. `choice` as the
   * answer's state keeps it: below 0 for those beyond the cap, which cannot be told apart.
   */
  text(channel: Channel, choice: number, value: unknown): boolean {
    if (!isNonEmptyText(value)) return false;
    this.#channels |= channelBit(channel);
    if (this.#onText === undefined) return true;
    if (choice < 0) this.lost = true;
    else this.#onText(channel, choice, value);
    return true;
  }

  /**
   * What is generated and no text of its channel: sound and pictures, token ids, what is encrypted, and a
   * tool's name, which stands at different places in different dialects.
   */
  textless(channel: Channel, isThere: boolean): void {
    if (isThere) this.#channels |= channelBit(channel);
  }

  /** Arguments of a call: some APIs send a text, and others the object that it would be the text of. */
  callArguments(choice: number, value: unknown): void {
    if (this.text('tool', choice, value) || asObject(value) === undefined) return;
    this.#channels |= TOOL;
    if (this.#onText === undefined) return;
    try {
      this.text('tool', choice, JSON.stringify(value));
    } catch {
      // Nested deeper than there is stack: the nesting is the sender's choice.
      this.lost = true;
    }
  }
}
