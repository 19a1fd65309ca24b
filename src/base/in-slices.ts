// Long work of the main thread in short turns: whatever else waits for the loop comes in between.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nowNs } from './clock.ts';

/** Half of what a task may take, as the last step of a slice goes beyond it. */
const SLICE_NS = 0.5e6;

/** Takes step by step, with turns of others whenever a slice is used up; `use` gets what each step gives. */
export async function inSlices<Piece>(steps: Iterable<Piece>, use: (piece: Piece) => void): Promise<void> {
  let untilNs = nowNs() + SLICE_NS;
  for (const piece of steps) {
    use(piece);
    if (nowNs() < untilNs) continue;
    await nextTurn();
    untilNs = nowNs() + SLICE_NS;
  }
}
