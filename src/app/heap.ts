// How much memory V8 may take beyond what is alive. Left to itself it lets the young generation of each thread
// grow with the rate of garbage, up to 128 MiB, and the old one to a multiple of what is alive: with 2,000
// streams that was 70 KiB a stream of nothing. Knows no stream.
//
// The flags are V8's own, as Node has no others for a heap that is running. The main thread's young generation
// can only be kept from growing from now on; threads that are started later begin with theirs as it says here.
import { setFlagsFromString } from 'node:v8';

const FLAGS = [
  // The young generation keeps the size it has: garbage is collected more often, and each time there is less.
  '--semi-space-growth-factor=1',
  // Halves of the young generation of later threads, in MiB. What outlives two collections is taken for old:
  // with 1 MiB that was much of what each exchange needs for a moment.
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
  // The old generation is collected when it has grown by a fifth. What dies there is little, so even then a relay
  // with 2,000 streams does so every ten seconds only; by half it was as seldom, and 8 MiB a thread more.
  '--heap-growing-percent=20',
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
  for (const flag of FLAGS) set(flag);
}
