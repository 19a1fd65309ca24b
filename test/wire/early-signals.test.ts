// Goal: a signal that comes before the sidecar runs neither kills it half-way nor is forgotten.
// Method: the configuration is a named pipe, so that the sidecar waits inside its start until it is fed.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { poll } from '../support/signal.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const YAML = 'upstream: http://127.0.0.1:1\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\nengine-metrics: off\n';
const START_WAIT_MS = 15_000;
const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // It was closed meanwhile.
  }
}

function start() {
  const folder = mkdtempSync(join(tmpdir(), 'rubato-early-'));
  const pipe = join(folder, 'rubato.yaml');
  execFileSync('mkfifo', [pipe]);
  const node = join(ROOT, 'node_modules/.bin/node');
  const child = spawn(node, ['src/main.ts', 'serve', '--config', pipe], { cwd: ROOT });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += String(bytes)));
  undo.push(() => child.kill('SIGKILL') && rmSync(folder, { recursive: true }));
  const exit = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  return {
    child,
    exit,
    /** Resolves once the sidecar has taken this and closed the pipe: it would take what comes before that for more of it. */
    async feed(yaml: string): Promise<void> {
      await writeFile(pipe, yaml);
      const files = `/proc/${child.pid}/fd`;
      const opened = () => readdirSync(files).map((file) => linkOf(join(files, file)));
      await poll('the end of the pipe', () => (opened().includes(pipe) ? undefined : true), START_WAIT_MS);
    },
    said: (words: string) => poll(words, () => (text.includes(words) ? true : undefined), START_WAIT_MS),
    /** Until the kernel's mask says that a hang-up is caught: the lowest bit, as its number is 1. */
    untilItListens: () =>
      poll(
        'a handler of SIGHUP',
        async () => {
          const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
          return /SigCgt:\s+[0-9a-f]*[13579bdf]\n/.test(status) ? true : undefined;
        },
        START_WAIT_MS,
      ),
  };
}

test('a hang-up while it starts has the configuration read anew once it runs', async () => {
  const sidecar = start();
  await sidecar.untilItListens();
  sidecar.child.kill('SIGHUP');
  await sidecar.feed(YAML);
  await sidecar.feed(`${YAML}drain: 7\n`);
  await sidecar.said('the configuration was read anew');
});

test('the end that was asked for while it starts comes once it runs, with the exit code of a good end', async () => {
  const sidecar = start();
  await sidecar.untilItListens();
  sidecar.child.kill('SIGTERM');
  await sidecar.feed(YAML);
  expect(await sidecar.exit).toBe(0);
  await sidecar.said('rubato has ended');
});
