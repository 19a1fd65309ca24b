// A benchmark client from PyPI, in a virtual environment of its own: installed at the versions of its list, and run
// under a cap. Knows none of the clients.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { atTheEnd } from '../../support/children.ts';
import { killGroup, MissingError, needCommand, runCommand } from '../engine/command.ts';

const LAST_WORDS_CHARS = 600;

export interface PythonClient {
  /** For people. */
  readonly name: string;
  /** Path of the list of its packages. */
  readonly packages: string;
  /** Longest time that it may run. */
  readonly capMs: number;
  /** What it is told beside what the tests are told. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `finish` are the arguments of the Python that comes last, behind the packages. */
export async function installClient(
  { name, packages }: PythonClient,
  folder: string,
  deadlineAtMs: number,
  finish: readonly string[],
): Promise<void> {
  if (process.platform !== 'linux')
    throw new MissingError(`${name} is tried on Linux only, and this is ${process.platform}`);
  const python = await needCommand('python3');
  const run = (command: string, ...args: string[]): Promise<void> =>
    runCommand(command, args, { cwd: folder, deadlineAtMs });
  await run(python, '-m', 'venv', 'client');
  const binary = ['--only-binary', ':all:', '--no-deps', '--quiet', '--no-input'];
  await run('client/bin/python', '-m', 'pip', 'install', ...binary, '-r', packages);
  await run('client/bin/python', ...finish);
}

/**
 * Gives its output, or throws with its last words. At the usual priority, unlike what installs: a client that yields
 * to others is late, and says the engine was.
 */
export async function runClient(client: PythonClient, folder: string, args: readonly string[]): Promise<string> {
  const child = spawn(join(folder, 'client/bin/python'), args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...client.env },
  });
  const kill = (): void => killGroup(child.pid);
  const release = atTheEnd(kill);
  const cap = setTimeout(kill, client.capMs);
  let [out, words] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-LAST_WORDS_CHARS)));
  const code = await new Promise((resolve) => void child.once('close', resolve));
  clearTimeout(cap);
  release();
  if (code !== 0) throw new Error(`${client.name} ended with ${String(code)}: ${words}`);
  return out;
}
