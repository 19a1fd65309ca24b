// Reads what `node --cpu-prof` leaves of a thread: which functions its samples of a stretch of time were in, and in
// whose code these stand. Pure.

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  /** Moment of the machine's monotonic clock, µs. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Of each sample: time since the one before it, µs. */
  readonly timeDeltas: readonly number[];
}

export interface Spent {
  /** Folder of `src/`, package, module of Node, or what V8 does by itself. */
  readonly group: string;
  readonly name: string;
  readonly selfUs: number;
}

/** V8's words for having nothing to do; a thread that waits in the kernel looks like native code to it. */
const IDLE = '(idle)';

/** Whose code it is. */
export function groupOf(url: string, functionName: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'V8 and native code';
  if (url.startsWith('node:'))
    return url
      .split('/')
      .slice(0, url.startsWith('node:internal/') ? 2 : 1)
      .join('/');
  // A package may have packages of its own: the last folder names whose code it is.
  const packaged = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (packaged !== undefined) return `package ${packaged}`;
  return /\/(src\/(?:[^/]+(?=\/))?)/.exec(url)?.[1] ?? url;
}

/** Self time of each function between two moments in µs, the largest first; idleness is left out. */
export function selfTimes(profile: CpuProfile, fromUs: number, toUs: number): Spent[] {
  const spentUs = new Map<number, number>();
  let atUs = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const deltaUs = profile.timeDeltas[index] ?? 0;
    atUs += deltaUs;
    // The time since the last sample is that sample's; V8 writes it down with the next one.
    if (atUs - deltaUs < fromUs || atUs > toUs) continue;
    const before = profile.samples[index - 1] ?? id;
    spentUs.set(before, (spentUs.get(before) ?? 0) + deltaUs);
  }
  const byFunction = new Map<string, Spent>();
  for (const { id, callFrame } of profile.nodes) {
    const selfUs = spentUs.get(id) ?? 0;
    const { functionName, url, lineNumber } = callFrame;
    if (selfUs === 0 || functionName === IDLE) continue;
    const key = `${url}:${lineNumber}:${functionName}`;
    const name = `${functionName === '' ? '(anonymous)' : functionName}${url === '' ? '' : ` ${placeOf(url, lineNumber)}`}`;
    const sum = (byFunction.get(key)?.selfUs ?? 0) + selfUs;
    byFunction.set(key, { group: groupOf(url, functionName), name, selfUs: sum });
  }
  return [...byFunction.values()].toSorted((a, b) => b.selfUs - a.selfUs);
}

/** `relay/download.ts:40`; lines count from 0 in profiles. */
function placeOf(url: string, lineNumber: number): string {
  const short = url.replace(/^.*\/node_modules\//, '').replace(/^file:.*\/src\//, '');
  return `${short}:${lineNumber + 1}`;
}

export function byGroup(spent: readonly Spent[]): Spent[] {
  const sums = new Map<string, number>();
  for (const { group, selfUs } of spent) sums.set(group, (sums.get(group) ?? 0) + selfUs);
  return [...sums].map(([group, selfUs]) => ({ group, name: group, selfUs })).toSorted((a, b) => b.selfUs - a.selfUs);
}

type ThreadName = 'main' | 'relay' | 'admin';

/** Which of rubato's threads a profile is of: its own code tells. Undefined for one that has run none. */
export function threadOf({ nodes }: CpuProfile): ThreadName | undefined {
  const has = (part: string): boolean => nodes.some(({ callFrame }) => callFrame.url.includes(part));
  if (has('/src/cli/')) return 'main';
  if (has('/src/relay/thread.')) return 'relay';
  return has('/src/telemetry/admin-') ? 'admin' : undefined;
}
