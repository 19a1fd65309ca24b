// What can be said of a planned load, by name. A verdict is one of these, with the numbers it rests on and a
// sentence for people. Pure.

export const FLOOR_VERDICTS = [
  /** The gap objective: it holds; the chunk has to shrink; no chunk fits; the bare batch is too slow already. */
  'gap_met',
  'chunk_too_large',
  'no_room_for_chunk',
  'batch_or_context_impossible',
  /** The TTFT objective: it holds; no use of this hardware reaches it; these rates do not; these chunks do not; no chunk serves both. */
  'ttft_met',
  'ttft_impossible',
  'ttft_beyond_rates',
  'chunk_too_small',
  'objectives_conflict',
  /** Weights and KV cache in the accelerators' memory. */
  'memory_fits',
  'memory_exceeded',
  /** Whether computing hides behind reading. */
  'below_ridge',
  'above_ridge',
  'speculation_pays',
  'speculation_costs',
  /** Where p99 of the steps stands. */
  'p99_on_base',
  'p99_on_stall',
  /** A measured step. */
  'near_floor',
  'above_floor',
  'below_floor',
] as const;
export type FloorVerdictName = (typeof FLOOR_VERDICTS)[number];

export interface FloorVerdict {
  readonly verdict: FloorVerdictName;
  /** The plan holds as it is. */
  readonly ok: boolean;
  readonly text: string;
  readonly numbers: Readonly<Record<string, number>>;
}

/** Three digits that mean something, as people read them: 12.4, 0.63, 5,120. */
export function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Whole numbers with their thousands apart. */
export function counted(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
