// A thread's profile as text that can be kept and compared: µs a chunk by whose code it is, and by function. Pure.
import { byGroup, type Spent } from './cpu-profile.ts';

const TOP_COUNT = 40;
/** Whatever is below is told together. */
const LEAST_US = 0.05;

export interface ThreadProfile {
  readonly title: string;
  readonly spent: readonly Spent[];
  /** By the scheduler, in the same stretch. */
  readonly cpuUs: number;
}

const column = (us: number, chunkCount: number): string => (us / chunkCount).toFixed(2).padStart(9);

export function threadText({ title, spent, cpuUs }: ThreadProfile, chunkCount: number): string {
  const sampledUs = spent.reduce((sum, { selfUs }) => sum + selfUs, 0);
  const line = ({ name, selfUs }: Spent): string => `${column(selfUs, chunkCount)}  ${name}`;
  return [
    `== ${title}`,
    '',
    `${column(cpuUs, chunkCount)}  µs of CPU a chunk by the scheduler`,
    `${column(sampledUs, chunkCount)}  µs a chunk in samples that were not idle, of which:`,
    '',
    ...gathered(byGroup(spent), chunkCount).map(line),
    '',
    `by function, the first ${TOP_COUNT}:`,
    '',
    ...spent.slice(0, TOP_COUNT).map(line),
    '',
  ].join('\n');
}

function gathered(groups: readonly Spent[], chunkCount: number): Spent[] {
  const isSmall = ({ selfUs }: Spent): boolean => selfUs / chunkCount < LEAST_US;
  const selfUs = groups.filter(isSmall).reduce((sum, each) => sum + each.selfUs, 0);
  return [...groups.filter((each) => !isSmall(each)), { group: '', name: 'all else', selfUs }];
}
