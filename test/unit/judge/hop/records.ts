// Records of exchanges that were seen on both sides of a hop, made by playing an engine's rhythm through a hop that
// holds in a known way. The hop is a few lines of arithmetic: what goes in when, what comes out when.
import type { HopChange } from '../../../../src/record/hop-facts.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { buildRecord, read, type RecordSpec } from '../../../support/record-builder.ts';

/** Text that goes into the hop at one moment. */
export interface Piece {
  readonly atMs: number;
  readonly chars: number;
  readonly bytes: number;
}

/** When each piece comes out, in ms; the same order. */
export type Hop = (pieces: readonly Piece[]) => number[];

/** `count` pieces, `everyMs` apart, of about 200 bytes each. */
export function steady(everyMs: number, count: number, fromMs = 100): Piece[] {
  return Array.from({ length: count }, (_, index) => piece(fromMs + index * everyMs, index));
}

/** Steps of speculative decoding: 1 to 5 tokens at once. */
export function bursty(everyMs: number, count: number, fromMs = 100): Piece[] {
  return Array.from({ length: count }, (_, index) => {
    const tokens = 1 + ((index * 7) % 5);
    return { atMs: fromMs + index * everyMs, chars: 5 * tokens, bytes: 200 * tokens };
  });
}

/** Steady, with one long silence in the middle. */
export function stalling(everyMs: number, count: number, silenceMs: number): Piece[] {
  return steady(everyMs, count).map((one, index) => (index < count / 2 ? one : { ...one, atMs: one.atMs + silenceMs }));
}

function piece(atMs: number, index: number): Piece {
  return { atMs, chars: 4 + ((index * 5) % 7), bytes: 190 + ((index * 37) % 23) };
}

export const passes =
  (delayMs = 0.3): Hop =>
  (pieces) =>
    pieces.map(({ atMs }) => atMs + delayMs);

/** Releases what it has whenever it has so many bytes, and the rest at the end. */
export const bySize =
  (blockBytes: number): Hop =>
  (pieces) => {
    let waiting = 0;
    const releases: number[] = [];
    for (const { atMs, bytes } of pieces) {
      waiting += bytes;
      releases.push(waiting >= blockBytes ? atMs : NaN);
      if (waiting >= blockBytes) waiting = 0;
    }
    return fillBack(releases, pieces);
  };

/** Releases what it has after every so many pieces. */
export const byCount =
  (count: number): Hop =>
  (pieces) =>
    fillBack(
      pieces.map(({ atMs }, index) => ((index + 1) % count === 0 ? atMs : NaN)),
      pieces,
    );

/** Releases what it has at multiples of a time. */
export const byTimer =
  (everyMs: number, phaseMs = 0): Hop =>
  (pieces) =>
    pieces.map(({ atMs }) => Math.ceil((atMs - phaseMs) / everyMs) * everyMs + phaseMs + 0.2);

/** Releases so long after the first piece that waits. */
export const byWait =
  (waitMs: number): Hop =>
  (pieces) => {
    let dueMs = -Infinity;
    return pieces.map(({ atMs }) => {
      if (atMs > dueMs) dueMs = atMs + waitMs;
      return dueMs;
    });
  };

export const untilEnd: Hop = (pieces) => pieces.map(() => (pieces.at(-1)?.atMs ?? 0) + 1);

function fillBack(releases: readonly number[], pieces: readonly Piece[]): number[] {
  const endMs = (pieces.at(-1)?.atMs ?? 0) + 1;
  const out = [...releases];
  for (let at = out.length - 1; at >= 0; at -= 1) {
    if (Number.isNaN(out[at])) out[at] = out[at + 1] ?? endMs;
    else out[at] = (out[at] as number) + 0.3;
  }
  return out;
}

export interface HopSpec {
  readonly pieces: readonly Piece[];
  readonly hop: Hop;
  readonly changes?: readonly HopChange[];
  readonly clockErrorMs?: number;
  readonly record?: Omit<RecordSpec, 'reads'>;
  /** Head went into the hop, and came out of it; both with the first text unless said. */
  readonly headMs?: readonly [number, number];
  readonly innerOpenedMs?: number;
  /** Body bytes of each read that came out; a hundred an event unless said. */
  readonly chunkBytes?: (index: number, count: number) => number;
}

export function hopRecord(spec: HopSpec): StreamRecord {
  const { pieces, hop, changes = [], headMs, record = {}, innerOpenedMs = 1 } = spec;
  const outMs = hop(pieces);
  const moments = [...new Set(outMs)].sort((a, b) => a - b);
  const reads = moments.map((atMs) => read(atMs, 'text '.repeat(outMs.filter((one) => one === atMs).length).trim()));
  const headOutMs = headMs?.[1] ?? moments[0] ?? 0;
  const built = buildRecord({
    ...record,
    reads,
    marks: { headReceivedAtNs: ns(headOutMs), connectedAtNs: 0, requestSentAtNs: 0, ...record.marks },
  });
  let [chars, bytes] = [0, 0];
  const rows = pieces.map((one) => ({ endChars: (chars += one.chars), innerBytes: (bytes += one.bytes) }));
  const bytesOut = built.chunks.bytes.map((given, index, all) => spec.chunkBytes?.(index, all.length) ?? given);
  return {
    ...built,
    chunks: { ...built.chunks, bytes: bytesOut },
    edge: 'gateway',
    hop: {
      name: 'gateway',
      pairedBy: 'trace',
      confirmed: true,
      attemptCount: 1,
      inner: {
        id: '0.0-2',
        openedAtNs: ns(innerOpenedMs),
        headWrittenAtNs: ns(headMs?.[0] ?? pieces[0]?.atMs ?? 0),
        endAtNs: ns((pieces.at(-1)?.atMs ?? 0) + 1),
        outcome: 'ok',
        phase: 'after_finish',
        eventCount: pieces.length,
        receivedBytes: bytes,
      },
      curve: {
        channel: rows.map(() => 'text'),
        choice: rows.map(() => 0),
        endChars: rows.map(({ endChars }) => endChars),
        innerAtNs: pieces.map(({ atMs }) => ns(atMs)),
        innerBytes: rows.map(({ innerBytes }) => innerBytes),
        outerAtNs: outMs.map(ns),
      },
      changes,
      ...(spec.clockErrorMs === undefined ? {} : { clockErrorNs: ns(spec.clockErrorMs) }),
    },
  };
}

export function ns(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}
