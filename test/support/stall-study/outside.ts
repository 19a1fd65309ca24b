// What lies between a simulated engine and the moment at which rubato reads: a hop that gathers, a network that
// loses, a client that takes no more, a relay that stood still. Each hands bytes on later than it got them, never
// in another order, and by how much is known for every byte: the labels of causes outside the engine.
import { integerBetween, type Random } from '../../../src/client/random.ts';

/** Bytes that travel together (ASCII, so characters are bytes). */
export interface Piece {
  readonly atNs: number;
  readonly text: string;
}

/** A stretch of time. */
export interface Stretch {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Gathers until so many bytes are there, or until so long after the first of them; the end lets all go. */
export type Gathering = { readonly bytes: number } | { readonly afterNs: number };

export interface Losses {
  /** How likely a piece is lost. */
  readonly ratio: number;
  /** The sender waits so long before it sends it again; a second loss doubles the wait. */
  readonly lowestNs: number;
  readonly highestNs: number;
}

export function gathered(pieces: readonly Piece[], gathering: Gathering): Piece[] {
  return 'bytes' in gathering ? gatheredBySize(pieces, gathering.bytes) : gatheredByTimer(pieces, gathering.afterNs);
}

/** Full buffers go on as they are, in the middle of an event or not. */
function gatheredBySize(pieces: readonly Piece[], bytes: number): Piece[] {
  const out: Piece[] = [];
  let held = '';
  for (const { atNs, text } of pieces) {
    held += text;
    const full = held.length - (held.length % bytes);
    if (full > 0) out.push({ atNs, text: held.slice(0, full) });
    held = held.slice(full);
  }
  const endAtNs = pieces.at(-1)?.atNs;
  if (held !== '' && endAtNs !== undefined) out.push({ atNs: endAtNs, text: held });
  return merged(out);
}

function gatheredByTimer(pieces: readonly Piece[], afterNs: number): Piece[] {
  const endAtNs = pieces.at(-1)?.atNs ?? 0;
  const out: Piece[] = [];
  let dueAtNs = -Infinity;
  for (const { atNs, text } of pieces) {
    if (atNs > dueAtNs) dueAtNs = atNs + afterNs;
    out.push({ atNs: Math.min(dueAtNs, endAtNs), text });
  }
  return merged(out);
}

/** Sends each piece over a network: a little later or more, and much later when it or one before it is lost. */
export function travelled(
  pieces: readonly Piece[],
  { jitterNs, losses }: { readonly jitterNs: number; readonly losses: Losses | undefined },
  random: Random,
): Piece[] {
  let openAtNs = -Infinity;
  return merged(
    pieces.map(({ atNs, text }) => {
      let arrivedAtNs = atNs + Math.round(random() * jitterNs);
      if (losses !== undefined && random() < losses.ratio) {
        const waitNs = integerBetween(random, losses.lowestNs, losses.highestNs);
        arrivedAtNs += random() < losses.ratio * 10 ? 3 * waitNs : waitNs;
      }
      // What was sent later waits behind what is missing.
      openAtNs = Math.max(openAtNs, arrivedAtNs);
      return { atNs: openAtNs, text };
    }),
  );
}

/** Nothing is read in a stretch; what came in it is read at its end, together. `edge` is in it or not. */
export function heldBack(pieces: readonly Piece[], stretches: readonly Stretch[]): Piece[] {
  return merged(
    pieces.map((piece) => {
      const held = stretches.find(({ fromNs, toNs }) => piece.atNs > fromNs && piece.atNs < toNs);
      return held === undefined ? piece : { ...piece, atNs: held.toNs };
    }),
  );
}

/** The moment at which the byte before each offset is there. Offsets in ascending order. */
export function arrivals(pieces: readonly Piece[], offsets: readonly number[]): number[] {
  const moments: number[] = [];
  let index = 0;
  let end = pieces[0]?.text.length ?? 0;
  for (const offset of offsets) {
    while (end < offset && index + 1 < pieces.length) {
      index += 1;
      end += pieces[index]?.text.length ?? 0;
    }
    moments.push(pieces[index]?.atNs ?? NaN);
  }
  return moments;
}

/** Pieces of one moment are one. */
export function merged(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    if (last?.atNs === piece.atNs) out[out.length - 1] = { ...last, text: last.text + piece.text };
    else out.push(piece);
  }
  return out;
}
