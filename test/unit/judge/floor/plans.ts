// Plans to compute floors of: the well-known pair by default, with what differs.
import type { FloorLoad, FloorSetup } from '../../../../src/judge/floor/setup.ts';
import { KNOWN_HARDWARE } from '../../../../src/record/known-hardware.ts';
import { KNOWN_MODELS } from '../../../../src/record/known-models.ts';

function named<Facts extends { readonly name: string }>(all: readonly Facts[], name: string): Facts {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}

export function setup(changes: Partial<FloorSetup> = {}, model = 'llama-3.1-8b', hardware = 'h100-sxm'): FloorSetup {
  return {
    model: named(KNOWN_MODELS, model),
    hardware: named(KNOWN_HARDWARE, hardware),
    tensorParallelCount: 1,
    weightsFormat: undefined,
    kvFormat: 'bf16',
    bandwidthRatio: 1,
    computeRatio: 1,
    overlap: 'roofline',
    ...changes,
  };
}

export function load(changes: Partial<FloorLoad> = {}): FloorLoad {
  return { batchCount: 1, contextTokens: 2048, chunkTokens: 0, draftTokens: 0, ...changes };
}

/** Half up, to so many digits after the point. */
export function rounded(value: number, digits: number): number {
  // No sum is to differ by the sign of its zero.
  return Math.round(value * 10 ** digits) / 10 ** digits || 0;
}
