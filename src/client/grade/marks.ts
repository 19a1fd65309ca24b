// How much of an answer was there when: at the engine as it wrote, at the client as it read. Both are read by
// the product's own reader, so text is text whatever a gateway made of the JSON around it.
import type { Channel } from '../../record/kinds.ts';
import type { AnswerFacts } from '../../record/stream-record.ts';
import { createAnswerReader, type AnswerHead } from '../../stream/answer-reader.ts';

/** After a write or a read. */
export interface Mark {
  readonly atNs: number;
  /** Code points of text in complete events. */
  readonly chars: number;
  /** Body bytes as they were on the wire. */
  readonly bytes: number;
  /** Events with generated fragments. */
  readonly eventCount: number;
}

export interface ReadBack {
  readonly marks: readonly Mark[];
  readonly text: string;
  readonly facts: AnswerFacts;
}

export interface Piece {
  readonly atNs: number;
  readonly bytes: Uint8Array;
}

export function readBack(pieces: readonly Piece[], head: AnswerHead, channel: Channel): ReadBack {
  let text = '';
  let chars = 0;
  let eventCount = 0;
  let bytes = 0;
  const hints = {
    method: 'POST',
    path: '/v1/chat/completions',
    stream: true,
    onText: (where: Channel, choice: number, more: string): void => {
      if (where !== channel || choice !== 0) return;
      text += more;
      chars += [...more].length;
    },
  };
  const reader = createAnswerReader(head, hints, (event) => {
    if (event.generated !== 0) eventCount += 1;
  });
  const marks = pieces.map((piece) => {
    reader.feed(piece.bytes);
    bytes += piece.bytes.length;
    return { atNs: piece.atNs, chars, bytes, eventCount };
  });
  reader.end();
  return { marks, text, facts: reader.facts() };
}

/** The marks at which text grew. */
export function growths(marks: readonly Mark[]): Mark[] {
  return marks.filter(({ chars }, index) => chars > (marks[index - 1]?.chars ?? 0));
}

/** The first mark with so much text. */
export function reached(marks: readonly Mark[], chars: number): Mark | undefined {
  return marks.find((mark) => mark.chars >= chars);
}
