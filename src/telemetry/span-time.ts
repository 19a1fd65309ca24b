// Times of spans: from the wall time at which an exchange opened and ns since then. Pure.
import type { HrTime } from '@opentelemetry/api';

const NS_PER_SECOND = 1e9;
const NS_PER_MS = 1e6;
const MS_PER_SECOND = 1000;

/**
 * Seconds and ns of the moment `offsetNs` after `epochMs`. As a pair, because a plain number is
 * taken for another clock by the SDK when it is small, and ns since 1970 do not fit into a double.
 */
export function hrTimeOf(epochMs: number, offsetNs: number): HrTime {
  const wholeMs = Math.floor(epochMs);
  const baseSeconds = Math.floor(wholeMs / MS_PER_SECOND);
  const baseNs = (wholeMs % MS_PER_SECOND) * NS_PER_MS + Math.round((epochMs - wholeMs) * NS_PER_MS);
  const ns = baseNs + offsetNs;
  const carry = Math.floor(ns / NS_PER_SECOND);
  return [baseSeconds + carry, ns - carry * NS_PER_SECOND];
}

/** µs of a moment, to be subtracted from another such: differences then add up without drift. */
export function roundedUs(atNs: number): number {
  return Math.round(atNs / 1000);
}

/**
 * Lengths in whole µs whose sum is the rounded sum of the lengths: each boundary is rounded once,
 * so the parts of a split still sum to the whole.
 */
export function partsUs(partsNs: readonly number[]): readonly number[] {
  let atNs = 0;
  return partsNs.map((partNs) => {
    const before = roundedUs(atNs);
    atNs += partNs;
    return roundedUs(atNs) - before;
  });
}
