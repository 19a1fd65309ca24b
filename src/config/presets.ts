// Ready-made objectives of common kinds of traffic, and what batch jobs take for invalid. Plain data.
import type { Objective, PresetName } from '../record/objective.ts';

/** An objective whose name is still to be given: by its figure, and by its limit where there are two of one figure. */
export type Unnamed = Omit<Objective, 'name'> & { readonly figure: string; readonly name?: string };

const MS = 1e6;
const SECOND = 1e9;

/** Finish reasons by which a document of a batch is not what was asked for: cut off, or withheld. */
export const BATCH_INVALID_FINISHES: readonly string[] = ['length', 'content_filter'];
export const BATCH_VALID_TARGET = 0.99;

export const PRESET_OBJECTIVES: Readonly<Record<PresetName, readonly Unnamed[]>> = {
  /** A person reads along. */
  chat: [
    { figure: 'ttft', kind: 'ttft', limitNs: 800 * MS, target: 0.95 },
    { figure: 'ttft', kind: 'ttft', limitNs: 2 * SECOND, target: 0.99 },
    { figure: 'gap_pooled_p95', kind: 'gap_pooled', percent: 95, limitNs: 150 * MS, target: 0.95 },
    { figure: 'gap_pooled_p99', kind: 'gap_pooled', percent: 99, limitNs: 300 * MS, target: 0.99 },
    { figure: 'e2e', kind: 'e2e', limitNs: 20 * SECOND, target: 0.95, scope: { outputTokensMax: 256 } },
    { figure: 'valid', kind: 'valid', target: 0.999 },
  ],
  /** Somebody listens, or watches code being written: what counts is that it flows. */
  smooth: [{ figure: 'tpot', kind: 'tpot', limitNs: 35 * MS, target: 0.95 }],
  /** Nobody waits; documents must come out whole. What the whole job promises stands under `job`. */
  batch: [{ figure: 'valid', kind: 'valid', target: BATCH_VALID_TARGET, invalidFinishes: BATCH_INVALID_FINISHES }],
};
