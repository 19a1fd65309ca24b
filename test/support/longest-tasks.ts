// Reads what the preload `longest-task` said.

type Lines = readonly Record<string, unknown>[];

/**
 * Gives the longest task of each second of a thread by name; where several have that name (a relay and the spare
 * behind it), of the one that did most.
 */
export function longestTasksMs(logs: Lines): (thread: string) => number[] {
  return (thread) => {
    const said = logs.filter(({ msg, thread: of }) => msg === 'longest task' && of === thread);
    const byThread = Map.groupBy(said, ({ threadId }) => threadId);
    const each = [...byThread.values()].map((lines) => lines.map(({ cpuMs }) => Number(cpuMs)));
    const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
    return each.toSorted((a, b) => median(b) - median(a))[0] ?? [];
  };
}
