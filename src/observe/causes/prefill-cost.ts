// What one exchange's prompt cost the engine, as others felt it: by how much their steps were longer while it was
// read. Without others it is its own way to the first token, less a plain step. Pure but for what it is given to read.
import type { TrackedExchange } from './tracked-exchange.ts';

export interface Lesson {
  /** Those whose first tokens came out of one step: nobody can tell their costs apart. */
  readonly exchanges: readonly TrackedExchange[];
  /** Their prompts began to be read at the earliest → their first token. */
  readonly beganAtNs: number;
  readonly firstAtNs: number;
  /** Another's prompt may have been read at the same time. */
  readonly shared: boolean;
}

/** What comes within this came out of one step. */
export const ONE_STEP_NS = 2e6;
const NEAR_ZERO_PART = 8;
/** A witness has to be used to something. */
const READS_LEAST_COUNT = 8;
const WITNESSES_ASKED_COUNT = 8;

/** Undefined where nobody felt it and no plain step is known. `longestPlainNs`: no step without a prompt is longer. */
export function prefillCost(
  lesson: Lesson,
  running: Iterable<TrackedExchange>,
  longestPlainNs: number | undefined,
): number | undefined {
  let asked = 0;
  for (const witness of running) {
    asked += 1;
    if (asked > WITNESSES_ASKED_COUNT) break;
    const costNs = lesson.exchanges.includes(witness) ? undefined : feltBy(witness, lesson, longestPlainNs);
    if (costNs !== undefined) return costNs;
  }
  // A step is as long for the one stream in it; with others about, none of whom could tell, it is not known.
  if (asked > lesson.exchanges.length || longestPlainNs === undefined) return undefined;
  return lesson.firstAtNs - lesson.beganAtNs - longestPlainNs;
}

/**
 * The witness's passes from before the prompt was sent to its first token, less as many usual ones. What it is used
 * to may have prompts in it, where there always are some: no plain step is longer than the batch accounts for.
 */
function feltBy(
  { ring, habit }: TrackedExchange,
  { beganAtNs, firstAtNs }: Lesson,
  longestPlainNs: number | undefined,
): number | undefined {
  // A step that ended as the one before was done, give or take its way, had no part of this one.
  const from = ring.firstFrom(beganAtNs + ONE_STEP_NS) - 1;
  const to = ring.firstFrom(firstAtNs - ONE_STEP_NS);
  if (habit === undefined || from < ring.oldest || to >= ring.count) return undefined;
  const isUsed = habit.readCount >= READS_LEAST_COUNT;
  if (!isUsed && longestPlainNs === undefined) return undefined;
  const stepNs = Math.min(isUsed ? habit.passNs : Infinity, longestPlainNs ?? Infinity);
  let passCount = 0;
  for (let read = from + 1; read <= to; read += 1) {
    if (ring.atNs(read) - ring.atNs(read - 1) >= stepNs / NEAR_ZERO_PART) passCount += 1;
  }
  return ring.atNs(to) - ring.atNs(from) - passCount * stepNs;
}
