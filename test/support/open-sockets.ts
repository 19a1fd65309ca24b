// How many sockets a process has open. Not its files: threads that start late, a record file and looks at the
// kernel's tables come and go by themselves.
import { readdirSync, readlinkSync } from 'node:fs';

export function socketCountOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => linkOf(`${folder}/${name}`).startsWith('socket:')).length;
}

/** Empty for a descriptor that was closed since it was listed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
