// Processes that tests have started: none outlives the run, however a test or the run ends.

const kills = new Set<() => void>();

function killAll(): void {
  for (const kill of kills) {
    try {
      kill();
    } catch {
      // It is gone already, and the others are not.
    }
  }
}

process.once('exit', killAll);
// Vitest ends its workers so, and behind a signal there is no `exit`.
process.once('SIGTERM', () => {
  killAll();
  process.kill(process.pid, 'SIGTERM');
});

/** Has this run when the process ends, by itself or not; gives how to take that back. */
export function atTheEnd(kill: () => void): () => void {
  kills.add(kill);
  return () => void kills.delete(kill);
}
