// What drafting tokens ahead brings and costs. Pure. The draft's own time is not counted, for it is another
// model's; whoever weighs the gain has to set it against it.
import { passFloor } from './pass.ts';
import type { FloorLoad, FloorSetup } from './setup.ts';

export interface Speculation {
  /** Tokens drafted for one pass. */
  readonly draftTokens: number;
  /** Probability with which a drafted token is taken when all before it were. */
  readonly acceptedRatio: number;
}

/** Tokens that one sequence gets of one pass: the accepted ones up to the first refused, and one of the model's own. */
export function tokensPerPass({ draftTokens, acceptedRatio }: Speculation): number {
  if (acceptedRatio === 1) return draftTokens + 1;
  return (1 - acceptedRatio ** (draftTokens + 1)) / (1 - acceptedRatio);
}

/** Tokens a second with drafts over tokens a second without, before the draft's own time. */
export function speculationGain(setup: FloorSetup, load: FloorLoad, speculation: Speculation): number {
  const { draftTokens } = speculation;
  const plainMs = passFloor(setup, { ...load, draftTokens: 0 }).stepMs;
  return (tokensPerPass(speculation) * plainMs) / passFloor(setup, { ...load, draftTokens }).stepMs;
}
