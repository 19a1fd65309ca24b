// Programs of other people that are had only as modules of Go, compiled here the first time.
import { spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from './cache.ts';
import { type CommandOptions, MissingError, runCommand } from './command.ts';

/** Two compilers at a time, without C: what is built runs wherever the test does. */
export const GO_ENV = { GOFLAGS: '-buildvcs=false -p=2', CGO_ENABLED: '0' } as const;
const BUILD_DISK_BYTES = 3e9;

export type Go = (...args: readonly string[]) => Promise<void>;

/** Runs Go. It says its version by `go version` only, so it cannot be asked for as other programs are. */
export function needGo(options: CommandOptions): Go {
  if (spawnSync('go', ['version']).status !== 0) throw new MissingError('no go on this machine');
  return (...args) => runCommand('go', args, { ...options, env: { ...GO_ENV, ...options.env } });
}

export interface GoProgram {
  readonly name: string;
  /** Import path of its `main`; what Go calls the program is the last part of it, or `goName`. */
  readonly path: string;
  readonly goName?: string;
  /** With its `v`. */
  readonly version: string;
  readonly flags?: readonly string[];
  readonly capMs: number;
}

/** Path of the program, which is built now if it is not there. */
export async function goProgram({ name, path, goName, version, flags = [], capMs }: GoProgram): Promise<string> {
  const folder = await installed({
    name: `${name}-${version.slice(1)}`,
    capMs,
    diskBytes: BUILD_DISK_BYTES,
    make: async (staging, deadlineAtMs) => {
      await needGo({ deadlineAtMs, env: { GOBIN: staging } })('install', ...flags, `${path}@${version}`);
      const built = goName ?? path.split('/').at(-1) ?? name;
      if (built !== name) renameSync(join(staging, built), join(staging, name));
    },
  });
  return join(folder, name);
}
