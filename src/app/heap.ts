// How much memory V8 may take beyond what is alive. Left to itself it lets the young generation of each thread
// grow with the rate of garbage, up to 128 MiB, and the old one to a multiple of what is alive: with 2,000
// streams that was 70 KiB a stream of nothing. Knows no stream.
//
// The flags are V8's own, as Node has no others for a heap that is running. Threads that are started later begin
// with a young generation as it says here. That of the main thread is there already, with 1 MiB and a limit far
// above; all that can be said of it is whether it may grow, so it may for as long as it is seen to be smaller.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Of one half of a young generation. What outlives two collections is taken for old, and with 1 MiB that was much of
 * what each exchange needs for a moment: four times as many collections, and each of them had more to move.
 */
const YOUNG_MIB = 4;
const MIB = 1024 ** 2;
const YOUNG_LOOK_MS = 500;
const GROWS = '--semi-space-growth-factor=2';
const STAYS = '--semi-space-growth-factor=1';

/** What rubato asks of V8 for itself. */
export const HEAP_FLAGS: readonly string[] = [
  `--min-semi-space-size=${YOUNG_MIB}`,
  `--max-semi-space-size=${YOUNG_MIB}`,
  // The old generation is collected when it has doubled; V8 by itself lets it grow to four times what is alive. What
  // is let go there lived as long as its stream, so it comes in any case, and each collection looks at all that is
  // alive: when it might grow by a tenth only, V8's helpers took half as much CPU for each exchange as all the rest
  // (bench main-cost: 1.1 to 1.4 ms of CPU an exchange, and 0.7 to 0.8 with this), for 4 to 10 KiB a stream less.
  '--heap-growing-percent=100',
];

/** Whoever chose any of these, or one that stands for them, has chosen all. */
const CHOSEN = /--(?:(?:min|max)[-_])?semi[-_]space|--heap[-_]growing|--optimize[-_]for[-_]size|--lite[-_]mode/;

export interface HeapChoice {
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** To be called before anything large is loaded and before a thread is started. */
export function boundHeap({ execArgv, env }: HeapChoice, set: (flag: string) => void = setFlagsFromString): void {
  if (CHOSEN.test([...execArgv, env['NODE_OPTIONS'] ?? ''].join(' '))) return;
  for (const flag of HEAP_FLAGS) set(flag);
  boundYoung(set);
}

/**
 * Between two looks it can grow by more than one step, but only from what outlives a collection, which is little once
 * everything is loaded. It shrinks by itself when there is little to do, so this never ends.
 */
function boundYoung(set: (flag: string) => void): void {
  let isLarge = true;
  const look = (): void => {
    const halves = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
    if (isLarge === halves >= 2 * YOUNG_MIB * MIB) return;
    isLarge = !isLarge;
    set(isLarge ? STAYS : GROWS);
  };
  set(STAYS);
  setInterval(look, YOUNG_LOOK_MS).unref();
}
