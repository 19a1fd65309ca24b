// Figures of one run: what lay between the engine's writes and the client's reads. Pure.
import { ascending, nearestRank } from '../../measure/percentile.ts';
import type { Run } from './drive.ts';
import { growths, reached, type Mark } from './marks.ts';

/** Lengths in ns. What did not happen is absent. */
export interface RunFigures {
  /** Request sent → its head reached the engine. */
  readonly askNs?: number;
  /** Head given to the engine's socket → head read by the client. */
  readonly headNs?: number;
  /** Request sent → first text read. */
  readonly ttftNs?: number;
  /** First text written by the engine → read by the client. */
  readonly firstHoldNs?: number;
  /** The same of each text, by nearest rank. */
  readonly holdP50Ns?: number;
  readonly holdP95Ns?: number;
  readonly holdMaxNs?: number;
  /** By how much a gap between two texts came out longer or shorter than it went in, 95 of 100 at most. */
  readonly jitterP95Ns?: number;
  /** Writes of text that came out in the read of another one, of all of them. */
  readonly coalescedRatio?: number;
  /** Most bytes that the engine had written and the client not seen. */
  readonly heldBytes: number;
  /** Client left → the engine saw it. */
  readonly abortNs?: number;
}

export function figuresOf(run: Run): RunFigures {
  const went = growths(run.engine.marks);
  const came = growths(run.client.marks);
  const holds = holdsNs(went, came);
  const sorted = ascending(holds);
  const rank = (percent: number): number => nearestRank(sorted, percent);
  const [first] = came;
  const jitters = ascending(jittersNs(went, came));
  return {
    ...lengths(run),
    ...(first === undefined ? {} : { ttftNs: first.atNs - run.sentAtNs }),
    ...(holds[0] === undefined
      ? {}
      : { firstHoldNs: holds[0], holdP50Ns: rank(50), holdP95Ns: rank(95), holdMaxNs: rank(100) }),
    ...(jitters.length === 0 ? {} : { jitterP95Ns: nearestRank(jitters, 95) }),
    ...(went.length === 0 || holds.length === 0 ? {} : { coalescedRatio: coalescedOf(went, came) }),
    heldBytes: heldBytesOf(went, came),
  };
}

function lengths({ sentAtNs, askedAtNs, engineHeadAtNs, headAtNs, leftAtNs, goneAtNs }: Run): Partial<RunFigures> {
  return {
    ...(askedAtNs === undefined ? {} : { askNs: askedAtNs - sentAtNs }),
    ...(engineHeadAtNs === undefined || headAtNs === undefined ? {} : { headNs: headAtNs - engineHeadAtNs }),
    ...(leftAtNs === undefined || goneAtNs === undefined ? {} : { abortNs: goneAtNs - leftAtNs }),
  };
}

/** Text that never came out is left out: it was not held, it was lost. */
function holdsNs(went: readonly Mark[], came: readonly Mark[]): number[] {
  return went.flatMap(({ atNs, chars }) => {
    const out = reached(came, chars);
    return out === undefined ? [] : [out.atNs - atNs];
  });
}

function jittersNs(went: readonly Mark[], came: readonly Mark[]): number[] {
  const holds = holdsNs(went, came);
  return holds.slice(1).map((hold, index) => Math.abs(hold - (holds[index] ?? hold)));
}

/** Of n writes that came out in m reads, n − m came out with another one. */
function coalescedOf(went: readonly Mark[], came: readonly Mark[]): number {
  return Math.max(0, went.length - came.length) / went.length;
}

/** Just before each read: written by the engine and not yet read as text. */
function heldBytesOf(went: readonly Mark[], came: readonly Mark[]): number {
  let most = 0;
  for (const [index, { atNs }] of came.entries()) {
    const outChars = came[index - 1]?.chars ?? 0;
    const written = went.findLast((mark) => mark.atNs < atNs)?.bytes ?? 0;
    const out = went.findLast((mark) => mark.chars <= outChars)?.bytes ?? 0;
    most = Math.max(most, written - out);
  }
  return most;
}
