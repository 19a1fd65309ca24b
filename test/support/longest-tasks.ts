// Reads what the preload `longest-task` said.

/** Gives, of a thread by name, the longest task of each second; one figure a second and life of it. */
export function longestTasksMs(logs: readonly Record<string, unknown>[]): (thread: string) => number[] {
  return (thread) =>
    logs.filter(({ msg, thread: of }) => msg === 'longest task' && of === thread).map(({ cpuMs }) => Number(cpuMs));
}
