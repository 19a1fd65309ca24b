// Runs a foreign program to its end under a time cap, in a process group of its own so that nothing of
// it outlives the cap. What it printed last stands in the error, since the whole of it helps nobody.
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { atTheEnd } from '../../support/children.ts';

/** Something that a real engine needs cannot be had here. The message names it. */
export class MissingError extends Error {
  override readonly name = 'MissingError';
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Moment (epoch, ms) at which the program is ended. */
  readonly deadlineAtMs: number;
}

/** Installing yields to whatever else this machine does. */
const NICENESS = 10;
const LAST_WORDS_CHARACTERS = 600;

export async function runCommand(command: string, args: readonly string[], options: CommandOptions): Promise<void> {
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-LAST_WORDS_CHARACTERS);
    });
  let capped = false;
  const kill = (): void => killGroup(child.pid);
  const cap = setTimeout(
    () => {
      capped = true;
      kill();
    },
    Math.max(0, options.deadlineAtMs - Date.now()),
  );
  const release = atTheEnd(kill);
  const ended = await new Promise<string | undefined>((resolve) => {
    child.once('spawn', () => lowerPriority(child.pid));
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${code ?? signal}`));
  });
  clearTimeout(cap);
  release();
  if (ended === undefined) return;
  const why = capped ? 'was ended by its time cap' : ended;
  throw new MissingError(`${command} ${args[0] ?? ''} ${why}: ${words.trim().split('\n').slice(-4).join(' | ')}`);
}

/** Whether a program with this name can be run here. */
export async function hasCommand(command: string): Promise<boolean> {
  const child = spawn(command, ['--version'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}

/** The first of several programs that do the same, or an error that names them. */
export async function needCommand(...names: readonly string[]): Promise<string> {
  for (const name of names) if (await hasCommand(name)) return name;
  throw new MissingError(`no ${names.join(' or ')} on this machine`);
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // It has ended already.
  }
}

export function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
