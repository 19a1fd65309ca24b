// The arrival of one exchange as staircases over time: generated events or bytes, as received and as flushed, and the
// text of both sides of a hop. Pure.
import type { ChunkColumns } from '../../record/chunk-log.ts';
import type { EventColumns } from '../../record/event-log.ts';
import type { HopCurve } from '../../record/hop-facts.ts';
import { type Staircase, staircase } from '../charts/sample-curve.ts';

/** Moments in ms since the request head was received, as charts show them. */
export interface ArrivalCurves {
  readonly received: Staircase;
  /** What the kernel accepted; a chunk whose flush is not known has no step. */
  readonly flushed: Staircase;
}

const NS_PER_MS = 1e6;

export function eventCurves(chunks: ChunkColumns, events: EventColumns): ArrivalCurves {
  const rises = new Map<number, number>();
  events.chunk.forEach((row, index) => {
    if (events.generated[index] !== 0) rises.set(row, (rises.get(row) ?? 0) + 1);
  });
  return curvesOf(chunks, (row) => rises.get(row) ?? 0);
}

export function byteCurves(chunks: ChunkColumns): ArrivalCurves {
  return curvesOf(chunks, (row) => chunks.bytes[row] ?? 0);
}

function curvesOf({ receivedAtNs, flushedAtNs }: ChunkColumns, riseOf: (row: number) => number): ArrivalCurves {
  const received: { at: number; rise: number }[] = [];
  const flushed: { at: number; rise: number }[] = [];
  receivedAtNs.forEach((atNs, row) => {
    const rise = riseOf(row);
    if (rise === 0) return;
    received.push({ at: atNs / NS_PER_MS, rise });
    const acceptedAtNs = flushedAtNs[row] ?? undefined;
    if (acceptedAtNs !== undefined) flushed.push({ at: acceptedAtNs / NS_PER_MS, rise });
  });
  return { received: staircase(received), flushed: staircase(flushed) };
}

export interface HopCurves {
  /** Code points of generated text that went into the hop, and that came out of it. */
  readonly inner: Staircase;
  readonly outer: Staircase;
}

/** All lanes (channel and choice) summed up: each growth rises by what its lane grew. */
export function hopCurves({ channel, choice, endChars, innerAtNs, outerAtNs }: HopCurve): HopCurves {
  const ends = new Map<string, number>();
  const inner: { at: number; rise: number }[] = [];
  const outer: { at: number; rise: number }[] = [];
  endChars.forEach((end, row) => {
    const lane = `${channel[row]} ${choice[row]}`;
    const rise = Math.max(0, end - (ends.get(lane) ?? 0));
    ends.set(lane, end);
    inner.push({ at: (innerAtNs[row] ?? 0) / NS_PER_MS, rise });
    outer.push({ at: (outerAtNs[row] ?? 0) / NS_PER_MS, rise });
  });
  return { inner: staircase(inner), outer: staircase(outer) };
}
