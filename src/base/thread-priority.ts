// The nice value of threads. Linux keeps one for each thread, and a thread that is started has that of its starter;
// elsewhere it is the whole process's, and left alone.
import { getPriority, setPriority } from 'node:os';

/** Weighs a third of the others: under contention the thread still gets a quarter of a CPU (`sched_prio_to_weight`). */
const GIVE_WAY_BY = 5;
/** The lowest there is. */
const NICE_MAX = 19;

const isOwn = process.platform === 'linux';

/** Of this thread; undefined where threads have none of their own. */
export function threadNice(): number | undefined {
  return isOwn ? getPriority(0) : undefined;
}

/** From now on this thread lets those of usual priority go first, and so do the threads that it starts. */
export function giveWay(): void {
  if (isOwn) setPriority(0, Math.min(getPriority(0) + GIVE_WAY_BY, NICE_MAX));
}

/**
 * Takes a priority back that whoever started this thread has given up. It needs a right of its own (CAP_SYS_NICE, or
 * a limit RLIMIT_NICE); without it the thread stays where it is.
 */
export function takePriority(nice: number | undefined): void {
  if (!isOwn || nice === undefined || nice === getPriority(0)) return;
  try {
    setPriority(0, nice);
  } catch {
    // It then is as high as its starter, as all threads were before that one gave way.
  }
}
