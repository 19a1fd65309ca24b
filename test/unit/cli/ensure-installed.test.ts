// Goal: the pre-script installs exactly when it has to, and fails loudly. Method: the real script in
// a made-up checkout, with an `npm` of ours on PATH that notes its calls.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = new URL('../../../src/cli/ensure-installed.mjs', import.meta.url).pathname;
const LOCK = { packages: { '': {}, 'node_modules/a': { version: '1.0.0', integrity: 'sha-a' } } };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rubato-install-'));
  mkdirSync(join(folder, 'src/cli'), { recursive: true });
  cpSync(SCRIPT, join(folder, 'src/cli/ensure-installed.mjs'));
  writeLock(LOCK);
  mkdirSync(join(folder, 'bin'));
  npm('mkdir -p node_modules/node/bin && touch node_modules/node/bin/node');
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeLock(lock: unknown): void {
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

function npm(does: string): void {
  const path = join(folder, 'bin/npm');
  writeFileSync(path, `#!/bin/sh\necho "$@" >> calls\n${does}\n`);
  chmodSync(path, 0o755);
}

function run(): { status: number | null; stderr: string } {
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'src/cli/ensure-installed.mjs')], {
    env,
    encoding: 'utf8',
  });
  return { status, stderr };
}

function calls(): string[] {
  const path = join(folder, 'calls');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

test('installs when node_modules is missing, says so, and is silent the next time', () => {
  const first = run();
  expect(first).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('node_modules is missing: running npm ci') as string,
  });
  expect(run()).toEqual({ status: 0, stderr: '' });
  expect(calls()).toEqual(['ci --no-audit --no-fund --loglevel=error']);
});

test('installs again when the lock file changed', () => {
  run();
  writeLock({ packages: { ...LOCK.packages, 'node_modules/b': { version: '2.0.0' } } });
  expect(run().stderr).toContain('node_modules is older than package-lock.json');
  expect(calls()).toHaveLength(2);
});

test('leaves an installation that was made by hand alone', () => {
  mkdirSync(join(folder, 'node_modules/node/bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/node/bin/node'), '');
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(LOCK));
  expect(run()).toEqual({ status: 0, stderr: '' });
  expect(calls()).toEqual([]);
});

test('does not take an older installation made by hand for a good one', () => {
  mkdirSync(join(folder, 'node_modules'));
  const old = { packages: { 'node_modules/a': { version: '0.9.0', integrity: 'sha-old' } } };
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(old));
  run();
  expect(calls()).toHaveLength(1);
});

test('fails when npm fails, and tries again the next time', () => {
  npm('exit 7');
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('npm ci failed (exit 7)') as string });
  expect(run().status).toBe(1);
  expect(calls()).toHaveLength(2);
});

test('fails when there is no lock file', () => {
  rmSync(join(folder, 'package-lock.json'));
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('package-lock.json is missing') as string });
});
