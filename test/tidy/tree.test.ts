// Goal: the tree keeps its shape: nothing unexpected at the top, no file too long, no default
// export, no text that speaks of somebody's own machine. Method: files as git knows them.
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readText, ROOT } from './sources.ts';

const LINES_MAX_COUNT = 300;
const TOP_LEVEL = new Set([
  'Dockerfile',
  'LICENSE',
  'README.md',
  'deploy',
  'otel-collector.yaml',
  'package-lock.json',
  'package.json',
  'src',
  'test',
  'tsconfig.json',
]);

/** Tracked files and new ones that nobody told git to ignore. */
const FILES = execFileSync(
  'git',
  ['-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => path !== '' && exists(path));

function exists(path: string): boolean {
  try {
    readText(path);
    return true;
  } catch {
    // Deleted in the work tree and not yet in git.
    return false;
  }
}

const CODE = FILES.filter((path) => /^(?:src|test)\/.*\.(?:ts|tsx|mjs)$/.test(path));
const TEXTS = FILES.filter((path) => path !== 'package-lock.json' && !/^test\/vectors\/|\.(?:raw|png|gz)$/.test(path));

describe('the tree', () => {
  test('has at the top what it should have, and dotfiles', () => {
    const top = new Set(FILES.map((path) => path.split('/')[0] ?? ''));
    expect([...top].filter((name) => !name.startsWith('.') && !TOP_LEVEL.has(name))).toEqual([]);
  });

  test('has no code file above 300 lines', () => {
    const long = CODE.map((path) => ({ path, lineCount: readText(path).trimEnd().split('\n').length }));
    expect(long.filter(({ lineCount }) => lineCount > LINES_MAX_COUNT)).toEqual([]);
  });

  test('starts every source file with what it owns', () => {
    const silent = CODE.filter((path) => path.startsWith('src/')).filter((path) => {
      const first = readText(path).replace(/^#!.*\n/, '');
      return !/^(?:\/\/|\/\*)/.test(first);
    });
    expect(silent).toEqual([]);
  });

  test('names kebab-case files only', () => {
    expect(CODE.filter((path) => !/^[a-z0-9/.-]+$/.test(path))).toEqual([]);
  });

  test('speaks of nobody’s own machine', () => {
    // Letters in brackets, so that this file does not find itself.
    const own = /\/wor[k]\/|\/hom[e]\/[a-z]|\/User[s]\/[a-z]|\/roo[t]\/|\.\.\/share[d]/;
    expect(TEXTS.filter((path) => own.test(readText(path)))).toEqual([]);
  });

  test('leaves no note of work to be done', () => {
    const note = /\b(?:TOD[O]|FIXM[E]|XX[X])\b/;
    expect(CODE.filter((path) => note.test(readText(path)))).toEqual([]);
  });
});
