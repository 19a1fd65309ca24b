// What one check of the thirty found: a figure beside the one that is demanded, and beside what the same costs
// without a proxy or through a bare pipe. Every demand is an upper bound, so that one comparison judges all.

export interface Finding {
  /** The test of the table, `T13`. */
  readonly id: string;
  readonly what: string;
  /** Demanded is that it is at most `target`. */
  readonly value: number;
  readonly target: number;
  readonly unit: string;
  /** The same, where it makes sense, with no proxy between and with the least one. */
  readonly direct?: number;
  readonly pipe?: number;
  /** What else was seen: other percentiles, sizes, how often. */
  readonly note?: string;
}

export interface Check {
  readonly ids: readonly string[];
  /** For those who wait. */
  readonly about: string;
  run(): Promise<readonly Finding[]>;
}

export function isMet({ value, target }: Finding): boolean {
  return value <= target;
}
