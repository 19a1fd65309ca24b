// The text of one answer on its way: from the fragments that its dialect finds to the curve that pairs it with
// another sight of the same answer, where anybody could look for one, and to the capture where that was asked for.
// Keeps no text itself.
import type { Channel, Doubt } from '../record/kinds.ts';
import type { TextCurve } from '../record/text-curve.ts';
import { TextLog } from '../record/text-log.ts';
import type { AnswerReader } from '../stream/answer-reader.ts';
import type { TextSink } from '../stream/fragments.ts';
import type { TextCapture } from '../stream/text-capture.ts';

/** With one of these something of the answer was not read, or not logged, and it may have been text. */
const LOSSES: readonly Doubt[] = [
  'tape_bytes',
  'tape_chunks',
  'log_full',
  'parse_overflow',
  'parse_error',
  'unreadable',
];

export class AnswerText {
  readonly #capture: TextCapture | undefined;
  /** A curve is made of it: hashing each character is for nothing where there is no other sight. */
  readonly isPaired: boolean;
  /** Made with the first text: many exchanges have none. */
  #log: TextLog | undefined;

  constructor(capture: TextCapture | undefined, isPaired: boolean) {
    this.#capture = capture;
    this.isPaired = isPaired;
  }

  /** Takes text of the row that `rowNow` says; undefined where nobody listens, so that none has to be told. */
  sink(rowNow: () => number | undefined): TextSink | undefined {
    if (this.#capture === undefined && !this.isPaired) return undefined;
    return (channel, choice, text) => this.add(channel, choice, text, rowNow());
  }

  /** `row` is that of the chunk that completed the text; undefined when there is no room for it. */
  add(channel: Channel, choice: number, text: string, row: number | undefined): void {
    this.#capture?.onText(text);
    if (row === undefined || !this.isPaired) return;
    this.#log ??= new TextLog();
    this.#log.add(channel, choice, text, row);
  }

  /** The curve of an answer that is over; undefined where there is none to read or to pair. Gives the log's memory back. */
  finish(reader: AnswerReader | undefined, doubts: ReadonlySet<Doubt>): TextCurve | undefined {
    if (reader === undefined || !this.isPaired) return undefined;
    const curve = this.#log?.finish() ?? { lanes: [] };
    this.release();
    const incomplete = curve.incomplete ?? (reader.textLost || LOSSES.some((doubt) => doubts.has(doubt)));
    return incomplete ? { ...curve, incomplete } : curve;
  }

  release(): void {
    this.#log?.release();
    this.#log = undefined;
  }
}
