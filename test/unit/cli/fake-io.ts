// A process as commands see it, whose output is kept for looking at.
import type { Io } from '../../../src/cli/io.ts';
import { runCommandLine } from '../../../src/cli/program.ts';

export interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

export async function runCli(args: readonly string[], env: Io['env'] = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = await runCommandLine(args, {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    stdout: { write: (text) => out.push(text) },
    env,
    execArgv: [],
    platform: 'linux',
  });
  return { exitCode, out: out.join('\n'), err: err.join('\n') };
}
