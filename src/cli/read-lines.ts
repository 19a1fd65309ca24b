// Reads a text file line by line and says of the last line whether it was ended. Knows nothing of
// what stands in the lines.
import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

export interface Line {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
  /** False for a last line without its line break: the writer may have been cut off inside it. */
  readonly isWhole: boolean;
}

/** A line may be as long as a record is; pieces are joined once, when its end is found. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let line = 0;
  for await (const bytes of createReadStream(path)) {
    const parts = decoder.write(bytes as Buffer).split('\n');
    for (const [index, part] of parts.entries()) {
      pieces.push(part);
      // Every part but the last was ended by a line break.
      if (index === parts.length - 1) continue;
      line += 1;
      yield { text: pieces.join(''), line, isWhole: true };
      pieces = [];
    }
  }
  const rest = pieces.join('') + decoder.end();
  if (rest !== '') yield { text: rest, line: line + 1, isWhole: false };
}
