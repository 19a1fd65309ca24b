// Reads a text file line by line and says of the last line whether it was ended; one that is compressed by gzip is
// read as what it holds. Knows nothing of what stands in the lines.
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';

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
  for await (const bytes of await readBytes(path)) {
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

/** How a file that gzip made begins, whatever its name. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

async function readBytes(path: string): Promise<AsyncIterable<unknown>> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
    const file = handle.createReadStream({ start: 0 });
    if (bytesRead < GZIP_MAGIC.length || !buffer.equals(GZIP_MAGIC)) return file;
    // A fault of either ends both, and whoever iterates is told of it.
    return pipeline(file, createGunzip(), () => {});
  } catch (error) {
    await handle.close();
    throw error;
  }
}
