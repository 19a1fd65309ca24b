// What a pair of curves is to the rule of two points: reads as they went into the hop and releases as they came
// out, less what this side itself did to them. Pure; knows no way of holding.
import type { HopFacts } from '../../record/hop-facts.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import { standingSinceNs } from '../pauses.ts';

/** Text that went into the hop at one moment. */
export interface HopRead {
  readonly innerAtNs: number;
  /** Body bytes of the inner answer up to and with it. */
  readonly innerBytes: number;
  readonly outerAtNs: number;
  /** Went in → came out: what it was at least. */
  readonly holdNs: number;
  /** Our client did not take what we had meanwhile, so that we did not read. */
  readonly tainted: boolean;
}

/** Reads that came out of the hop together. */
export interface Release {
  readonly reads: readonly HopRead[];
  readonly firstAtNs: number;
  readonly lastAtNs: number;
  /** Body bytes that came out since the release before, and text events among them. */
  readonly outerBytes: number;
  readonly outerEvents: number;
  /** Body bytes of what went in and came out with it, by whole reads. */
  readonly innerBytes: number;
}

/** What comes out within this time has come out together: one write may arrive in several reads. */
const TOGETHER_NS = 2e6;

/** Between the end of a pause and a read that it made late nothing else is done. */
const STILL_LATE_NS = 0.2e6;

export function hopReads(record: StreamRecord, hop: HopFacts): HopRead[] {
  const { innerAtNs, innerBytes, outerAtNs } = hop.curve;
  const oursNs = ownTime(record);
  const reads: HopRead[] = [];
  for (const [index, inAtNs] of innerAtNs.entries()) {
    const outAtNs = outerAtNs[index] as number;
    const read = {
      innerAtNs: inAtNs,
      innerBytes: innerBytes[index] as number,
      outerAtNs: outAtNs,
      // A lower bound: less what was ours, and how far the clocks may be apart.
      holdNs: Math.max(0, outAtNs - inAtNs - oursNs(inAtNs, outAtNs) - (hop.clockErrorNs ?? 0)),
      tainted: wasBlocked(record, inAtNs, outAtNs),
    };
    // Growths of several lanes by one chunk went in together, and are out when the last of them is.
    const last = reads.at(-1);
    if (last === undefined || last.innerAtNs !== inAtNs) reads.push(read);
    else if (read.outerAtNs >= last.outerAtNs) reads[reads.length - 1] = read;
  }
  return reads;
}

export function releasesOf(record: StreamRecord, reads: readonly HopRead[]): Release[] {
  const groups: HopRead[][] = [];
  for (const read of reads.toSorted((a, b) => a.outerAtNs - b.outerAtNs || a.innerAtNs - b.innerAtNs)) {
    const last = groups.at(-1);
    const isTogether = last !== undefined && read.outerAtNs - (last.at(-1)?.outerAtNs ?? 0) <= TOGETHER_NS;
    if (isTogether) last.push(read);
    else groups.push([read]);
  }
  const came = outerTotals(record);
  let before = { bytes: 0, events: 0, innerBytes: 0 };
  return groups.map((inside) => {
    const [firstAtNs, lastAtNs] = [inside[0]?.outerAtNs ?? 0, inside.at(-1)?.outerAtNs ?? 0];
    const now = { ...came(lastAtNs), innerBytes: Math.max(...inside.map(({ innerBytes }) => innerBytes)) };
    const release = {
      reads: inside,
      firstAtNs,
      lastAtNs,
      outerBytes: now.bytes - before.bytes,
      outerEvents: now.events - before.events,
      innerBytes: now.innerBytes - before.innerBytes,
    };
    before = now;
    return release;
  });
}

/** Body bytes and text events that had come out by a moment; moments that are asked for ascend. */
function outerTotals({ chunks, events }: StreamRecord): (atNs: number) => { bytes: number; events: number } {
  let [row, index, byteSum, eventSum] = [0, 0, 0, 0];
  return (atNs) => {
    for (; row < chunks.bytes.length && (chunks.receivedAtNs[row] as number) <= atNs; row += 1) {
      byteSum += chunks.bytes[row] as number;
    }
    for (; index < events.chunk.length && (events.chunk[index] as number) < row; index += 1) {
      if (events.generated[index] !== 0) eventSum += 1;
    }
    return { bytes: byteSum, events: eventSum };
  };
}

/** When text came out of the hop for the first time; undefined where none did. */
export function firstOuterTextNs({ chunks, events }: StreamRecord): number | undefined {
  const first = events.generated.findIndex((generated) => generated !== 0);
  return chunks.receivedAtNs[events.chunk[first] ?? -1];
}

/** The moments at which text came out of the hop, as the record itself has them. */
export function outerTextReadsNs({ chunks, events }: StreamRecord): number[] {
  const moments = events.chunk.flatMap((row, index) =>
    events.generated[index] === 0 ? [] : [chunks.receivedAtNs[row] as number],
  );
  return [...new Set(moments)];
}

/**
 * What this side can have added to the time from one moment to a read: a late stamp, or that it did not run until
 * just before it. What it missed while the text was still in the hop has made nothing late.
 */
export function ownTime(record: StreamRecord): (fromNs: number, readAtNs: number) => number {
  const lateNs = latenessByRead(record);
  return (fromNs, readAtNs) => {
    const stoodNs = readAtNs - Math.max(fromNs, standingSinceNs(record.pauses, readAtNs, STILL_LATE_NS));
    return Math.max(lateNs.get(readAtNs) ?? 0, stoodNs);
  };
}

function latenessByRead({ chunks }: StreamRecord): Map<number, number> {
  const lateNs = new Map<number, number>();
  for (const [row, atNs] of chunks.receivedAtNs.entries()) {
    lateNs.set(atNs, Math.max(lateNs.get(atNs) ?? 0, chunks.errorBoundNs[row] ?? 0));
  }
  return lateNs;
}

/** Our client did not take what we had. The list is from, to, from, to …; the last one may still go on. */
export function wasBlocked({ blockedNs }: StreamRecord, fromNs: number, toNs: number): boolean {
  for (let at = 0; at < blockedNs.length; at += 2) {
    const endNs = blockedNs[at + 1] ?? Infinity;
    if ((blockedNs[at] as number) <= toNs && endNs >= fromNs) return true;
  }
  return false;
}

export function gapsOf(moments: readonly number[]): number[] {
  return moments.slice(1).map((moment, index) => moment - (moments[index] as number));
}

/** Share of the values that are within `slack` of the middle. */
export function alikeRatio(values: readonly number[], middle: number, slack: number): number {
  if (values.length === 0) return 0;
  return values.filter((value) => Math.abs(value - middle) <= slack).length / values.length;
}
