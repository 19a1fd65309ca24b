// Goal: the page is built exactly when it has to be, and whatever goes wrong there stops nobody. Method: the real script
// in a made-up checkout, with a builder of ours in node_modules that notes its calls and what it was made of.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = new URL('../../../src/cli/ensure-page.mjs', import.meta.url).pathname;
const PAGE = 'src/page/vite.config.ts';
const REPORT = 'src/page/report/vite.config.ts';
const ACCOUNTS = { [PAGE]: 'dist/page/inputs.json', [REPORT]: 'dist/page/report/inputs.json' };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rubato-page-'));
  write('src/cli/ensure-page.mjs', readFileSync(SCRIPT, 'utf8'));
  for (const path of [PAGE, REPORT]) write(path, 'the first');
  builder(`
    const { createHash } = require('node:crypto');
    const hash = createHash('sha256').update(fs.readFileSync(config)).digest('hex');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(folder + '/inputs.json', JSON.stringify({ [config]: hash }));`);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function builder(does: string): void {
  const notes = `const fs = require('node:fs');
    const config = process.argv.at(-1);
    const folder = process.argv[process.argv.indexOf('--outDir') + 1];
    fs.appendFileSync('calls', config + '\\n');`;
  write('node_modules/vite/bin/vite.js', `${notes}${does}`);
}

function run(): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'src/cli/ensure-page.mjs')], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

/** Builds since the last look. */
function builds(): string[] {
  const path = join(folder, 'calls');
  if (!existsSync(path)) return [];
  const calls = readFileSync(path, 'utf8').trim().split('\n');
  rmSync(path);
  return calls;
}

test('builds what is missing, says so, and is silent the next time', () => {
  expect(run()).toMatchObject({ status: 0, stderr: expect.stringContaining('building the live page') as string });
  expect(builds()).toEqual([PAGE, REPORT]);
  expect(run()).toEqual({ status: 0, stderr: '' });
  expect(builds()).toEqual([]);
});

test('builds again what was made of another text than there is now, and what lies in its folder with it', () => {
  run();
  builds();
  write(REPORT, 'the second');
  run();
  expect(builds()).toEqual([REPORT]);
  write(PAGE, 'the second');
  run();
  expect(builds()).toEqual([PAGE, REPORT]);
});

test('builds again when a file is gone that it was made of, or the account cannot be read', () => {
  run();
  builds();
  const gone = { 'src/page/gone.ts': createHash('sha256').update('').digest('hex') };
  write(ACCOUNTS[PAGE], JSON.stringify(gone));
  run();
  expect(builds()).toEqual([PAGE, REPORT]);
  write(ACCOUNTS[PAGE], '{');
  run();
  expect(builds()).toEqual([PAGE, REPORT]);
});

test('leaves the page that is there whole until the new one is, and nothing else behind', () => {
  run();
  write('dist/page/index.html', 'the page of before');
  write(PAGE, 'the second');
  builder(`
    fs.appendFileSync('seen', fs.readFileSync('dist/page/index.html', 'utf8') + '\\n');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(folder + '/index.html', 'the page of now');`);
  run();
  expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('the page of before\n'.repeat(2));
  expect(readFileSync(join(folder, 'dist/page/index.html'), 'utf8')).toBe('the page of now');
  expect(readdirSync(join(folder, 'dist'))).toEqual(['page']);
});

test('puts its page in the place of one that somebody else built meanwhile', () => {
  builder(`
    fs.mkdirSync(folder, { recursive: true });
    fs.mkdirSync('dist/page', { recursive: true });
    fs.writeFileSync('dist/page/index.html', 'of the other');
    fs.writeFileSync(folder + '/index.html', 'of this one');`);
  expect(run().status).toBe(0);
  expect(readFileSync(join(folder, 'dist/page/index.html'), 'utf8')).toBe('of this one');
  expect(readdirSync(join(folder, 'dist'))).toEqual(['page']);
});

test('goes on without a page where there is nothing to build it with', () => {
  rmSync(join(folder, 'node_modules'), { recursive: true });
  expect(run()).toEqual({ status: 0, stderr: '' });
});

test('goes on without a page that cannot be built, tells why, and builds no second one on top', () => {
  builder(`console.error('a brace is missing'); process.exit(3);`);
  const { status, stderr } = run();
  expect(status).toBe(0);
  expect(stderr).toContain('could not be built');
  expect(stderr).toContain('a brace is missing');
  expect(builds()).toEqual([PAGE]);
});

test('has nothing to say of a checkout without the page', () => {
  rmSync(join(folder, 'src/page'), { recursive: true });
  expect(run()).toEqual({ status: 0, stderr: '' });
  expect(builds()).toEqual([]);
});
