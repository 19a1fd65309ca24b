// When how much of the generated text was there, from bytes and their moments alone. Deliberately not the
// product's own reader: this is what that one is compared with.
import { constants, gunzipSync } from 'node:zlib';

/** So many code points of text were complete at that moment. Ascending. */
export interface Growth {
  readonly atNs: number;
  readonly chars: number;
}

/** A piece of a body, as it came or went. */
export interface Piece {
  readonly atNs: number;
  readonly bytes: Buffer;
}

function decoded(bytes: Buffer, coding: string | undefined): Buffer {
  if (coding === undefined || coding === 'identity' || bytes.length === 0) return bytes;
  if (coding !== 'gzip') throw new Error(`nobody here reads the coding ${coding}`);
  // As far as it can be read: the stream is still open.
  return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** Text of all complete events. */
export function textOf(body: string): string {
  const blocks = body.replaceAll('\r\n', '\n').split('\n\n').slice(0, -1);
  return blocks.map((block) => textOfBlock(block)).join('');
}

function textOfBlock(block: string): string {
  const data = block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  if (data === '' || data === '[DONE]') return '';
  const { choices = [] } = JSON.parse(data) as { choices?: readonly { delta?: { content?: string | null } }[] };
  return choices.map((choice) => choice.delta?.content ?? '').join('');
}

export function growthOf(pieces: readonly Piece[], coding?: string): { growth: Growth[]; text: string } {
  const growth: Growth[] = [];
  let bytes = Buffer.alloc(0);
  let text = '';
  for (const piece of pieces) {
    bytes = Buffer.concat([bytes, piece.bytes]);
    // A cut inside a character decodes to a mark of its own, but never completes an event.
    text = textOf(decoded(bytes, coding).toString('utf8'));
    const chars = [...text].length;
    if (chars > (growth.at(-1)?.chars ?? 0)) growth.push({ atNs: piece.atNs, chars });
  }
  return { growth, text };
}

/** How long each growth on the inside took to come out; growth that never came out is left out. */
export function holdsNs(inner: readonly Growth[], outer: readonly Growth[]): number[] {
  const holds: number[] = [];
  let row = 0;
  for (const { atNs, chars } of inner) {
    while (row < outer.length && (outer[row]?.chars ?? 0) < chars) row += 1;
    const out = outer[row];
    if (out === undefined) break;
    holds.push(out.atNs - atNs);
  }
  return holds;
}
