// How much memory a process has in RAM, once and as it goes.
import { readFileSync } from 'node:fs';

/** 0 for the direct way, which is no process of its own. */
export function rssKib(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Looks again and again until it is stopped; gives every look. */
export function watchRss(pid: number | undefined, everyMs = 25): () => number[] {
  const looks: number[] = [];
  const look = (): void => {
    try {
      looks.push(rssKib(pid));
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
