// Percentiles, medians and spread of what benches measure. Pure.

const NS_PER_MS = 1e6;

/** By nearest rank; NaN of nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function largest(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), -Infinity);
}

/** The middle of several runs, and how far apart they were. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: -largest(values.map((value) => -value)), max: largest(values) };
}

export function msOf(ns: number): number {
  return ns / NS_PER_MS;
}

/** Three significant digits, or whole numbers where there are more. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** `median (min to max)` */
export function spreadText(values: readonly number[]): string {
  if (values.length === 1) return short(values[0] ?? NaN);
  const { median: middle, min, max } = spreadOf(values);
  return `${short(middle)} (${short(min)} to ${short(max)})`;
}
