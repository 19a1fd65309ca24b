// How much memory a process has in RAM as it goes.
import { residentKib } from '../harness/processes.ts';

/** Looks again and again until it is stopped; gives every look. */
export function watchRss(pid: number | undefined, everyMs = 25): () => number[] {
  const looks: number[] = [];
  const look = (): void => {
    try {
      looks.push(residentKib(pid));
    } catch {
      // It has ended; whoever waits for its answers says why.
      clearInterval(timer);
    }
  };
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    return looks;
  };
}
