// What runs the program as its users do. Node keeps what it made of our sources, for a test run starts
// hundreds of processes of them; nobody's users start it from sources, where the types are still to be cut out.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = new URL('../..', import.meta.url).pathname;
export const NODE = join(ROOT, 'node_modules/.bin/node');

/**
 * A process that ends by itself adds to it; what a source has become is found by its content. Benches and the soak
 * do without: what they measure is to be what a process has that starts with nothing.
 */
export const KEPT_CODE: Readonly<Record<string, string>> =
  process.env['VITEST'] === undefined ? {} : { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled') };

export interface Told {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the program to its end. */
export function rubato(args: readonly string[], env: Record<string, string> = {}): Promise<Told> {
  return new Promise((resolve) => {
    const child = spawn(NODE, ['src/main.ts', ...args], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', ...KEPT_CODE, ...env },
    });
    const told = { stdout: '', stderr: '' };
    child.stdout.on('data', (text: Buffer) => (told.stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (told.stderr += text.toString()));
    child.once('close', (status) => resolve({ status, ...told }));
  });
}
