// The chunks of one stream over the last half minute, by bin, as a picture of fixed length: whoever adds to it gets a
// new one, so that one that is on hold stays as it was. strip.ts makes the bins. Pure; knows no colours and no clock.
import type { LiveStrip } from './frame.ts';

export interface Strip {
  /** Number of the bin behind the last one. */
  readonly endBin: number;
  /** Chunks by bin, 35 for that many and more; the last bin is the newest. */
  readonly received: Uint8Array;
  readonly flushed: Uint8Array;
}

const RADIX = 36;

/** `binCount` is the length of all strips; bins beyond it are let go at the old end. */
export function addBins(known: Strip | undefined, bins: LiveStrip, binCount: number): Strip {
  const addedCount = Math.max(bins.received.length, bins.flushed.length);
  const endBin = Math.max(known?.endBin ?? 0, bins.fromBin + addedCount);
  const firstBin = endBin - binCount;
  const received = moved(known?.received, known?.endBin ?? 0, endBin, binCount);
  const flushed = moved(known?.flushed, known?.endBin ?? 0, endBin, binCount);
  set(received, bins.received, bins.fromBin - firstBin);
  set(flushed, bins.flushed, bins.fromBin - firstBin);
  return { endBin, received, flushed };
}

/** The same picture with its right edge at another moment. */
function moved(old: Uint8Array | undefined, oldEnd: number, endBin: number, binCount: number): Uint8Array {
  const fresh = new Uint8Array(binCount);
  const shift = endBin - oldEnd;
  if (old !== undefined && shift < binCount) fresh.set(old.subarray(shift));
  return fresh;
}

function set(target: Uint8Array, characters: string, at: number): void {
  for (let index = Math.max(0, -at); index < characters.length; index += 1) {
    const value = Number.parseInt(characters.charAt(index), RADIX);
    if (!Number.isNaN(value)) target[at + index] = value;
  }
}
